// From an ONNX model to the graph dialect: the entry points.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Frontend/Onnx/Import.h"

#include "GraphImporter.h"
#include "atc/Dialect/Graph/IR/Graph.h"

namespace mlir::atc {
namespace {

FailureOr<OwningOpRef<ModuleOp>>
import(MLIRContext &context, const ::atc::Expected<onnx::ModelSource> &source,
       const OnnxImportOptions &options, graph::WeightStore &store,
       std::vector<::atc::Diagnostic> &sink) {
  if (!source) {
    sink.push_back(source.getDiagnostic());
    return failure();
  }
  context.loadDialect<graph::GraphDialect, func::FuncDialect>();
  OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(&context));
  onnx::ImportDiagnostics diagnostics(sink);
  onnx::GraphImporter importer(context, *source, options, store, diagnostics);
  LogicalResult result = importer.run(*module);
  diagnostics.finish();
  if (failed(result))
    return failure();
  return std::move(module);
}

} // namespace

FailureOr<OwningOpRef<ModuleOp>>
importOnnxFile(MLIRContext &context, const std::string &path,
               const OnnxImportOptions &options, graph::WeightStore &store,
               std::vector<::atc::Diagnostic> &diagnostics) {
  return import(context, onnx::readModelFile(path, store), options, store,
                diagnostics);
}

FailureOr<OwningOpRef<ModuleOp>>
importOnnxBytes(MLIRContext &context, llvm::ArrayRef<char> bytes,
                const OnnxImportOptions &options, graph::WeightStore &store,
                std::vector<::atc::Diagnostic> &diagnostics) {
  return import(context, onnx::readModelBytes(bytes, store), options, store,
                diagnostics);
}

} // namespace mlir::atc
