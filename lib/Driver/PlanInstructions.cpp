// Launches, host calls, scalars and control flow of a plan.
// SPDX-License-Identifier: Apache-2.0
#include "PlanTranslator.h"
#include "SourceNames.h"

using namespace mlir;
using namespace mlir::atc;
using ::atc::PlanInt;

void PlanTranslator::append(Operation *op, ::atc::PlanOperation operation) {
  plan.body.push_back({std::move(operation), joinSourceNames(op->getLoc())});
}

void PlanTranslator::useBuffer(uint32_t index) {
  ::atc::PlanBuffer &buffer = plan.buffers[index];
  if (buffer.space != ::atc::BufferSpace::Arena)
    return;
  // A buffer from outside a loop lives from the loop's begin; its end is set
  // when the loop is closed.
  uint32_t now = plan.body.size();
  for (const OpenLoop &loop : loops)
    if (index < loop.bufferCount) {
      now = loop.begin;
      break;
    }
  buffer.firstUse = isUsed[index] ? std::min(buffer.firstUse, now) : now;
  buffer.lastUse = std::max<uint32_t>(buffer.lastUse, plan.body.size());
  isUsed.set(index);
}

uint32_t PlanTranslator::useView(Value view) {
  uint32_t index = views.lookup(view);
  useBuffer(plan.views[index].buffer);
  return index;
}

std::vector<::atc::PlanOperand>
PlanTranslator::getOperands(Operation *op, ValueRange views,
                            ArrayRef<int32_t> accesses) {
  std::vector<::atc::PlanOperand> operands;
  SmallVector<SourceNode> nodes = getSourceNodes(op->getLoc());
  for (auto [value, access] : llvm::zip_equal(views, accesses)) {
    uint32_t index = useView(value);
    operands.push_back({index, static_cast<::atc::Access>(access)});
    ::atc::PlanView &view = plan.views[index];
    if (operands.back().access != ::atc::Access::Read && view.name.empty() &&
        !nodes.empty())
      view.name = nodes.back().name.str();
  }
  return operands;
}

std::vector<PlanInt> PlanTranslator::getScalars(ValueRange values) {
  std::vector<PlanInt> result;
  for (Value value : values)
    result.push_back(scalars.get(value));
  return result;
}

FailureOr<uint32_t> PlanTranslator::getKernel(plan::LaunchOp launch) {
  auto [it, isNew] =
      kernels.try_emplace(launch.getKernelAttr(), plan.kernels.size());
  uint32_t index = it->second;
  StringRef name = launch.getKernel();
  if (isNew) {
    ::atc::PlanKernel kernel;
    kernel.name = name.str();
    kernel.bufferCount = launch.getViews().size();
    kernel.scalarCount = launch.getScalars().size();
    SmallVector<SourceNode> nodes = getSourceNodes(launch.getLoc());
    for (const SourceNode &node : nodes)
      if (!node.opType.empty() && kernel.opType.empty())
        kernel.opType = node.opType.str();
    plan.kernels.push_back(std::move(kernel));
  }
  ::atc::PlanKernel &kernel = plan.kernels[index];
  for (uint32_t number = kernel.launches.size(); number <= launch.getLaunch();
       ++number) {
    std::string entryName =
        number == 0 ? name.str() : (name + "." + Twine(number)).str();
    ::atc::PlanKernel::Launch entry;
    for (const CodeImage &image : images) {
      auto found = image.entries.find(entryName);
      if (found == image.entries.end())
        return launch.emitOpError("expects code for '") << entryName << "'";
      entry.entries.push_back(found->second);
    }
    kernel.launches.push_back(std::move(entry));
  }
  return index;
}

LogicalResult PlanTranslator::addLaunch(plan::LaunchOp launch) {
  FailureOr<uint32_t> kernel = getKernel(launch);
  if (failed(kernel))
    return failure();
  ::atc::LaunchInstruction instruction;
  instruction.kernel = *kernel;
  instruction.launch = launch.getLaunch();
  instruction.operands =
      getOperands(launch, launch.getViews(), launch.getAccesses());
  instruction.scalars = getScalars(launch.getScalars());
  auto number = [&](Value value, int64_t integer) {
    return value ? scalars.get(value) : PlanInt(integer);
  };
  instruction.tileCount = number(launch.getTiles(), launch.getStaticTiles());
  instruction.scratchBytes =
      number(launch.getScratch(), launch.getStaticScratch());
  instruction.flops = number(launch.getFlops(), launch.getStaticFlops());
  instruction.bytes = number(launch.getTraffic(), launch.getStaticTraffic());
  append(launch, std::move(instruction));
  return success();
}

