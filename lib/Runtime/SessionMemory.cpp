// Placement of buffers and resolution of views.
// SPDX-License-Identifier: Apache-2.0
#include "SessionMemory.h"

#include "atc/Support/ArenaPlanner.h"
#include "atc/Support/CheckedMath.h"

#include <cstring>

namespace atc {

/// Placements that a session remembers; the least one is dropped beyond.
static constexpr size_t maxPlacements = 256;

Status SessionMemory::initialize() {
  Expected<PageMemory> arena = PageMemory::allocate(plan.arenaBytes);
  if (!arena)
    return arena.status();
  fixedArena = std::move(*arena);
  Expected<PageMemory> state = PageMemory::allocate(plan.variableBytes);
  if (!state)
    return state.status();
  variables = std::move(*state);
  for (uint32_t i = 0; i < plan.buffers.size(); ++i) {
    const PlanBuffer &buffer = plan.buffers[i];
    if (buffer.placement == Placement::Shape &&
        buffer.space == BufferSpace::Arena)
      shapeBuffers.push_back(i);
    if (buffer.placement != Placement::Fixed)
      continue;
    uint64_t bytes = buffer.bytes.value();
    switch (buffer.space) {
    case BufferSpace::Arena:
      buffers[i] = {fixedArena.data() + buffer.offset, bytes, true};
      break;
    case BufferSpace::Weights:
      // Nothing writes here: the plan's check refuses it.
      buffers[i] = {const_cast<uint8_t *>(model.weights()) + buffer.offset,
                    bytes, true};
      break;
    case BufferSpace::Variable:
      buffers[i] = {variables.data() + buffer.offset, bytes, true};
      break;
    case BufferSpace::Input:
    case BufferSpace::Output:
      break;
    }
  }
  resetVariables();
  return Status::success();
}

void SessionMemory::resetVariables() {
  for (const PlanVariable &variable : plan.variables) {
    const Buffer &buffer = buffers[plan.views[variable.view].buffer];
    if (buffer.bytes == 0)
      continue;
    if (variable.initial == noIndex)
      std::memset(buffer.data, 0, buffer.bytes);
    else
      std::memcpy(buffer.data, buffers[variable.initial].data, buffer.bytes);
  }
}

Expected<uint64_t>
SessionMemory::bytesOf(uint32_t index, const ScalarRegisters &registers) const {
  int64_t bytes = evaluate(plan.buffers[index].bytes, registers);
  if (bytes < 0 || bytes > PlanInt::maxStatic)
    return Status::error(ErrorCode::ExecutionFailed,
                         "a buffer has the size " + std::to_string(bytes));
  return static_cast<uint64_t>(bytes);
}

Expected<SessionMemory::ShapePlacement>
SessionMemory::computePlacement(const ScalarRegisters &registers) const {
  std::vector<ArenaBuffer> requests;
  ShapePlacement placement;
  for (uint32_t index : shapeBuffers) {
    const PlanBuffer &buffer = plan.buffers[index];
    Expected<uint64_t> bytes = bytesOf(index, registers);
    if (!bytes)
      return bytes.getDiagnostic();
    requests.push_back({*bytes, buffer.alignment, buffer.firstUse,
                        buffer.lastUse, buffer.storageGroup});
    placement.bytes.push_back(*bytes);
  }
  Expected<ArenaPlan> arena = planArena(requests);
  if (!arena)
    return arena.getDiagnostic();
  placement.offsets = std::move(arena->offsets);
  placement.peak = arena->peak;
  placement.lowerBound = arena->lowerBound;
  return placement;
}

Status SessionMemory::place(const std::vector<int64_t> &shape,
                            const ScalarRegisters &registers) {
  if (shapeBuffers.empty())
    return Status::success();
  auto known = placements.find(shape);
  if (known == placements.end()) {
    Expected<ShapePlacement> placement = computePlacement(registers);
    if (!placement)
      return placement.status();
    if (placements.size() >= maxPlacements) {
      current = nullptr;
      placements.erase(placements.begin());
    }
    known = placements.emplace(shape, std::move(*placement)).first;
  }
  if (current == &known->second)
    return Status::success();
  current = nullptr;
  return apply(known->second);
}

Status SessionMemory::apply(const ShapePlacement &placement) {
  if (placement.peak > shapeArena.size()) {
    shapeArena = PageMemory();
    Expected<PageMemory> memory = PageMemory::allocate(placement.peak);
    if (!memory)
      return memory.status();
    shapeArena = std::move(*memory);
  } else if (placement.peak != 0) {
    // Kernels rely on halos that nothing has written since.
    std::memset(shapeArena.data(), 0, placement.peak);
  }
  for (size_t i = 0; i < shapeBuffers.size(); ++i)
    buffers[shapeBuffers[i]] = {shapeArena.data() + placement.offsets[i],
                                placement.bytes[i], true};
  current = &placement;
  return Status::success();
}

Status SessionMemory::allocate(uint32_t index,
                               const ScalarRegisters &registers) {
  Expected<uint64_t> bytes = bytesOf(index, registers);
  if (!bytes)
    return bytes.status();
  PageMemory &memory = dataMemory[index];
  if (memory.size() < *bytes) {
    memory = PageMemory();
    Expected<PageMemory> larger = PageMemory::allocate(*bytes);
    if (!larger)
      return larger.status();
    memory = std::move(*larger);
  }
  buffers[index] = {memory.data(), *bytes, true};
  return Status::success();
}

void SessionMemory::free(uint32_t index) {
  dataMemory.erase(index);
  buffers[index] = {};
}

void SessionMemory::freeAll() {
  for (const auto &entry : dataMemory)
    buffers[entry.first] = {};
}

uint64_t SessionMemory::arenaLowerBound() const {
  return plan.arenaLowerBound + (current ? current->lowerBound : 0);
}

Status SessionMemory::resolve(uint32_t index, const ScalarRegisters &registers,
                              TensorRef &tensor, uint64_t &bytesToEnd) const {
  const PlanView &view = plan.views[index];
  const Buffer &buffer = buffers[view.buffer];
  if (!buffer.hasMemory && buffer.bytes == 0 &&
      plan.buffers[view.buffer].placement == Placement::Data)
    return Status::error(ErrorCode::ExecutionFailed,
                         "a tensor is used before it has memory");
  tensor.elementType = view.elementType;
  tensor.rank = view.dims.size();
  tensor.layout = view.layout == noIndex ? nullptr : &plan.layouts[view.layout];
  unsigned bits = elementTypeInfo(view.elementType).bits;
  int64_t offset = evaluate(view.byteOffset, registers);
  // Of an empty tensor nothing is read: where it would begin does not matter.
  bool isEmpty = false;
  for (uint32_t dim = 0; dim < tensor.rank; ++dim)
    isEmpty |= evaluate(view.dims[dim].size, registers) == 0;
  if (isEmpty)
    offset = 0;
  // The span of elements from the first, in elements; products are limited, so
  // that sums over 32 dims fit 128 bits.
  __int128 low = 0, high = 0;
  int64_t count = 1;
  bool fits = offset >= 0 && static_cast<uint64_t>(offset) <= buffer.bytes &&
              (bits < 16 || offset % (bits / 8) == 0);
  for (uint32_t dim = 0; dim < tensor.rank; ++dim) {
    int64_t size = evaluate(view.dims[dim].size, registers);
    int64_t stride = evaluate(view.dims[dim].stride, registers);
    tensor.sizes[dim] = size;
    tensor.strides[dim] = stride;
    __int128 span = static_cast<__int128>(size - (size > 0)) * stride;
    static constexpr __int128 limit = static_cast<__int128>(1) << 100;
    fits &= size >= 0 && size <= PlanInt::maxStatic && span <= limit &&
            span >= -limit && !__builtin_mul_overflow(count, size, &count);
    (span < 0 ? low : high) += fits ? span : 0;
  }
  // A tiled view was checked with the plan: all about it is static.
  if (fits && count != 0 && !tensor.layout) {
    __int128 begin = static_cast<__int128>(offset) * 8 + low * bits;
    __int128 end = static_cast<__int128>(offset) * 8 + (high + 1) * bits;
    fits = begin >= 0 && end <= static_cast<__int128>(buffer.bytes) * 8;
  }
  if (!fits)
    return Status::error(ErrorCode::ExecutionFailed,
                         "view " + std::to_string(index) + " (" + view.name +
                             ") does not fit its buffer of " +
                             std::to_string(buffer.bytes) + " bytes");
  tensor.data = buffer.data + offset;
  bytesToEnd = buffer.bytes - offset;
  return Status::success();
}

} // namespace atc
