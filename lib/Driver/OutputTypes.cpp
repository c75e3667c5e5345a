// Gives a model's outputs the element types that the options ask for.
// SPDX-License-Identifier: Apache-2.0
#include "OutputTypes.h"
#include "atc/Dialect/Graph/IR/Graph.h"
#include "atc/Passes/CodedError.h"
#include "atc/Target/ElementTypes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace mlir::atc;

/// The result that a text names, or nullopt.
static std::optional<unsigned>
findResult(func::FuncOp function, StringRef name,
           const ::atc::CompileOptions &options) {
  for (unsigned index = 0; index < function.getNumResults(); ++index) {
    auto attribute = function.getResultAttrOfType<StringAttr>(
        index, graph::GraphDialect::getNameAttrName());
    if (attribute && attribute.getValue() == name)
      return index;
  }
  for (auto [index, output] : llvm::enumerate(options.outputs))
    if (output == name && index < function.getNumResults())
      return index;
  return std::nullopt;
}

LogicalResult
mlir::atc::applyOutputTypes(ModuleOp module,
                            const ::atc::CompileOptions &options) {
  if (options.outputTypes.empty())
    return success();
  auto function = module.lookupSymbol<func::FuncOp>("main");
  Operation *terminator = function.front().getTerminator();
  OpBuilder builder(terminator);
  auto cast = [&](unsigned index, ::atc::ElementType type) {
    Value value = terminator->getOperand(index);
    Type element = getElementType(builder.getContext(), type);
    if (getElementTypeOrSelf(value) == element)
      return;
    auto castOp =
        graph::CastOp::create(builder, value.getLoc(), value, element, false);
    terminator->setOperand(index, castOp.getResult());
  };
  for (const ::atc::CompileOptions::OutputType &wanted : options.outputTypes) {
    if (wanted.output.empty()) {
      for (unsigned index = 0; index < function.getNumResults(); ++index)
        cast(index, wanted.type);
      continue;
    }
    std::optional<unsigned> index =
        findResult(function, wanted.output, options);
    if (!index)
      return withCode(function.emitError("--output_type names '")
                          << wanted.output << "', which is no output",
                      ::atc::ErrorCode::UnknownTensorName);
    cast(*index, wanted.type);
  }
  function.setType(builder.getFunctionType(function.getArgumentTypes(),
                                           terminator->getOperandTypes()));
  return success();
}
