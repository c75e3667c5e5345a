// Reads a model file into a protobuf message without its large tensors.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_LIB_FRONTEND_ONNX_MODELREADER_H
#define ATC_LIB_FRONTEND_ONNX_MODELREADER_H

#include "atc/Dialect/Graph/IR/WeightStore.h"
#include "atc/Frontend/Protobuf/PayloadSplitter.h"
#include "onnx.pb.h"

#include <memory>
#include <string>

namespace mlir::atc::onnx {

/// Tensor data of at least this many bytes stays in the file.
inline constexpr uint64_t kPayloadThreshold = 1024;

/// A parsed model and where its large tensors are.
struct ModelSource {
  std::unique_ptr<::onnx::ModelProto> model;
  /// Entries that the marker fields of tensors refer to.
  std::vector<::atc::protobuf::Payload> payloads;
  /// The store's source that holds the serialized model.
  uint32_t storeSource = 0;
  /// Path of the model file; empty for a model in memory, which therefore can
  /// not refer to external data.
  std::string path;
};

/// Maps the file at `path` into the store and parses it.
::atc::Expected<ModelSource> readModelFile(const std::string &path,
                                           graph::WeightStore &store);

/// Parses a serialized model; the store borrows the bytes.
::atc::Expected<ModelSource> readModelBytes(llvm::ArrayRef<char> bytes,
                                            graph::WeightStore &store);

} // namespace mlir::atc::onnx

#endif // ATC_LIB_FRONTEND_ONNX_MODELREADER_H
