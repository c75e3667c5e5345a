// Reads a model file into a protobuf message without its large tensors.
// SPDX-License-Identifier: Apache-2.0
#include "ModelReader.h"

#include "google/protobuf/io/coded_stream.h"
#include <iterator>

namespace mlir::atc::onnx {
namespace {

using ::atc::ErrorCode;
using ::atc::Expected;
using ::atc::protobuf::FieldRule;
using ::atc::protobuf::MessageRules;
using ::atc::protobuf::SplitSchema;

// The paths of onnx.proto that lead to tensor data, by field number.
enum Message : uint16_t {
  Model,
  Graph,
  Node,
  Attribute,
  Tensor,
  SparseTensor,
  Function,
  Training,
};

constexpr FieldRule message(uint32_t field, Message type) {
  return {field, FieldRule::Kind::Message, type};
}
constexpr FieldRule payload(uint32_t field) {
  return {field, FieldRule::Kind::Payload};
}

constexpr FieldRule kModel[] = {
    message(7, Graph),     // graph
    message(20, Training), // training_info
    message(25, Function), // functions
};
constexpr FieldRule kGraph[] = {
    message(1, Node),          // node
    message(5, Tensor),        // initializer
    message(15, SparseTensor), // sparse_initializer
};
constexpr FieldRule kNode[] = {
    message(5, Attribute), // attribute
};
constexpr FieldRule kAttribute[] = {
    message(5, Tensor),        // t
    message(6, Graph),         // g
    message(10, Tensor),       // tensors
    message(11, Graph),        // graphs
    message(22, SparseTensor), // sparse_tensor
    message(23, SparseTensor), // sparse_tensors
};
constexpr FieldRule kTensor[] = {
    payload(4),  // float_data
    payload(5),  // int32_data
    payload(7),  // int64_data
    payload(9),  // raw_data
    payload(10), // double_data
    payload(11), // uint64_data
};
constexpr FieldRule kSparseTensor[] = {
    message(1, Tensor), // values
    message(2, Tensor), // indices
};
constexpr FieldRule kFunction[] = {
    message(7, Node),       // node
    message(11, Attribute), // attribute_proto
};
constexpr FieldRule kTraining[] = {
    message(1, Graph), // initialization
    message(2, Graph), // algorithm
};

template <size_t N>
constexpr MessageRules rules(const FieldRule (&fields)[N]) {
  return {fields, N};
}

// In the order of Message.
constexpr MessageRules kMessages[] = {
    rules(kModel),  rules(kGraph),        rules(kNode),     rules(kAttribute),
    rules(kTensor), rules(kSparseTensor), rules(kFunction), rules(kTraining),
};

Expected<ModelSource> parse(llvm::ArrayRef<char> bytes, uint32_t storeSource) {
  SplitSchema schema{kMessages, std::size(kMessages)};
  Expected<::atc::protobuf::SplitMessage> split =
      ::atc::protobuf::splitPayloads(
          reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size(), schema,
          kPayloadThreshold);
  if (!split)
    return split.status();

  ModelSource source;
  source.payloads = std::move(split->payloads);
  source.storeSource = storeSource;
  source.model = std::make_unique<::onnx::ModelProto>();
  google::protobuf::io::CodedInputStream input(
      split->skeleton.data(), static_cast<int>(split->skeleton.size()));
  input.SetRecursionLimit(::atc::protobuf::kMaxMessageDepth);
  if (!source.model->ParseFromCodedStream(&input))
    return ::atc::Diagnostic{ErrorCode::MalformedModel,
                             "the file does not follow the ONNX schema",
                             {},
                             {}};
  if (!source.model->has_ir_version())
    return ::atc::Diagnostic{ErrorCode::MalformedModel,
                             "the file names no IR version, so it is not an "
                             "ONNX model",
                             {},
                             {}};
  return std::move(source);
}

} // namespace

Expected<ModelSource> readModelFile(const std::string &path,
                                    graph::WeightStore &store) {
  Expected<::atc::MappedFile> file = ::atc::MappedFile::open(path);
  if (!file)
    return file.status();
  uint32_t storeSource = store.addFile(std::move(*file));
  Expected<ModelSource> source =
      parse(store.getSource(storeSource), storeSource);
  if (!source) {
    ::atc::Diagnostic diagnostic = source.getDiagnostic();
    diagnostic.where = path;
    return diagnostic;
  }
  source->path = path;
  return source;
}

Expected<ModelSource> readModelBytes(llvm::ArrayRef<char> bytes,
                                     graph::WeightStore &store) {
  return parse(bytes, store.addBorrowed(bytes));
}

} // namespace mlir::atc::onnx