LogicalResult PlanTranslator::addHostCall(plan::HostCallOp call) {
  auto [it, isNew] =
      hostOps.try_emplace(call.getCalleeAttr(), plan.hostOps.size());
  if (isNew)
    plan.hostOps.push_back(call.getCallee().str());
  ::atc::HostCallInstruction instruction;
  instruction.hostOp = it->second;
  instruction.operands = getOperands(call, call.getViews(), call.getAccesses());
  instruction.scalars = getScalars(call.getScalars());
  for (Value result : call.getScalarResults())
    instruction.results.push_back(scalars.defineRegister(result));
  if (DictionaryAttr parameters = call.getParametersAttr();
      parameters && !parameters.empty())
    return call.emitOpError("has parameters, which host operators do not take "
                            "yet");
  append(call, std::move(instruction));
  return success();
}

LogicalResult PlanTranslator::addScalar(Operation *op) {
  bool isEarly = op->getParentOp() == program && scalars.areKnownEarly(op);
  FailureOr<SmallVector<::atc::ScalarInstruction>> instructions =
      scalars.translate(op, isEarly);
  if (failed(instructions))
    return failure();
  auto &list = isEarly ? plan.prologue : plan.body;
  for (const ::atc::ScalarInstruction &instruction : *instructions)
    list.push_back({instruction, std::string()});
  return success();
}

void PlanTranslator::moveScalars(Operation *op, ValueRange sources,
                                 ValueRange targets) {
  // Through temporaries where a source may be overwritten before it is read.
  std::vector<PlanInt> values = getScalars(sources);
  if (values.size() > 1)
    for (PlanInt &value : values) {
      ::atc::ScalarInstruction move;
      move.result = plan.registerCount++;
      move.a = value;
      value = PlanInt::reg(move.result);
      append(op, move);
    }
  for (auto [value, target] : llvm::zip_equal(values, targets)) {
    ::atc::ScalarInstruction move;
    move.result = scalars.get(target).registerIndex();
    move.a = value;
    append(op, move);
  }
}

LogicalResult PlanTranslator::addIf(scf::IfOp ifOp) {
  for (Value result : ifOp.getResults())
    scalars.defineRegister(result);
  append(ifOp, ::atc::IfInstruction{scalars.get(ifOp.getCondition())});
  if (failed(translateBlock(ifOp.getThenRegion().front())))
    return failure();
  moveScalars(ifOp, ifOp.thenYield().getResults(), ifOp.getResults());
  if (!ifOp.getElseRegion().empty()) {
    append(ifOp, ::atc::ElseInstruction{});
    if (failed(translateBlock(ifOp.getElseRegion().front())))
      return failure();
    moveScalars(ifOp, ifOp.elseYield().getResults(), ifOp.getResults());
  }
  append(ifOp, ::atc::EndIfInstruction{});
  return success();
}

LogicalResult PlanTranslator::addWhile(scf::WhileOp whileOp) {
  Block &before = whileOp.getBefore().front();
  Block &after = whileOp.getAfter().front();
  for (Value argument : before.getArguments())
    scalars.defineRegister(argument);
  for (auto [argument, result] :
       llvm::zip_equal(after.getArguments(), whileOp.getResults())) {
    uint32_t index = scalars.defineRegister(argument);
    scalars.define(result, PlanInt::reg(index), /*isKnownEarly=*/false);
  }
  moveScalars(whileOp, whileOp.getInits(), before.getArguments());
  loops.push_back(
      {static_cast<uint32_t>(plan.body.size()), plan.buffers.size()});
  append(whileOp, ::atc::LoopInstruction{});
  if (failed(translateBlock(before)))
    return failure();
  auto condition = cast<scf::ConditionOp>(before.getTerminator());
  moveScalars(whileOp, condition.getArgs(), after.getArguments());
  append(whileOp,
         ::atc::LoopTestInstruction{scalars.get(condition.getCondition())});
  if (failed(translateBlock(after)))
    return failure();
  moveScalars(whileOp, after.getTerminator()->getOperands(),
              before.getArguments());
  OpenLoop loop = loops.pop_back_val();
  for (size_t i = 0; i < loop.bufferCount; ++i)
    if (isUsed[i] && plan.buffers[i].lastUse >= loop.begin)
      plan.buffers[i].lastUse = plan.body.size();
  append(whileOp, ::atc::EndLoopInstruction{});
  return success();
}
