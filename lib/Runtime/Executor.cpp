// The interpreter of plans.
// SPDX-License-Identifier: Apache-2.0
#include "Executor.h"

#include "atc/Support/CheckedMath.h"

#include <algorithm>
#include <cstring>

namespace atc {

Executor::Executor(const LoadedModel &model, SessionMemory &memory,
                   SessionPorts &ports, ScalarRegisters &registers,
                   Device *device)
    : model(model), plan(model.plan()), memory(memory), ports(ports),
      registers(registers), device(device), program(plan),
      addresses(program.operandCount), extents(program.operandCount),
      scalars(program.scalarCount), launchValues(program.launchCount),
      hostTensors(program.maxHostTensors), hostScalars(program.maxHostScalars),
      hostResults(program.maxHostResults) {}

static Status failed(std::string message) {
  return Status::error(ErrorCode::ExecutionFailed, std::move(message));
}

Status Executor::resolve(uint32_t view, TensorRef &tensor) const {
  uint64_t bytesToEnd;
  return memory.resolve(view, registers, tensor, bytesToEnd);
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

Status Executor::resolveLaunch(const LaunchInstruction &launch,
                               const Program::Step &step) {
  for (size_t i = 0; i < launch.operands.size(); ++i) {
    TensorRef tensor;
    uint64_t bytesToEnd;
    if (Status status = memory.resolve(launch.operands[i].view, registers,
                                       tensor, bytesToEnd);
        !status)
      return status;
    addresses[step.firstOperand + i] = tensor.data;
    extents[step.firstOperand + i] = {bytesToEnd, launch.operands[i].access};
  }
  for (size_t i = 0; i < launch.scalars.size(); ++i)
    scalars[step.firstScalar + i] = evaluate(launch.scalars[i], registers);
  int64_t tileCount = evaluate(launch.tileCount, registers);
  int64_t scratchBytes = evaluate(launch.scratchBytes, registers);
  if (tileCount < 0 || scratchBytes < 0)
    return failed("a launch has " + std::to_string(tileCount) + " tiles and " +
                  std::to_string(scratchBytes) + " bytes of scratch");
  auto estimate = [this](const PlanInt &value) {
    return static_cast<uint64_t>(
        std::max<int64_t>(0, evaluate(value, registers)));
  };
  launchValues[step.launchIndex] = {
      tileCount, static_cast<uint64_t>(scratchBytes), estimate(launch.flops),
      estimate(launch.bytes), false};
  return Status::success();
}

/// Launches whose operands do not depend on the body are resolved when shape or
/// port memory has changed, and not again while the body runs. One that cannot
/// be resolved may stand in a branch that this shape does not take; it is an
/// error only where it is executed.
void Executor::resolveEarlyLaunches() {
  if (!isStale)
    return;
  for (size_t i = 0; i < plan.body.size(); ++i) {
    auto *launch = std::get_if<LaunchInstruction>(&plan.body[i].operation);
    const Program::Step &step = program.steps[i];
    if (!launch || step.isLate)
      continue;
    Status status = resolveLaunch(*launch, step);
    launchValues[step.launchIndex].isResolved = status.ok();
  }
  isStale = false;
}

/// A kernel by what a user knows of it.
static std::string describe(const PlanKernel &kernel,
                            const std::string &source) {
  return "node '" + source + "'" +
         (kernel.opType.empty() ? "" : " (" + kernel.opType + ")") +
         ", kernel '" + kernel.name + "'";
}

Status Executor::execute(const LaunchInstruction &op, const Program::Step &step,
                         const std::string &source) {
  if (!launchValues[step.launchIndex].isResolved)
    if (Status status = resolveLaunch(op, step); !status)
      return status;
  const LaunchValues &values = launchValues[step.launchIndex];
  LaunchArguments arguments;
  arguments.kernel = op.kernel;
  arguments.launch = op.launch;
  arguments.buffers = addresses.data() + step.firstOperand;
  arguments.extents = extents.data() + step.firstOperand;
  arguments.bufferCount = op.operands.size();
  arguments.scalars = scalars.data() + step.firstScalar;
  arguments.scalarCount = op.scalars.size();
  arguments.tileCount = values.tileCount;
  arguments.scratchBytes = values.scratchBytes;
  arguments.flops = values.flops;
  arguments.bytes = values.bytes;
  uint64_t begin = profile ? profile->now() : 0;
  Expected<LaunchResult> result = device->launch(arguments);
  if (!result) {
    Diagnostic diagnostic = result.getDiagnostic();
    if (diagnostic.where.empty())
      diagnostic.where = describe(plan.kernels[op.kernel], source);
    return diagnostic;
  }
  if (!profile)
    return Status::success();
  // A simulated launch takes the time of its device, not of its simulation.
  uint64_t duration = profile->now() - begin;
  if (result->clockHz > 0)
    duration = static_cast<uint64_t>(result->cycles * 1e9 / result->clockHz);
  const PlanKernel &kernel = plan.kernels[op.kernel];
  profile->add({&kernel.name, &kernel.opType, &source, begin, duration,
                values.tileCount, result->threads, values.flops, values.bytes,
                result->cycles, std::move(result->units)});
  return Status::success();
}

//===----------------------------------------------------------------------===//
// Other instructions
//===----------------------------------------------------------------------===//

Status Executor::execute(const HostCallInstruction &op,
                         const std::string &source) {
  for (size_t i = 0; i < op.operands.size(); ++i)
    if (Status status = resolve(op.operands[i].view, hostTensors[i]); !status)
      return status;
  for (size_t i = 0; i < op.scalars.size(); ++i)
    hostScalars[i] = evaluate(op.scalars[i], registers);
  HostCall call;
  call.tensors = hostTensors.data();
  call.tensorCount = op.operands.size();
  call.scalars = hostScalars.data();
  call.scalarCount = op.scalars.size();
  call.results = hostResults.data();
  call.resultCount = op.results.size();
  call.attributes = op.attributes;
  uint64_t begin = profile ? profile->now() : 0;
  if (Status status = model.hostOps()[op.hostOp]->function(call); !status) {
    Diagnostic diagnostic = status.getDiagnostic();
    if (diagnostic.where.empty())
      diagnostic.where = source;
    return diagnostic;
  }
  for (size_t i = 0; i < op.results.size(); ++i)
    registers[op.results[i]] = hostResults[i];
  if (profile) {
    static const std::string hostType = "host";
    profile->add({&plan.hostOps[op.hostOp], &hostType, &source, begin,
                  profile->now() - begin, 1, 1, 0, 0, 0});
  }
  return Status::success();
}

Status Executor::execute(const CopyInstruction &op) {
  TensorRef source, destination;
  if (Status status = resolve(op.source, source); !status)
    return status;
  if (Status status = resolve(op.destination, destination); !status)
    return status;
  if (!std::equal(source.sizes.begin(), source.sizes.begin() + source.rank,
                  destination.sizes.begin()))
    return failed("a copy has two shapes");
  if (!copyTensor(source, destination))
    return failed("a copy of packed elements is not dense");
  return Status::success();
}

Status Executor::execute(const FillInstruction &op) {
  TensorRef tensor;
  if (Status status = resolve(op.view, tensor); !status)
    return status;
  if (!fillTensor(tensor, op.pattern))
    return failed("a fill of packed elements is not dense");
  return Status::success();
}

Status Executor::execute(const ZeroHaloInstruction &op) {
  TensorRef tensor;
  uint64_t bytesToEnd;
  if (Status status = memory.resolve(op.view, registers, tensor, bytesToEnd);
      !status)
    return status;
  std::array<int64_t, planformat::maxRank> low, high;
  // The extended box has to lie in the buffer too.
  int64_t bytes = elementTypeInfo(tensor.elementType).bits / 8;
  __int128 below = 0, above = bytes;
  bool isEmpty = false;
  for (uint32_t dim = 0; dim < tensor.rank; ++dim) {
    low[dim] = evaluate(op.low[dim], registers);
    high[dim] = evaluate(op.high[dim], registers);
    std::optional<int64_t> size = checkedAdd(low[dim], high[dim]);
    if (size)
      size = checkedAdd(*size, tensor.sizes[dim]);
    static constexpr int64_t limit = int64_t(1) << 40;
    if (low[dim] < 0 || high[dim] < 0 || !size || *size > limit)
      return failed("a halo has a malformed width");
    isEmpty |= *size == 0;
    __int128 step = static_cast<__int128>(tensor.strides[dim]) * bytes;
    __int128 first = -step * low[dim];
    __int128 last = step * (tensor.sizes[dim] - 1 + high[dim]);
    below += std::min(first, last);
    above += std::max(first, last);
  }
  if (isEmpty)
    return Status::success();
  uint64_t bytesBefore = memory.bytesBefore(op.view, tensor.data);
  if (below < -static_cast<__int128>(bytesBefore) ||
      above > static_cast<__int128>(bytesToEnd))
    return failed("a halo does not fit its buffer");
  zeroHalo(tensor, low.data(), high.data());
  return Status::success();
}

Expected<uint8_t *> Executor::element(uint32_t view,
                                      const std::vector<PlanInt> &index,
                                      TensorRef &tensor) const {
  if (Status status = resolve(view, tensor); !status)
    return status;
  int64_t offset = 0;
  for (uint32_t dim = 0; dim < tensor.rank; ++dim) {
    int64_t position = evaluate(index[dim], registers);
    if (position < 0 || position >= tensor.sizes[dim])
      return failed("index " + std::to_string(position) +
                    " is out of range for a dim of " +
                    std::to_string(tensor.sizes[dim]));
    offset += position * tensor.strides[dim];
  }
  return tensor.data +
         offset * int64_t(elementTypeInfo(tensor.elementType).bits / 8);
}

template <typename T>
static int64_t loadAs(const uint8_t *from) {
  T value;
  std::memcpy(&value, from, sizeof(T));
  return static_cast<int64_t>(value);
}

Status Executor::execute(const LoadScalarInstruction &op) {
  TensorRef tensor;
  Expected<uint8_t *> from = element(op.view, op.index, tensor);
  if (!from)
    return from.status();
  int64_t &result = registers[op.result];
  switch (tensor.elementType) {
  case ElementType::I8:
    result = loadAs<int8_t>(*from);
    break;
  case ElementType::I16:
    result = loadAs<int16_t>(*from);
    break;
  case ElementType::I32:
    result = loadAs<int32_t>(*from);
    break;
  case ElementType::I64:
    result = loadAs<int64_t>(*from);
    break;
  case ElementType::U16:
    result = loadAs<uint16_t>(*from);
    break;
  case ElementType::U32:
    result = loadAs<uint32_t>(*from);
    break;
  case ElementType::U64:
    result = loadAs<uint64_t>(*from);
    if (result < 0)
      return failed("an unsigned value exceeds 63 bits");
    break;
  case ElementType::BOOL:
    result = **from != 0;
    break;
  default: // U8; the plan's check admits no other type.
    result = **from;
    break;
  }
  return Status::success();
}

Status Executor::execute(const StoreScalarInstruction &op) {
  TensorRef tensor;
  Expected<uint8_t *> to = element(op.view, op.index, tensor);
  if (!to)
    return to.status();
  int64_t value = evaluate(op.value, registers);
  if (tensor.elementType == ElementType::BOOL) {
    **to = value != 0;
    return Status::success();
  }
  unsigned bits = elementTypeInfo(tensor.elementType).bits;
  bool isSigned = tensor.elementType == ElementType::I8 ||
                  tensor.elementType == ElementType::I16 ||
                  tensor.elementType == ElementType::I32 ||
                  tensor.elementType == ElementType::I64;
  // What remains above the type's value bits is the sign, or nothing.
  unsigned valueBits = std::min(63u, isSigned ? bits - 1 : bits);
  int64_t rest = valueBits == 63 ? value >> 63 : value >> valueBits;
  if (rest != 0 && !(isSigned && rest == -1))
    return failed("the value " + std::to_string(value) + " does not fit " +
                  std::string(elementTypeInfo(tensor.elementType).text));
  for (unsigned i = 0; i < bits / 8; ++i)
    (*to)[i] = static_cast<uint8_t>(static_cast<uint64_t>(value) >> (8 * i));
  return Status::success();
}

Status Executor::execute(const AllocateInstruction &op) {
  const PlanBuffer &buffer = plan.buffers[op.buffer];
  if (buffer.space != BufferSpace::Output)
    return memory.allocate(op.buffer, registers);
  Expected<uint64_t> bytes = memory.bytesOf(op.buffer, registers);
  if (!bytes)
    return bytes.status();
  Expected<uint8_t *> data = ports.prepareOutput(buffer.port, *bytes);
  if (!data)
    return data.status();
  memory.bind(op.buffer, *data, *bytes);
  return Status::success();
}

Status Executor::execute(const FreeInstruction &op) {
  memory.free(op.buffer);
  return Status::success();
}

//===----------------------------------------------------------------------===//
// The loop
//===----------------------------------------------------------------------===//

/// Executes the instruction at `position` and moves on.
Status Executor::step(uint32_t &position) {
  using planformat::Opcode;
  const PlanInstruction &instruction = plan.body[position];
  const PlanOperation &operation = instruction.operation;
  const Program::Step &prepared = program.steps[position];
  ++position;
  auto jumpUnless = [&](const PlanInt &condition) {
    if (evaluate(condition, registers) == 0)
      position = prepared.target;
    return Status::success();
  };
  switch (static_cast<Opcode>(operation.index())) {
  case Opcode::Launch:
    return execute(*std::get_if<LaunchInstruction>(&operation), prepared,
                   instruction.source);
  case Opcode::HostCall:
    return execute(*std::get_if<HostCallInstruction>(&operation),
                   instruction.source);
  case Opcode::Copy:
    return execute(*std::get_if<CopyInstruction>(&operation));
  case Opcode::Fill:
    return execute(*std::get_if<FillInstruction>(&operation));
  case Opcode::ZeroHalo:
    return execute(*std::get_if<ZeroHaloInstruction>(&operation));
  case Opcode::Scalar:
    return executeScalar(*std::get_if<ScalarInstruction>(&operation),
                         registers);
  case Opcode::LoadScalar:
    return execute(*std::get_if<LoadScalarInstruction>(&operation));
  case Opcode::StoreScalar:
    return execute(*std::get_if<StoreScalarInstruction>(&operation));
  case Opcode::Check:
    return executeCheck(*std::get_if<CheckInstruction>(&operation), registers,
                        instruction.source);
  case Opcode::If:
    return jumpUnless(std::get_if<IfInstruction>(&operation)->condition);
  case Opcode::LoopTest:
    return jumpUnless(std::get_if<LoopTestInstruction>(&operation)->condition);
  case Opcode::Else:
  case Opcode::EndLoop:
    position = prepared.target;
    return Status::success();
  case Opcode::EndIf:
  case Opcode::Loop:
    return Status::success();
  case Opcode::Allocate:
    return execute(*std::get_if<AllocateInstruction>(&operation));
  case Opcode::Free:
    return execute(*std::get_if<FreeInstruction>(&operation));
  }
  return failed("unknown instruction");
}

Status Executor::run() {
  resolveEarlyLaunches();
  for (uint32_t position = 0; position < plan.body.size();) {
    const PlanInstruction &instruction = plan.body[position];
    if (Status status = step(position); !status) {
      Diagnostic diagnostic = status.getDiagnostic();
      if (diagnostic.where.empty())
        diagnostic.where = instruction.source;
      return diagnostic;
    }
    if (dump)
      if (Status status = dumpWritten(instruction); !status)
        return status;
  }
  return Status::success();
}

Status Executor::dumpView(uint32_t index, const std::string &source) {
  const PlanView &view = plan.views[index];
  if (view.name.empty())
    return Status::success();
  TensorRef tensor;
  if (Status status = resolve(index, tensor); !status)
    return status;
  TensorRef dense = tensor;
  dense.layout = nullptr;
  dense.setDenseStrides();
  std::optional<int64_t> bytes =
      elementBytes(tensor.elementType, tensor.elementCount());
  if (!bytes)
    return Status::success();
  std::vector<uint8_t> copy(*bytes);
  dense.data = copy.data();
  if (copyTensor(tensor, dense))
    dump(view.name, source, dense);
  return Status::success();
}

Status Executor::dumpWritten(const PlanInstruction &instruction) {
  const std::vector<PlanOperand> *operands = nullptr;
  const PlanOperation &operation = instruction.operation;
  if (auto *launch = std::get_if<LaunchInstruction>(&operation))
    operands = &launch->operands;
  else if (auto *call = std::get_if<HostCallInstruction>(&operation))
    operands = &call->operands;
  else if (auto *copy = std::get_if<CopyInstruction>(&operation))
    return dumpView(copy->destination, instruction.source);
  else if (auto *fill = std::get_if<FillInstruction>(&operation))
    return dumpView(fill->view, instruction.source);
  if (!operands)
    return Status::success();
  for (const PlanOperand &operand : *operands)
    if (operand.access != Access::Read)
      if (Status status = dumpView(operand.view, instruction.source); !status)
        return status;
  return Status::success();
}

} // namespace atc
