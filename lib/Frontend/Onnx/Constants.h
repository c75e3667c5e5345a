// Element types and constants in the graph dialect.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_LIB_FRONTEND_ONNX_CONSTANTS_H
#define ATC_LIB_FRONTEND_ONNX_CONSTANTS_H

#include "TensorReader.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/StringSet.h"

namespace mlir::atc::onnx {

/// The type of a tensor's elements by ONNX's code; null for codes that we do
/// not have.
Type getElementType(MLIRContext *context, int onnxType);

/// The attribute for a value that a `constant` op may hold: all elements equal,
/// or small. Null for larger values.
DenseElementsAttr getSmallConstant(RankedTensorType type,
                                   ::atc::ElementType element,
                                   ArrayRef<char> bytes);

/// A constant whose elements all are `value`, rounded to the element type.
DenseElementsAttr getSplat(RankedTensorType type, double value);

/// Adds tensors to a module: small ones as `constant`, others as `weight_data`.
class ConstantBuilder {
public:
  /// Large constants are inserted before `function`.
  ConstantBuilder(func::FuncOp function, TensorReader &reader,
                  graph::WeightStore &store);

  /// Builds the value at the builder's insertion point. `name` names the
  /// symbol of a large constant.
  ::atc::Expected<Value> build(OpBuilder &builder, Location loc,
                               const ::onnx::TensorProto &tensor,
                               StringRef name);

private:
  std::string makeSymbol(StringRef name);

  func::FuncOp function;
  TensorReader &reader;
  graph::WeightStore &store;
  llvm::StringSet<> symbols;
};

} // namespace mlir::atc::onnx

#endif // ATC_LIB_FRONTEND_ONNX_CONSTANTS_H
