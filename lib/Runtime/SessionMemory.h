// Where the bytes of a session's buffers are.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_LIB_RUNTIME_SESSIONMEMORY_H
#define ATC_LIB_RUNTIME_SESSIONMEMORY_H

#include "ScalarEvaluation.h"

#include "atc/Runtime/LoadedModel.h"
#include "atc/Runtime/PageMemory.h"
#include "atc/Runtime/TensorRef.h"

#include <map>

namespace atc {

/// Owns arena and variables of one session and knows the address of every
/// buffer. Memory of ports is given to it.
class SessionMemory {
public:
  explicit SessionMemory(const LoadedModel &model)
      : model(model), plan(model.plan()), buffers(plan.buffers.size()) {}

  /// Allocates what has a fixed place and initializes the variables.
  Status initialize();
  /// Copies the variables' initial values.
  void resetVariables();

  /// Sizes and places the buffers of Placement::Shape for the sizes `shape` of
  /// the symbols. A placement is computed once and remembered.
  Status place(const std::vector<int64_t> &shape,
               const ScalarRegisters &registers);

  /// Placement::Data.
  Status allocate(uint32_t buffer, const ScalarRegisters &registers);
  void free(uint32_t buffer);
  /// Takes back what the last run left.
  void freeAll();

  /// Gives an Input or Output buffer its memory.
  void bind(uint32_t buffer, uint8_t *data, uint64_t bytes) {
    buffers[buffer] = {data, bytes, data != nullptr};
  }
  /// Bytes that a Fixed or Shape buffer needs, after the prologue.
  Expected<uint64_t> bytesOf(uint32_t buffer,
                             const ScalarRegisters &registers) const;

  /// The tensor behind a view, checked to lie inside its buffer, and the bytes
  /// from element 0 to the buffer's end. Allocates nothing unless it fails.
  Status resolve(uint32_t view, const ScalarRegisters &registers,
                 TensorRef &tensor, uint64_t &bytesToEnd) const;

  /// Bytes of the view's buffer in front of `data`, an address inside it.
  uint64_t bytesBefore(uint32_t view, const uint8_t *data) const {
    return data - buffers[plan.views[view].buffer].data;
  }

  uint64_t arenaBytes() const {
    return plan.arenaBytes + (current ? current->peak : 0);
  }
  uint64_t arenaLowerBound() const;
  uint64_t variableBytes() const { return plan.variableBytes; }

private:
  struct Buffer {
    uint8_t *data = nullptr;
    uint64_t bytes = 0;
    bool hasMemory = false;
  };
  /// Offsets of all arena buffers of Placement::Shape, in buffer order.
  struct ShapePlacement {
    std::vector<uint64_t> offsets;
    std::vector<uint64_t> bytes;
    uint64_t peak = 0;
    uint64_t lowerBound = 0;
  };

  Expected<ShapePlacement>
  computePlacement(const ScalarRegisters &registers) const;
  Status apply(const ShapePlacement &placement);

  const LoadedModel &model;
  const Plan &plan;
  std::vector<Buffer> buffers;
  PageMemory fixedArena, shapeArena, variables;
  /// Indices of the buffers that a ShapePlacement lists.
  std::vector<uint32_t> shapeBuffers;
  std::map<std::vector<int64_t>, ShapePlacement> placements;
  const ShapePlacement *current = nullptr;
  /// Memory of Placement::Data buffers, by buffer.
  std::map<uint32_t, PageMemory> dataMemory;
};

} // namespace atc

#endif // ATC_LIB_RUNTIME_SESSIONMEMORY_H
