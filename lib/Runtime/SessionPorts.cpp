// Shapes and memory of inputs and outputs.
// SPDX-License-Identifier: Apache-2.0
#include "SessionPorts.h"

#include "atc/Support/CheckedMath.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace atc {

SessionPorts::SessionPorts(const Plan &plan)
    : plan(plan), inputs(plan.inputs.size()), outputs(plan.outputs.size()) {
  for (size_t i = 0; i < inputs.size(); ++i)
    inputs[i].alignment =
        plan.buffers[plan.views[plan.inputs[i].view].buffer].alignment;
  for (size_t i = 0; i < outputs.size(); ++i)
    outputs[i].alignment =
        plan.buffers[plan.views[plan.outputs[i].view].buffer].alignment;
}

static Status invalidInput(const PlanPort &port, std::string message) {
  return Status::error(ErrorCode::InvalidInput, std::move(message),
                       "input '" + port.name + "'");
}

/// "[batch, 3, ?, ?]"
static std::string describeShape(const Plan &plan, size_t input) {
  const PlanView &view = plan.views[plan.inputs[input].view];
  std::vector<std::string> texts;
  for (const PlanView::Dim &dim : view.dims)
    texts.push_back(dim.size.isStatic() ? std::to_string(dim.size.value())
                                        : "?");
  for (const PlanSymbol &symbol : plan.symbols)
    if (symbol.port == input && !symbol.name.empty())
      texts[symbol.dim] = symbol.name;
  return fmt::format("[{}]", fmt::join(texts, ", "));
}

Status SessionPorts::checkShape(size_t input, const int64_t *sizes,
                                size_t rank) const {
  const PlanPort &port = plan.inputs[input];
  const PlanView &view = plan.views[port.view];
  auto mismatch = [&] {
    return invalidInput(port,
                        fmt::format("expects the shape {}, got [{}]",
                                    describeShape(plan, input),
                                    fmt::join(sizes, sizes + rank, ", ")));
  };
  if (rank != view.dims.size())
    return mismatch();
  for (size_t dim = 0; dim < rank; ++dim)
    if (view.dims[dim].size.isStatic() &&
        view.dims[dim].size.value() != sizes[dim])
      return mismatch();
  for (const PlanSymbol &symbol : plan.symbols) {
    if (symbol.port != input)
      continue;
    int64_t size = sizes[symbol.dim];
    if (size < symbol.min || size > symbol.max)
      return invalidInput(port, fmt::format("dim {} is {}, expects {} to {}",
                                            symbol.dim, size, symbol.min,
                                            symbol.max));
  }
  return Status::success();
}

Status SessionPorts::setShape(size_t index, const int64_t *sizes, size_t rank) {
  const PlanPort &port = plan.inputs[index];
  const PlanView &view = plan.views[port.view];
  Input &input = inputs[index];
  if (!sizes) {
    input.sizes.clear();
    for (const PlanView::Dim &dim : view.dims) {
      if (dim.size.isRegister())
        return invalidInput(port, "expects a shape, since not all sizes of " +
                                      describeShape(plan, index) +
                                      " are fixed");
      input.sizes.push_back(dim.size.value());
    }
  } else {
    if (Status status = checkShape(index, sizes, rank); !status)
      return status;
    input.sizes.assign(sizes, sizes + rank);
  }
  std::optional<int64_t> count = checkedProduct(input.sizes);
  std::optional<int64_t> bytes =
      count ? elementBytes(view.elementType, *count) : std::nullopt;
  if (!bytes)
    return invalidInput(port, "the shape is too large");
  input.bytes = *bytes;
  // What was there before belongs to another shape.
  input.isSet = false;
  return Status::success();
}

Status SessionPorts::bindInput(size_t index, const void *data, uint64_t bytes) {
  Input &input = inputs[index];
  if (bytes != input.bytes)
    return invalidInput(plan.inputs[index],
                        fmt::format("expects {} bytes for the shape [{}], got "
                                    "{}",
                                    input.bytes, fmt::join(input.sizes, ", "),
                                    bytes));
  input.bound = data;
  input.isSet = true;
  return Status::success();
}

