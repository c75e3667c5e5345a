// Stops at tensors that no kernel can take.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Dialect/Graph/IR/Graph.h"
#include "atc/Dialect/Graph/IR/SizeAnalysis.h"
#include "atc/Passes/CodedError.h"
#include "atc/Passes/Kernel/Passes.h"
#include "atc/Support/TensorLimits.h"
#include "atc/Target/Services.h"

namespace mlir::atc {
#define GEN_PASS_DEF_CHECKTENSORSPASS
#include "atc/Passes/Kernel/Passes.h.inc"
} // namespace mlir::atc

using namespace mlir;
using namespace mlir::atc;

static bool holdsOtherThanNumbers(Type type) {
  auto tensor = dyn_cast<TensorType>(type);
  return tensor && !tensor.getElementType().isIntOrFloat();
}

static bool hasTooManyDims(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.getRank() > ::atc::maxTensorRank;
}

/// "[?, 3, 48, ?]", or "of unknown rank". A hostile model may have any number
/// of dims.
static std::string formatShape(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return "of unknown rank";
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << '[';
  constexpr size_t maxShown = 2 * ::atc::maxTensorRank;
  llvm::interleaveComma(tensor.getShape().take_front(maxShown), stream,
                        [&](int64_t size) {
                          if (ShapedType::isDynamic(size))
                            stream << '?';
                          else
                            stream << size;
                        });
  stream << (tensor.getShape().size() > maxShown ? ", ...]" : "]");
  return text;
}

/// Tells why `what`, a tensor of that type, is refused. `because` ends the
/// sentence about an open size.
static void emitRefusal(Location loc, const Twine &what, Type type,
                        StringRef because) {
  if (hasTooManyDims(type))
    withCode(emitError(loc), ::atc::ErrorCode::KernelCompilation)
        << what << " is " << formatShape(type) << ", "
        << cast<RankedTensorType>(type).getRank()
        << " dims, and tensors have at most " << ::atc::maxTensorRank;
  else if (holdsOtherThanNumbers(type))
    withCode(emitError(loc), ::atc::ErrorCode::UnsupportedType)
        << what << " has elements of type "
        << cast<TensorType>(type).getElementType()
        << ", and kernels take numbers only";
  else
    withCode(emitError(loc), ::atc::ErrorCode::DynamicShape)
        << what << " is " << formatShape(type) << because;
}

namespace {

struct CheckTensors : mlir::atc::impl::CheckTensorsPassBase<CheckTensors> {
  using Base::Base;

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.isExternal())
      return;
    target = Services::getTarget(function->getParentOfType<ModuleOp>());
    if (!target)
      return signalPassFailure();
    graph::SizeAnalysis analysis(function);
    sizes = &analysis;
    // Inputs come first: they are the cause of what is refused behind them, and
    // the user can change them.
    if (refusesInputs(function) || refusesResults(function))
      signalPassFailure();
  }

private:
  /// Whether a size of the tensor is not to be had when kernels run.
  bool hasOpenSize(Value value) const {
    auto tensor = dyn_cast<TensorType>(value.getType());
    if (!tensor || tensor.hasStaticShape())
      return false;
    return !tensor.hasRank() || !target->takesOpenSizes() ||
           !llvm::all_of(sizes->getSizes(value),
                         [](graph::SizeExpr size) { return size.isKnown(); });
  }

  bool isRefused(Value value) const {
    return hasOpenSize(value) || holdsOtherThanNumbers(value.getType()) ||
           hasTooManyDims(value.getType());
  }

  bool refusesInputs(func::FuncOp function) const {
    bool refuses = false;
    for (BlockArgument argument : function.getArguments()) {
      if (!isRefused(argument))
        continue;
      auto name = function.getArgAttrOfType<StringAttr>(
          argument.getArgNumber(), graph::GraphDialect::getNameAttrName());
      auto tensor = dyn_cast<TensorType>(argument.getType());
      emitRefusal(function.getLoc(),
                  "input '" + (name ? name.getValue() : StringRef("?")) + "'",
                  argument.getType(),
                  tensor && tensor.hasRank()
                      ? StringRef(", and kernels are made for known sizes")
                      : StringRef(", and kernels are made for known ranks"));
      refuses = true;
    }
    return refuses;
  }

  bool refusesResults(func::FuncOp function) const {
    bool refuses = false;
    for (Operation &op : function.front()) {
      auto isRefusedHere = [&](Value value) { return isRefused(value); };
      if (llvm::any_of(op.getOperands(), isRefusedHere))
        continue;
      for (Value result :
           llvm::make_filter_range(op.getResults(), isRefusedHere)) {
        emitRefusal(op.getLoc(), "the result", result.getType(),
                    ": its size depends on the data");
        refuses = true;
      }
    }
    return refuses;
  }

  const Target *target = nullptr;
  graph::SizeAnalysis *sizes = nullptr;
};

} // namespace
