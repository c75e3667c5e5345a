// The sizes of all tensors of a function, as expressions of its input dims.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Dialect/Graph/IR/SizeAnalysis.h"
#include "SizeRules.h"

using namespace mlir;
using namespace mlir::atc;
using namespace mlir::atc::graph;

SizeAnalysis::SizeAnalysis(func::FuncOp function)
    : function(function), context(function) {
  if (function.isExternal())
    return;
  for (BlockArgument argument : function.getArguments())
    if (auto type = dyn_cast<RankedTensorType>(argument.getType()))
      for (unsigned dim = 0; dim < type.getRank(); ++dim)
        sizes[argument].push_back(context.getDim(argument, dim));
  for (Operation &op : function.front().without_terminator())
    visit(&op);
}

ArrayRef<SizeExpr> SizeAnalysis::getSizes(Value tensor) const {
  auto found = sizes.find(tensor);
  return found == sizes.end() ? ArrayRef<SizeExpr>() : found->second;
}

void SizeAnalysis::copySizes(Value from, Value to) {
  Sizes copied(getSizes(from));
  sizes[to] = std::move(copied);
}

void SizeAnalysis::refineTypes() {
  for (auto &[tensor, known] : sizes) {
    auto type = cast<RankedTensorType>(tensor.getType());
    SmallVector<int64_t> shape(type.getShape());
    for (auto [size, expr] : llvm::zip_equal(shape, known))
      if (std::optional<int64_t> number = expr.getConstant();
          number && *number >= 0)
        size = *number;
    tensor.setType(RankedTensorType::get(shape, type.getElementType(),
                                         type.getEncoding()));
  }
  Block &body = function.front();
  function.setType(FunctionType::get(function.getContext(),
                                     body.getArgumentTypes(),
                                     body.getTerminator()->getOperandTypes()));
}

std::optional<SizeExpr> SizeAnalysis::getSize(Value tensor, unsigned dim) {
  ArrayRef<SizeExpr> known = getSizes(tensor);
  return dim < known.size() && known[dim].isKnown() ? std::optional(known[dim])
                                                    : std::nullopt;
}

std::optional<ShapeElements> SizeAnalysis::getElements(Value value) {
  auto found = elements.find(value);
  return found == elements.end() ? unknownElements(value.getType())
                                 : std::optional(found->second);
}

void SizeAnalysis::assign(Value result, ArrayRef<SizeExpr> inferred) {
  auto type = cast<RankedTensorType>(result.getType());
  Sizes &own = sizes[result];
  own.clear();
  for (auto [size, expr] : llvm::zip_equal(type.getShape(), inferred)) {
    if (ShapedType::isDynamic(size)) {
      own.push_back(expr);
      continue;
    }
    own.push_back(size);
    if (!expr.isConstant(size) && expr.isKnown())
      constraints.push_back({result.getDefiningOp(),
                             SizeConstraint::Kind::Equal, expr, size,
                             "sizes of the result and of its declaration"});
  }
}

/// The maps that give the sizes of operands and results, and the values of
/// their symbols; null where the op is no kernel or all is static.
static std::pair<ArrayAttr, ValueRange>
getKernelShapes(Operation *op, SymbolTableCollection &symbols) {
  if (auto kernel = dyn_cast<KernelOp>(op))
    return {kernel.getShapesAttr(), kernel.getDims()};
  auto launch = dyn_cast<LaunchOp>(op);
  if (!launch)
    return {};
  auto module =
      symbols.lookupNearestSymbolFrom<ModuleOp>(launch, launch.getKernelAttr());
  auto function =
      module ? module.lookupSymbol<func::FuncOp>(launch.getKernel()) : nullptr;
  if (!function)
    return {};
  return {function->getAttrOfType<ArrayAttr>("graph.shapes"), launch.getDims()};
}

void SizeAnalysis::visit(Operation *op) {
  auto [shapes, dims] = getKernelShapes(op, symbols);
  std::optional<Sizes> inferred;
  bool isStatic = llvm::all_of(op->getResultTypes(), [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && tensor.hasStaticShape();
  });
  // Demands on operands hold for static results as well, but types have
  // checked those where all is static.
  bool readsDynamic = llvm::any_of(op->getOperandTypes(), [](Type type) {
    auto tensor = dyn_cast<TensorType>(type);
    return tensor && !tensor.hasStaticShape();
  });
  if ((!isStatic || readsDynamic) && op->getNumResults() == 1 &&
      llvm::all_of(op->getOperandTypes(),
                   [](Type type) { return !isa<UnrankedTensorType>(type); }))
    inferred = SizeRules(*this, op).infer();
  for (auto [number, result] : llvm::enumerate(op->getResults())) {
    auto type = dyn_cast<RankedTensorType>(result.getType());
    if (!type)
      continue;
    Sizes own;
    if (number == 0 && inferred) {
      own = std::move(*inferred);
    } else if (shapes) {
      SmallVector<SizeExpr> symbols = llvm::map_to_vector(
          dims, [&](Value dim) { return context.fromValue(dim); });
      unsigned position = shapes.size() - op->getNumResults() + number;
      for (AffineExpr expr :
           cast<AffineMapAttr>(shapes[position]).getValue().getResults())
        own.push_back(context.evaluate(expr, symbols));
    } else {
      for (int64_t size : type.getShape())
        own.push_back(ShapedType::isDynamic(size) ? context.createUnknown()
                                                  : SizeExpr(size));
    }
    assign(result, own);
  }
  if (op->getNumResults() != 1 || !isShapeValue(op->getResult(0).getType()))
    return;
  if (auto pack = dyn_cast<PackSizesOp>(op)) {
    for (Value size : pack.getSizes())
      elements[pack.getResult()].push_back(context.fromValue(size));
    return;
  }
  if (std::optional<ShapeElements> known = evaluateShapeElements(op, *this))
    elements[op->getResult(0)] = std::move(*known);
}
