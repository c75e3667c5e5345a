// Runs of a loaded model.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Runtime/Session.h"

#include "Executor.h"
#include "SessionMemory.h"
#include "SessionPorts.h"

#include "atc/Runtime/ThreadPool.h"

#include <cstring>

namespace atc {

struct Session::State {
  explicit State(std::shared_ptr<const LoadedModel> loaded,
                 std::unique_ptr<Device> device)
      : model(std::move(loaded)), device(std::move(device)),
        registers(model->plan().registerCount), memory(*model),
        ports(model->plan()),
        executor(*model, memory, ports, registers, this->device.get()) {}

  Status prepareShape();
  Status prepareInputs();
  Status prepareOutputs();
  Status collectOutputs();

  std::shared_ptr<const LoadedModel> model;
  std::unique_ptr<Device> device;
  ScalarRegisters registers;
  SessionMemory memory;
  SessionPorts ports;
  Executor executor;
  Profile profile;

  /// Sizes of the symbols in the last run, and the registers after the prologue
  /// that they led to.
  bool hasShape = false;
  std::vector<int64_t> shape, lastShape;
  ScalarRegisters shapeRegisters;
  /// Memory of the ports in the last run.
  std::vector<uint8_t *> inputData, outputData;
};

Session::Session(std::unique_ptr<State> state) : state(std::move(state)) {}
Session::~Session() = default;

Expected<std::unique_ptr<Session>>
Session::create(std::shared_ptr<const LoadedModel> model,
                const SessionOptions &options) {
  unsigned threads =
      options.threads ? options.threads : ThreadPool::hardwareThreads();
  static constexpr unsigned maxThreads = 1024;
  if (threads > maxThreads)
    return Status::error(ErrorCode::InvalidArgument,
                         std::to_string(threads) + " threads, expects up to " +
                             std::to_string(maxThreads));
  Expected<std::unique_ptr<Device>> device =
      options.device == DeviceKind::Cpu
          ? createCpuDevice(model, threads)
          : createSimulatorDevice(model, options.strictSimulation);
  if (!device)
    return device.getDiagnostic();
  auto state = std::make_unique<State>(std::move(model), std::move(*device));
  if (Status status = state->memory.initialize(); !status)
    return status;
  if (uint64_t scratch = state->executor.staticScratchBytes())
    if (Status status = state->device->reserveScratch(scratch); !status)
      return status;
  const Plan &plan = state->model->plan();
  state->inputData.resize(plan.inputs.size());
  state->outputData.resize(plan.outputs.size());
  state->shape.reserve(plan.symbols.size());
  return std::unique_ptr<Session>(new Session(std::move(state)));
}

const LoadedModel &Session::model() const { return *state->model; }

//===----------------------------------------------------------------------===//
// Ports
//===----------------------------------------------------------------------===//

Status Session::setInput(size_t index, const void *data, uint64_t bytes,
                         const int64_t *sizes, size_t rank) {
  if (Status status = bindInput(index, data, bytes, sizes, rank); !status)
    return status;
  Expected<const TensorRef *> own = state->ports.ownInput(index);
  if (!own)
    return own.status();
  if (bytes != 0)
    std::memmove((*own)->data, data, bytes);
  return Status::success();
}

Status Session::bindInput(size_t index, const void *data, uint64_t bytes,
                          const int64_t *sizes, size_t rank) {
  if (Status status = state->ports.setShape(index, sizes, rank); !status)
    return status;
  return state->ports.bindInput(index, data, bytes);
}

Expected<const TensorRef *>
Session::inputBuffer(size_t index, const int64_t *sizes, size_t rank) {
  if (Status status = state->ports.setShape(index, sizes, rank); !status)
    return status;
  return state->ports.ownInput(index);
}

Status Session::bindOutput(size_t index, void *data, uint64_t capacity) {
  return state->ports.bindOutput(index, data, capacity);
}

Expected<const TensorRef *> Session::output(size_t index) const {
  if (const TensorRef *tensor = state->ports.result(index))
    return tensor;
  return Status::error(ErrorCode::InvalidArgument,
                       "output '" + model().plan().outputs[index].name +
                           "' has no value before a run");
}

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

/// Sets the registers to their values after the prologue and places the buffers
/// of this shape.
Status Session::State::prepareShape() {
  if (Status status = ports.bindSymbols(registers, shape); !status)
    return status;
  if (hasShape && shape == lastShape) {
    // The body may have overwritten registers.
    registers = shapeRegisters;
    return Status::success();
  }
  hasShape = false;
  executor.invalidate();
  if (Status status = executePrologue(model->plan(), registers); !status)
    return status;
  if (Status status = memory.place(shape, registers); !status)
    return status;
  shapeRegisters = registers;
  lastShape = shape;
  hasShape = true;
  return Status::success();
}

Status Session::State::prepareInputs() {
  const Plan &plan = model->plan();
  for (size_t i = 0; i < plan.inputs.size(); ++i) {
    uint32_t view = plan.inputs[i].view, buffer = plan.views[view].buffer;
    Expected<uint64_t> bytes = memory.bytesOf(buffer, registers);
    if (!bytes)
      return bytes.status();
    Expected<uint8_t *> data = ports.prepareInput(i);
    if (!data)
      return data.status();
    memory.bind(buffer, *data, ports.inputBytes(i));
    TensorRef tensor;
    uint64_t bytesToEnd;
    if (Status status = memory.resolve(view, registers, tensor, bytesToEnd);
        !status)
      return status;
    if (*bytes > ports.inputBytes(i) || !tensor.isDense())
      return Status::error(ErrorCode::ExecutionFailed,
                           "the plan reads more than there is of input '" +
                               plan.inputs[i].name + "'");
    if (*data != inputData[i])
      executor.invalidate();
    inputData[i] = *data;
  }
  return Status::success();
}

Status Session::State::prepareOutputs() {
  const Plan &plan = model->plan();
  ports.clearResults();
  for (size_t i = 0; i < plan.outputs.size(); ++i) {
    uint32_t buffer = plan.views[plan.outputs[i].view].buffer;
    if (plan.buffers[buffer].placement == Placement::Data) {
      memory.bind(buffer, nullptr, 0);
      continue;
    }
    Expected<uint64_t> bytes = memory.bytesOf(buffer, registers);
    if (!bytes)
      return bytes.status();
    Expected<uint8_t *> data = ports.prepareOutput(i, *bytes);
    if (!data)
      return data.status();
    memory.bind(buffer, *data, *bytes);
    if (*data != outputData[i])
      executor.invalidate();
    outputData[i] = *data;
  }
  return Status::success();
}

Status Session::State::collectOutputs() {
  const Plan &plan = model->plan();
  for (size_t i = 0; i < plan.outputs.size(); ++i) {
    TensorRef tensor;
    uint64_t bytesToEnd;
    if (Status status =
            memory.resolve(plan.outputs[i].view, registers, tensor, bytesToEnd);
        !status)
      return status;
    if (!tensor.isDense())
      return Status::error(ErrorCode::ExecutionFailed,
                           "output '" + plan.outputs[i].name +
                               "' is not in row-major order");
    ports.setResult(i, tensor);
  }
  return Status::success();
}

Status Session::run() {
  state->memory.freeAll();
  if (Status status = state->prepareShape(); !status)
    return status;
  if (Status status = state->prepareInputs(); !status)
    return status;
  if (Status status = state->prepareOutputs(); !status)
    return status;
  if (Status status = state->executor.run(); !status)
    return status;
  return state->collectOutputs();
}

//===----------------------------------------------------------------------===//
// Observation
//===----------------------------------------------------------------------===//

void Session::resetVariables() { state->memory.resetVariables(); }

SessionMemoryInfo Session::memoryInfo() const {
  SessionMemoryInfo info;
  info.weights = model().file().weights().size;
  info.weightsAreResident = model().hasResidentWeights();
  info.arena = state->memory.arenaBytes();
  info.arenaLowerBound = state->memory.arenaLowerBound();
  info.variables = state->memory.variableBytes();
  info.ports = state->ports.ownBytes();
  info.scratch = state->device ? state->device->scratchBytes() : 0;
  return info;
}

void Session::setProfiling(bool enable) {
  if (enable)
    state->profile.restart();
  state->executor.profile = enable ? &state->profile : nullptr;
}

const Profile &Session::profile() const { return state->profile; }

void Session::setDump(DumpFunction function) {
  state->executor.dump = std::move(function);
}

} // namespace atc
