// Converts what templates build to the LLVM dialect.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Codegen/Cpu/Passes.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVM.h"
#include "mlir/Conversion/IndexToLLVM/IndexToLLVM.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/Transforms/LoweringPatterns.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

namespace mlir::atc::cpu {
#define GEN_PASS_DEF_CONVERTTOLLVMPASS
#include "atc/Codegen/Cpu/Passes.h.inc"
} // namespace mlir::atc::cpu

using namespace mlir;
using namespace mlir::atc;
using namespace mlir::atc::cpu;

/// Makes bf16 16-bit integers. Arithmetic is in f32 by now and bf16 only moves,
/// but LLVM would move a scalar of it through f32, by functions that kernels
/// do not have.
static void moveBf16AsInteger(ModuleOp module) {
  auto integer = IntegerType::get(module.getContext(), 16);
  AttrTypeReplacer replacer;
  replacer.addReplacement([&](BFloat16Type) { return integer; });
  replacer.addReplacement([&](FloatAttr value) -> std::optional<Attribute> {
    if (!value.getType().isBF16())
      return std::nullopt;
    return IntegerAttr::get(integer, value.getValue().bitcastToAPInt());
  });
  replacer.addReplacement(
      [&](DenseElementsAttr value) -> std::optional<Attribute> {
        if (!value.getElementType().isBF16())
          return std::nullopt;
        return value.bitcast(integer);
      });
  replacer.recursivelyReplaceElementsIn(module, /*replaceAttrs=*/true,
                                        /*replaceLocs=*/false,
                                        /*replaceTypes=*/true);
}

namespace {

struct ConvertToLlvm : public cpu::impl::ConvertToLlvmPassBase<ConvertToLlvm> {
  using Base::Base;

  LogicalResult initialize(MLIRContext *context) override {
    LowerToLLVMOptions options(context);
    converter = std::make_shared<LLVMTypeConverter>(context, options);
    RewritePatternSet vectors(context);
    vector::populateVectorStepLoweringPatterns(vectors);
    vectorPatterns = std::move(vectors);

    RewritePatternSet loops(context);
    populateSCFToControlFlowConversionPatterns(loops);
    loopPatterns = std::move(loops);

    RewritePatternSet all(context);
    cf::populateControlFlowToLLVMConversionPatterns(*converter, all);
    arith::populateArithToLLVMConversionPatterns(*converter, all);
    populateMathToLLVMConversionPatterns(*converter, all);
    populateFinalizeMemRefToLLVMConversionPatterns(*converter, all);
    index::populateIndexToLLVMConversionPatterns(*converter, all);
    populateVectorToLLVMConversionPatterns(*converter, all);
    ub::populateUBToLLVMConversionPatterns(*converter, all);
    populateFuncToLLVMConversionPatterns(*converter, all);
    patterns = std::move(all);
    return success();
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    moveBf16AsInteger(module);
    walkAndApplyPatterns(module, vectorPatterns);
    // Loops first: their patterns replace values that the other patterns of one
    // conversion would already have converted.
    ConversionTarget loopTarget(getContext());
    loopTarget.addIllegalDialect<scf::SCFDialect>();
    loopTarget.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
    if (failed(applyPartialConversion(module, loopTarget, loopPatterns)))
      return signalPassFailure();
    LLVMConversionTarget target(getContext());
    target.addLegalOp<ModuleOp>();
    ConversionConfig config;
    config.allowPatternRollback = false;
    if (failed(applyFullConversion(module, target, patterns, config)))
      return signalPassFailure();
    SmallVector<UnrealizedConversionCastOp> casts;
    module.walk(
        [&](UnrealizedConversionCastOp cast) { casts.push_back(cast); });
    reconcileUnrealizedCasts(casts);
  }

private:
  std::shared_ptr<LLVMTypeConverter> converter;
  FrozenRewritePatternSet vectorPatterns, loopPatterns, patterns;
};

} // namespace
