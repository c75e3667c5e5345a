// Feeds arbitrary images and programs to the NPU's decoder and simulator.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Simulator/Simulator.h"

#include <cstdlib>

using namespace atc;
using namespace atc::isa;
using namespace atc::sim;

namespace {

/// Takes the input's bytes one by one; zeros when they are used up.
class Bytes {
public:
  Bytes(const uint8_t *data, size_t size) : data(data), size(size) {}
  bool empty() const { return size == 0; }
  uint8_t next() {
    if (empty())
      return 0;
    --size;
    return *data++;
  }

private:
  const uint8_t *data;
  size_t size;
};

/// A number that is often legal for the operand, and sometimes just not.
Operand operandFrom(const OperandInfo &info, Bytes &bytes,
                    uint64_t programSize) {
  uint8_t form = bytes.next();
  int64_t value = bytes.next() | bytes.next() << 8;
  switch (info.role) {
  case OperandRole::Result:
    return Operand::reg(value % 8);
  case OperandRole::Target:
    return static_cast<int32_t>(value % programSize);
  case OperandRole::Immediate:
    return static_cast<int32_t>(value - 32768);
  default:
    break;
  }
  if (form % 4 == 0)
    return Operand::reg(value % 8);
  if (info.role == OperandRole::Value)
    return static_cast<int32_t>(value - 32768);
  int64_t scaled = info.min + value % (form % 4 == 1 ? 4 : 256) * info.multiple;
  return static_cast<int32_t>(scaled);
}

std::vector<Instruction> programFrom(Bytes &bytes) {
  constexpr size_t length = 24;
  std::vector<Instruction> program;
  // The first registers hold the buffers.
  for (int32_t i = 0; i < 3; ++i)
    program.push_back(
        toInstruction(LoadArgument{Operand::reg(static_cast<unsigned>(i)), i}));
  while (program.size() + 1 < length && !bytes.empty()) {
    const InstructionInfo &info =
        instructionTable()[bytes.next() % instructionTableSize()];
    Instruction instruction;
    instruction.opcode = info.opcode;
    for (unsigned i = 0; i < info.modifierCount; ++i)
      instruction.modifiers[i] = static_cast<uint8_t>(
          bytes.next() % modifierValueCount(info.modifiers[i].kind));
    for (unsigned i = 0; i < info.operandCount; ++i)
      instruction.operands[i] =
          operandFrom(info.operands[i], bytes, program.size() + 1);
    program.push_back(instruction);
  }
  program.push_back(toInstruction(End{}));
  return program;
}

void run(const uint8_t *image, size_t size) {
  SimulatorOptions options;
  options.strict = true;
  options.maxCycles = 20000;
  Expected<Simulator> simulator = Simulator::create(image, size, options);
  if (!simulator || simulator->image().kernels.empty())
    return;
  const KernelImage &kernel = simulator->image().kernels[0];
  if (kernel.bufferCount > 8)
    return;
  std::vector<std::vector<uint8_t>> memory(kernel.bufferCount,
                                           std::vector<uint8_t>(4096));
  std::vector<BufferBinding> buffers;
  for (std::vector<uint8_t> &bytes : memory)
    buffers.push_back({bytes.data(), bytes.size()});
  std::vector<int64_t> scalars(kernel.scalarCount, 3);
  Expected<Report> report = simulator->launch(0, 2, buffers, scalars);
  if (!report)
    std::abort(); // The arguments fit.
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size == 0)
    return 0;
  if (data[0] % 4 == 0) {
    run(data + 1, size - 1);
    return 0;
  }
  Image image;
  image.device = "TinyNpu";
  KernelImage kernel;
  kernel.name = "kernel";
  kernel.bufferCount = 3;
  KernelCode code;
  Bytes bytes(data + 1, size - 1);
  code.program.instructions = programFrom(bytes);
  kernel.codes.push_back(std::move(code));
  image.kernels.push_back(std::move(kernel));
  if (Expected<std::vector<uint8_t>> encoded = serializeImage(image))
    run(encoded->data(), encoded->size());
  return 0;
}