Status SessionPorts::grow(PageMemory &memory, uint64_t bytes) {
  if (memory.size() >= bytes)
    return Status::success();
  memory = PageMemory();
  Expected<PageMemory> larger = PageMemory::allocate(bytes);
  if (!larger)
    return larger.status();
  memory = std::move(*larger);
  return Status::success();
}

Expected<const TensorRef *> SessionPorts::ownInput(size_t index) {
  Input &input = inputs[index];
  if (Status status = grow(input.own, input.bytes); !status)
    return status;
  input.bound = nullptr;
  input.isSet = true;
  TensorRef &tensor = input.ownTensor;
  tensor.elementType = plan.views[plan.inputs[index].view].elementType;
  tensor.rank = input.sizes.size();
  std::copy(input.sizes.begin(), input.sizes.end(), tensor.sizes.begin());
  tensor.setDenseStrides();
  tensor.data = input.own.data();
  return &tensor;
}

Status SessionPorts::bindOutput(size_t index, void *data, uint64_t capacity) {
  Output &output = outputs[index];
  if (reinterpret_cast<uintptr_t>(data) % output.alignment != 0)
    return Status::error(
        ErrorCode::InvalidArgument,
        fmt::format("the memory for output '{}' is not aligned to {} bytes",
                    plan.outputs[index].name, output.alignment));
  output.bound = static_cast<uint8_t *>(data);
  output.capacity = data ? capacity : 0;
  output.hasResult = false;
  return Status::success();
}

Status SessionPorts::bindSymbols(ScalarRegisters &registers,
                                 std::vector<int64_t> &shape) const {
  for (size_t i = 0; i < inputs.size(); ++i)
    if (!inputs[i].isSet)
      return invalidInput(plan.inputs[i], "is not set");
  shape.clear();
  for (const PlanSymbol &symbol : plan.symbols) {
    int64_t size = inputs[symbol.port].sizes[symbol.dim];
    registers[symbol.registerIndex] = size;
    shape.push_back(size);
  }
  // A register that two symbols share holds the later size; the earlier one
  // must be equal.
  for (size_t i = 0; i < shape.size(); ++i) {
    const PlanSymbol &symbol = plan.symbols[i];
    int64_t expected = registers[symbol.registerIndex];
    if (shape[i] != expected)
      return invalidInput(
          plan.inputs[symbol.port],
          fmt::format("dim {} ({}) is {}, but another input says {}",
                      symbol.dim, symbol.name, shape[i], expected));
  }
  return Status::success();
}

Expected<uint8_t *> SessionPorts::prepareInput(size_t index) {
  Input &input = inputs[index];
  if (!input.bound)
    return input.own.data();
  if (reinterpret_cast<uintptr_t>(input.bound) % input.alignment == 0)
    return static_cast<uint8_t *>(const_cast<void *>(input.bound));
  if (Status status = grow(input.own, input.bytes); !status)
    return status;
  if (input.bytes != 0)
    std::memcpy(input.own.data(), input.bound, input.bytes);
  return input.own.data();
}

Expected<uint8_t *> SessionPorts::prepareOutput(size_t index, uint64_t bytes) {
  Output &output = outputs[index];
  if (!output.bound) {
    if (Status status = grow(output.own, bytes); !status)
      return status;
    return output.own.data();
  }
  if (bytes > output.capacity)
    return Status::error(
        ErrorCode::InvalidArgument,
        fmt::format("output '{}' needs {} bytes, its memory has {}",
                    plan.outputs[index].name, bytes, output.capacity));
  return output.bound;
}

void SessionPorts::clearResults() {
  for (Output &output : outputs)
    output.hasResult = false;
}

uint64_t SessionPorts::ownBytes() const {
  uint64_t bytes = 0;
  for (const Input &input : inputs)
    bytes += input.own.size();
  for (const Output &output : outputs)
    bytes += output.own.size();
  return bytes;
}

} // namespace atc
