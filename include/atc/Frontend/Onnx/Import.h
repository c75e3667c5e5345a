// From an ONNX model to the graph dialect.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_FRONTEND_ONNX_IMPORT_H
#define ATC_FRONTEND_ONNX_IMPORT_H

#include "atc/Dialect/Graph/IR/WeightStore.h"
#include "atc/Support/Diagnostic.h"
#include "atc/Support/ElementType.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/raw_ostream.h"
#include <string>
#include <vector>

namespace mlir::atc {

/// What a user may fix or cut before import.
struct OnnxImportOptions {
  /// Sizes of an input by name; -1 leaves a size open.
  struct InputShape {
    std::string name;
    std::vector<int64_t> sizes;
  };
  std::vector<InputShape> inputShapes;

  /// Where the graph ends, in the order of the results: names of values, or
  /// `node:index` for an output of a node. A text that is a value's name means
  /// that value, so a value called `a:0` is found. Empty: the model's outputs.
  /// Inputs that only a cut part used do not become arguments.
  std::vector<std::string> outputs;

  /// A new element type for an output, named as in `outputs`, or for all where
  /// `output` is empty. E10016 if it is no output.
  struct OutputType {
    std::string output;
    ::atc::ElementType type = ::atc::ElementType::F32;
  };
  std::vector<OutputType> outputTypes;
};

/// Imports an ONNX model into a module of graph ops: one function `main` whose
/// arguments and results carry the model's names (`graph.name`), and one
/// `weight_data` for each large constant. After it nothing depends on protobuf,
/// on an operator set version or on an omitted default. Every op has its node's
/// name as location, fused with its op type and operator set.
///
/// The file stays mapped in `store`, which must live as long as the module is
/// compiled. On failure `diagnostics` tells why; what is not supported is
/// reported together, in one E16002.
FailureOr<OwningOpRef<ModuleOp>>
importOnnxFile(MLIRContext &context, const std::string &path,
               const OnnxImportOptions &options, graph::WeightStore &store,
               std::vector<::atc::Diagnostic> &diagnostics);

/// The same for a serialized model in memory. The store borrows the bytes; the
/// model can not refer to external data.
FailureOr<OwningOpRef<ModuleOp>>
importOnnxBytes(MLIRContext &context, llvm::ArrayRef<char> bytes,
                const OnnxImportOptions &options, graph::WeightStore &store,
                std::vector<::atc::Diagnostic> &diagnostics);

/// Writes the table of operators and versions that import knows, as Markdown.
void printOnnxOperators(llvm::raw_ostream &os);

} // namespace mlir::atc

#endif // ATC_FRONTEND_ONNX_IMPORT_H
