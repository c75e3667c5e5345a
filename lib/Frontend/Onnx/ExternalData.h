// Tensor data in files beside the model.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_LIB_FRONTEND_ONNX_EXTERNALDATA_H
#define ATC_LIB_FRONTEND_ONNX_EXTERNALDATA_H

#include "atc/Dialect/Graph/IR/WeightStore.h"
#include "onnx.pb.h"
#include "llvm/ADT/StringMap.h"
#include <string>

namespace mlir::atc::onnx {

/// Opens the files that tensors name and resolves their ranges. A model must
/// not reach files that its author could not ship with it: a location is
/// relative, has no `..`, and the file behind it, symbolic links followed, lies
/// in the model's folder or below.
class ExternalData {
public:
  /// `modelPath` is empty for a model in memory.
  ExternalData(std::string modelPath, graph::WeightStore &store)
      : modelPath(std::move(modelPath)), store(store) {}

  /// The range of a tensor with data_location EXTERNAL that needs `bytes`.
  /// Errors: E13003 for the path, E13000/E13001 for the file, E16006 for a
  /// range that is malformed, outside of the file or of another length.
  ::atc::Expected<graph::WeightRange> resolve(const ::onnx::TensorProto &tensor,
                                              uint64_t bytes);

private:
  ::atc::Expected<uint32_t> open(const std::string &location);

  std::string modelPath;
  graph::WeightStore &store;
  /// Location to source of the store.
  llvm::StringMap<uint32_t> opened;
};

} // namespace mlir::atc::onnx

#endif // ATC_LIB_FRONTEND_ONNX_EXTERNALDATA_H
