// From the plan dialect to the structs that the runtime reads.
// SPDX-License-Identifier: Apache-2.0
#include "PlanTranslation.h"
#include "PlanTranslator.h"
#include "SourceNames.h"
#include "atc/Support/KernelAbi.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::atc;

LogicalResult PlanTranslator::translateOp(Operation *op) {
  return TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](plan::InputOp port) { return addInput(port); })
      .Case([&](plan::OutputOp port) { return addOutput(port); })
      .Case([&](plan::WeightOp weight) {
        return addConstant(op, weight.getBuffer(), weight.getSymbolAttr());
      })
      .Case([&](plan::ConstantOp constant) {
        return addConstant(op, constant.getBuffer(), constant.getValueAttr());
      })
      .Case([&](plan::ArenaOp arena) { return addArena(arena); })
      .Case([&](plan::VariableOp variable) { return addVariable(variable); })
      .Case([&](plan::ViewOp view) { return addView(view); })
      // Its port has bound it.
      .Case([&](plan::DimOp) { return success(); })
      .Case([&](plan::LaunchOp launch) { return addLaunch(launch); })
      .Case([&](plan::HostCallOp call) { return addHostCall(call); })
      .Case([&](plan::CopyOp copy) {
        append(op, ::atc::CopyInstruction{useView(copy.getSource()),
                                          useView(copy.getDestination())});
        return success();
      })
      .Case([&](plan::FillOp fill) {
        append(op, ::atc::FillInstruction{
                       useView(fill.getView()),
                       static_cast<uint64_t>(fill.getPattern())});
        return success();
      })
      .Case([&](plan::ZeroHaloOp zero) {
        ::atc::ZeroHaloInstruction instruction;
        instruction.view = useView(zero.getView());
        instruction.low.assign(zero.getLow().begin(), zero.getLow().end());
        instruction.high.assign(zero.getHigh().begin(), zero.getHigh().end());
        append(op, std::move(instruction));
        return success();
      })
      .Case([&](plan::LoadScalarOp load) {
        ::atc::LoadScalarInstruction instruction;
        instruction.view = useView(load.getView());
        instruction.index = getScalars(load.getIndices());
        instruction.result = scalars.defineRegister(load.getValue());
        append(op, std::move(instruction));
        return success();
      })
      .Case([&](plan::StoreScalarOp store) {
        ::atc::StoreScalarInstruction instruction;
        instruction.view = useView(store.getView());
        instruction.index = getScalars(store.getIndices());
        instruction.value = scalars.get(store.getValue());
        append(op, std::move(instruction));
        return success();
      })
      .Case([&](plan::CheckOp check) {
        bool isEarly =
            op->getParentOp() == program && scalars.areKnownEarly(op);
        (isEarly ? plan.prologue : plan.body)
            .push_back(
                {::atc::CheckInstruction{scalars.get(check.getCondition()),
                                         check.getMessage().str()},
                 joinSourceNames(op->getLoc())});
        return success();
      })
      .Case([&](plan::AllocateOp allocate) {
        append(op, ::atc::AllocateInstruction{
                       buffers.lookup(allocate.getBuffer())});
        return success();
      })
      .Case([&](plan::FreeOp free) {
        append(op, ::atc::FreeInstruction{buffers.lookup(free.getBuffer())});
        return success();
      })
      .Case([&](scf::IfOp ifOp) { return addIf(ifOp); })
      .Case([&](scf::WhileOp whileOp) { return addWhile(whileOp); })
      // Their operands are moved by the op around them.
      .Case<scf::YieldOp, scf::ConditionOp>([](auto) { return success(); })
      .Default([&](Operation *scalar) { return addScalar(scalar); });
}

LogicalResult PlanTranslator::translateBlock(Block &block) {
  for (Operation &op : block)
    if (failed(translateOp(&op)))
      return failure();
  return success();
}

LogicalResult PlanTranslator::translate() {
  plan.arenaBytes = program.getArenaBytes().value_or(0);
  plan.arenaLowerBound = program.getLowerBound().value_or(0);
  return translateBlock(program.getBody().front());
}

FailureOr<::atc::Plan>
mlir::atc::translatePlan(plan::ProgramOp program, const WeightLayout &weights,
                         const Target &target, ArrayRef<CodeImage> images,
                         ArrayRef<uint64_t> imageOffsets) {
  PlanTranslator translator(program, weights, images);
  if (failed(translator.translate()))
    return failure();
  ::atc::Plan &plan = translator.plan;
  plan.targetKind = target.getKind();
  plan.targetName = target.getName().str();
  if (plan.targetKind == ::atc::TargetKind::Cpu)
    plan.importCount = sizeof(atc_kernel_imports) / sizeof(void *);
  for (auto [image, offset] : llvm::zip_equal(images, imageOffsets))
    plan.codeImages.push_back(
        {image.level, image.features, offset, image.bytes.size()});
  return std::move(plan);
}
