// Stops where a size is left open that kernels need to know.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Dialect/Graph/IR/Graph.h"
#include "atc/Passes/Kernel/Passes.h"
#include "atc/Support/Diagnostic.h"

namespace mlir::atc {
#define GEN_PASS_DEF_CHECKSTATICSHAPESPASS
#include "atc/Passes/Kernel/Passes.h.inc"
} // namespace mlir::atc

using namespace mlir;
using namespace mlir::atc;

static bool hasOpenSize(Type type) {
  auto tensor = dyn_cast<TensorType>(type);
  return tensor && !tensor.hasStaticShape();
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

static InFlightDiagnostic emitOpenSize(Location loc) {
  InFlightDiagnostic diagnostic = emitError(loc);
  diagnostic.getUnderlyingDiagnostic()->getMetadata().emplace_back(
      static_cast<int64_t>(::atc::ErrorCode::DynamicShape));
  return diagnostic;
}

namespace {

struct CheckStaticShapes
    : mlir::atc::impl::CheckStaticShapesPassBase<CheckStaticShapes> {
  using Base::Base;

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.isExternal())
      return;
    // Open inputs come first: they are the cause of all that is open behind
    // them, and the user can close them.
    bool isOpen = false;
    for (BlockArgument argument : function.getArguments()) {
      if (!hasOpenSize(argument.getType()))
        continue;
      auto name = function.getArgAttrOfType<StringAttr>(
          argument.getArgNumber(), graph::GraphDialect::getNameAttrName());
      emitOpenSize(function.getLoc())
          << "input '" << (name ? name.getValue() : StringRef("?")) << "' is "
          << formatShape(argument.getType())
          << ", and kernels are made for known sizes";
      isOpen = true;
    }
    if (isOpen)
      return signalPassFailure();
    for (Operation &op : function.front())
      if (originatesOpenSize(&op)) {
        emitOpenSize(op.getLoc())
            << "the result is " << formatShape(op.getResult(0).getType())
            << ": its size depends on the data";
        isOpen = true;
      }
    if (isOpen)
      signalPassFailure();
  }

private:
  static bool originatesOpenSize(Operation *op) {
    return llvm::any_of(op->getResultTypes(), hasOpenSize) &&
           llvm::none_of(op->getOperandTypes(), hasOpenSize);
  }
};

} // namespace
