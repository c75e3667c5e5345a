// Builds the function `main` from the graph of a model.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_LIB_FRONTEND_ONNX_GRAPHIMPORTER_H
#define ATC_LIB_FRONTEND_ONNX_GRAPHIMPORTER_H

#include "Constants.h"
#include "GraphOrder.h"
#include "ImportDiagnostics.h"
#include "ModelReader.h"
#include "atc/Frontend/Onnx/Import.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

namespace mlir::atc::onnx {

/// Imports one model; used once.
class GraphImporter {
public:
  GraphImporter(MLIRContext &context, const ModelSource &source,
                const OnnxImportOptions &options, graph::WeightStore &store,
                ImportDiagnostics &diagnostics);

  /// Fills `module`. Errors are in the diagnostics.
  LogicalResult run(ModuleOp module);

private:
  LogicalResult checkVersions();
  LogicalResult resolveOutputs();
  /// The value that a text of OnnxImportOptions::outputs means, or an empty
  /// name.
  std::string findOutput(StringRef text) const;
  LogicalResult applyOutputTypes(SmallVectorImpl<Value> &results);
  LogicalResult createFunction(ModuleOp module);
  Type convertInputType(const ::onnx::ValueInfoProto &input);
  Type applyInputShape(const ::onnx::ValueInfoProto &input, Type type);
  LogicalResult checkInputShapeNames();
  /// Records what the model calls the open dims of an argument.
  void nameDims(unsigned index, const ::onnx::ValueInfoProto &input, Type type);
  bool isInitializer(StringRef name) const {
    return initializers.contains(name);
  }

  void importNode(const ::onnx::NodeProto &node);
  /// A value by name; null if it is omitted or its node could not be imported.
  Value getValue(const std::string &name);
  Value getInitializer(const std::string &name);
  Location getLocation(const ::onnx::NodeProto &node);
  /// Why a node has no import function.
  std::string explainUnknown(const ::onnx::NodeProto &node, int version) const;
  void finishFunction();
  void eraseUnused();

  MLIRContext &context;
  const ::onnx::ModelProto &model;
  const ::onnx::GraphProto &graph;
  const OnnxImportOptions &options;
  graph::WeightStore &store;
  ImportDiagnostics &diagnostics;
  TensorReader reader;

  int opset = 0;
  /// Names of the values that are returned, and the names they go by.
  std::vector<std::string> outputs;
  llvm::StringMap<const ::onnx::TensorProto *> initializers;
  /// Values that a node or the end of the graph uses.
  llvm::StringSet<> used;
  /// Values defined so far; null for those that could not be built.
  llvm::StringMap<Value> values;

  func::FuncOp function;
  OpBuilder builder;
  std::optional<ConstantBuilder> constants;
  /// The last constant at the start of the function.
  Operation *lastConstant = nullptr;
  std::string inferenceError;
};

} // namespace mlir::atc::onnx

#endif // ATC_LIB_FRONTEND_ONNX_GRAPHIMPORTER_H
