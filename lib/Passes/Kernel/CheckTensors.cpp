// Stops at tensors that no kernel can take.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Dialect/Graph/IR/Graph.h"
#include "atc/Passes/CodedError.h"
#include "atc/Passes/Kernel/Passes.h"

namespace mlir::atc {
#define GEN_PASS_DEF_CHECKTENSORSPASS
#include "atc/Passes/Kernel/Passes.h.inc"
} // namespace mlir::atc

using namespace mlir;
using namespace mlir::atc;

static bool hasOpenSize(Type type) {
  auto tensor = dyn_cast<TensorType>(type);
  return tensor && !tensor.hasStaticShape();
}

static bool holdsOtherThanNumbers(Type type) {
  auto tensor = dyn_cast<TensorType>(type);
  return tensor && !tensor.getElementType().isIntOrFloat();
}

static bool isRefused(Type type) {
  return hasOpenSize(type) || holdsOtherThanNumbers(type);
}

/// "[?, 3, 48, ?]", or "of unknown rank".
static std::string formatShape(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return "of unknown rank";
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << '[';
  llvm::interleaveComma(tensor.getShape(), stream, [&](int64_t size) {
    if (ShapedType::isDynamic(size))
      stream << '?';
    else
      stream << size;
  });
  stream << ']';
  return text;
}

/// Tells why `what`, a tensor of that type, is refused. `because` ends the
/// sentence about an open size.
static void emitRefusal(Location loc, const Twine &what, Type type,
                        StringRef because) {
  if (holdsOtherThanNumbers(type))
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
    // Inputs come first: they are the cause of what is refused behind them, and
    // the user can change them.
    if (!function.isExternal() &&
        (refusesInputs(function) || refusesResults(function)))
      signalPassFailure();
  }

private:
  static bool refusesInputs(func::FuncOp function) {
    bool refuses = false;
    for (BlockArgument argument : function.getArguments()) {
      if (!isRefused(argument.getType()))
        continue;
      auto name = function.getArgAttrOfType<StringAttr>(
          argument.getArgNumber(), graph::GraphDialect::getNameAttrName());
      emitRefusal(function.getLoc(),
                  "input '" + (name ? name.getValue() : StringRef("?")) + "'",
                  argument.getType(), ", and kernels are made for known sizes");
      refuses = true;
    }
    return refuses;
  }

  static bool refusesResults(func::FuncOp function) {
    bool refuses = false;
    for (Operation &op : function.front()) {
      if (llvm::any_of(op.getOperandTypes(), isRefused))
        continue;
      for (Type type :
           llvm::make_filter_range(op.getResultTypes(), isRefused)) {
        emitRefusal(op.getLoc(), "the result", type,
                    ": its size depends on the data");
        refuses = true;
      }
    }
    return refuses;
  }
};

} // namespace
