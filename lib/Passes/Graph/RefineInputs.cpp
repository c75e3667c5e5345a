// Fixes open sizes of inputs for which a model leaves no choice.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Dialect/Graph/IR/Graph.h"
#include "atc/Dialect/Graph/IR/SizeAnalysis.h"
#include "atc/Passes/Graph/Passes.h"

namespace mlir::atc {
#define GEN_PASS_DEF_REFINEINPUTSPASS
#include "atc/Passes/Graph/Passes.h.inc"
} // namespace mlir::atc

using namespace mlir;
using namespace mlir::atc;
using graph::SizeConstraint;
using graph::SizeExpr;

/// factor * dim + offset, where the dim is one of an input.
struct LinearSize {
  unsigned dim;
  int64_t factor, offset;
};

static std::optional<LinearSize> matchLinear(SizeExpr size) {
  const graph::SizePolynomial *polynomial = size.getPolynomial();
  if (!polynomial)
    return std::nullopt;
  int64_t offset = 0;
  ArrayRef<graph::SizeTerm> terms = polynomial->terms;
  if (terms.front().atoms.empty()) {
    offset = terms.front().coefficient;
    terms = terms.drop_front();
  }
  if (terms.size() != 1 || terms.front().atoms.size() != 1)
    return std::nullopt;
  unsigned atom = terms.front().atoms.front();
  if (polynomial->context->getAtom(atom).kind != graph::SizeAtomKind::InputDim)
    return std::nullopt;
  return LinearSize{atom, terms.front().coefficient, offset};
}

namespace {

struct RefineInputs : mlir::atc::impl::RefineInputsPassBase<RefineInputs> {
  using Base::Base;

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    bool isOpen = llvm::any_of(function.getArgumentTypes(), [](Type type) {
      auto tensor = dyn_cast<RankedTensorType>(type);
      return tensor && !tensor.hasStaticShape();
    });
    if (function.isExternal() || !isOpen)
      return;
    graph::SizeAnalysis analysis(function);
    for (const SizeConstraint &constraint : analysis.getConstraints())
      if (failed(solve(constraint)))
        return signalPassFailure();
    if (!values.empty())
      refine(function, analysis.getContext());
  }

private:
  /// Notes what a demand makes of a dim, if it leaves one value.
  LogicalResult solve(const SizeConstraint &constraint) {
    if (constraint.kind != SizeConstraint::Kind::Equal)
      return success();
    std::optional<LinearSize> linear =
        matchLinear(constraint.lhs - constraint.rhs);
    if (!linear || linear->offset % linear->factor != 0)
      return success();
    int64_t value = -(linear->offset / linear->factor);
    auto [entry, isNew] = values.try_emplace(linear->dim, value);
    if (isNew || entry->second == value)
      return success();
    return constraint.op->emitOpError()
           << constraint.what << " demand a size of " << value
           << " of an input, of which other ops demand " << entry->second;
  }

  void refine(func::FuncOp function, graph::SizeContext &context) {
    for (BlockArgument argument : function.getArguments()) {
      auto type = dyn_cast<RankedTensorType>(argument.getType());
      if (!type)
        continue;
      SmallVector<int64_t> shape(type.getShape());
      for (auto [axis, size] : llvm::enumerate(shape))
        if (std::optional<LinearSize> dim =
                matchLinear(context.getDim(argument, axis)))
          if (auto value = values.find(dim->dim); value != values.end())
            size = value->second;
      argument.setType(RankedTensorType::get(shape, type.getElementType(),
                                             type.getEncoding()));
    }
    // An input may be a result.
    Block &body = function.front();
    function.setType(
        FunctionType::get(&getContext(), body.getArgumentTypes(),
                          body.getTerminator()->getOperandTypes()));
  }

  /// By atom.
  DenseMap<unsigned, int64_t> values;
};

} // namespace
