// The inputs and outputs of a session.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_LIB_RUNTIME_SESSIONPORTS_H
#define ATC_LIB_RUNTIME_SESSIONPORTS_H

#include "ScalarEvaluation.h"

#include "atc/Runtime/PageMemory.h"
#include "atc/Runtime/TensorRef.h"

namespace atc {

/// Keeps the data and shapes that a caller gave for the inputs, and the memory
/// of outputs: the caller's or the session's own.
class SessionPorts {
public:
  explicit SessionPorts(const Plan &plan);

  /// Shape and memory of an input. `sizes` may be null where all sizes are
  /// fixed. Fails with InvalidInput if the shape is not one of the model's.
  Status setShape(size_t input, const int64_t *sizes, size_t rank);
  /// Refers to the caller's data of exactly the shape's size.
  Status bindInput(size_t input, const void *data, uint64_t bytes);
  /// The session's own memory for the input's shape.
  Expected<const TensorRef *> ownInput(size_t input);

  /// Null returns to the session's own memory.
  Status bindOutput(size_t output, void *data, uint64_t capacity);

  /// Sets the registers of the symbols; fails with InvalidInput if an input is
  /// not set or two sizes that must be equal are not.
  Status bindSymbols(ScalarRegisters &registers,
                     std::vector<int64_t> &shape) const;

  /// The memory that a run reads an input from. Copies only what the caller
  /// placed off the buffer's alignment.
  Expected<uint8_t *> prepareInput(size_t input);
  uint64_t inputBytes(size_t input) const { return inputs[input].bytes; }
  /// The memory that a run writes `bytes` bytes of an output to.
  Expected<uint8_t *> prepareOutput(size_t output, uint64_t bytes);

  /// Records the result of a run.
  void setResult(size_t output, const TensorRef &tensor) {
    outputs[output].result = tensor;
    outputs[output].hasResult = true;
  }
  void clearResults();
  const TensorRef *result(size_t output) const {
    return outputs[output].hasResult ? &outputs[output].result : nullptr;
  }

  /// Bytes of the session's own memory.
  uint64_t ownBytes() const;

private:
  struct Input {
    std::vector<int64_t> sizes;
    uint64_t bytes = 0;
    uint32_t alignment = 64;
    bool isSet = false;
    const void *bound = nullptr;
    PageMemory own;
    TensorRef ownTensor;
  };
  struct Output {
    uint32_t alignment = 64;
    uint8_t *bound = nullptr;
    uint64_t capacity = 0;
    PageMemory own;
    bool hasResult = false;
    TensorRef result;
  };

  Status checkShape(size_t input, const int64_t *sizes, size_t rank) const;
  static Status grow(PageMemory &memory, uint64_t bytes);

  const Plan &plan;
  std::vector<Input> inputs;
  std::vector<Output> outputs;
};

} // namespace atc

#endif // ATC_LIB_RUNTIME_SESSIONPORTS_H
