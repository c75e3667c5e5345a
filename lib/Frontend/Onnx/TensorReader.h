// TensorProto to a typed shape and its bytes in the weight store.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_LIB_FRONTEND_ONNX_TENSORREADER_H
#define ATC_LIB_FRONTEND_ONNX_TENSORREADER_H

#include "ExternalData.h"
#include "ModelReader.h"
#include "atc/Support/ElementType.h"
#include "llvm/ADT/SmallVector.h"
#include <variant>

namespace mlir::atc::onnx {

/// A constant of a model. Its bytes are as the weight store wants them.
struct TensorData {
  ::atc::ElementType type;
  llvm::SmallVector<int64_t> shape;
  /// Small data is owned, large data is a range of the store.
  std::variant<std::vector<char>, graph::WeightRange> data;
};

/// Reads tensors of one model: every data field of TensorProto, in the message
/// or split off, and external data.
class TensorReader {
public:
  TensorReader(const ModelSource &source, graph::WeightStore &store)
      : source(source), store(store), external(source.path, store) {}

  /// E16006 if the data does not match type and shape, E16007 for a type that
  /// we do not have, and the errors of external data.
  ::atc::Expected<TensorData> read(const ::onnx::TensorProto &tensor);

  /// The bytes of what `read` returned.
  llvm::ArrayRef<char> getBytes(const TensorData &tensor) const;

private:
  /// The one field of a tensor that holds its data.
  struct Field {
    uint32_t number;
    /// The contents, if they were split off the message.
    const ::atc::protobuf::Payload *payload = nullptr;
  };
  ::atc::Expected<std::optional<Field>>
  findField(const ::onnx::TensorProto &tensor) const;
  ::atc::Status readField(const ::onnx::TensorProto &tensor, const Field &field,
                          uint64_t bytes, TensorData &result);
  ::atc::Status normalizeBooleans(TensorData &tensor);

  const ModelSource &source;
  graph::WeightStore &store;
  ExternalData external;
};

} // namespace mlir::atc::onnx

#endif // ATC_LIB_FRONTEND_ONNX_TENSORREADER_H
