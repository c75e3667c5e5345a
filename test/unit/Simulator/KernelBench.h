// Hand-written kernels on the bench: assemble, bind buffers, run, look.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_TEST_UNIT_SIMULATOR_KERNELBENCH_H
#define ATC_TEST_UNIT_SIMULATOR_KERNELBENCH_H

#include "atc/Simulator/Simulator.h"
#include "atc/Support/Float16.h"

#include <gmock/gmock.h>

#include <vector>

namespace atc::sim {

inline isa::Operand x(unsigned index) { return isa::Operand::reg(index); }

/// Appends instructions; branches name indices.
class Assembler {
public:
  template <typename Fields>
  Assembler &operator<<(const Fields &fields) {
    instructions.push_back(isa::toInstruction(fields));
    return *this;
  }
  /// Index of the next instruction.
  int32_t here() const { return static_cast<int32_t>(instructions.size()); }
  /// Makes the branch or jump at `index` lead to the next instruction.
  void bind(int32_t index) {
    unsigned target = instructions[index].opcode == isa::Opcode::Jump ? 0 : 2;
    instructions[index].operands[target] = here();
  }

  std::vector<isa::Instruction> instructions;
};

/// A device with one kernel, run in strict mode unless told otherwise.
class KernelBench {
public:
  std::string device = "TinyNpu";
  isa::CoreType core = isa::CoreType::Fused;
  std::vector<BufferBinding> buffers;
  std::vector<int64_t> scalars;
  SimulatorOptions options;
  uint32_t blocks = 1;

  KernelBench() { options.strict = true; }

  template <typename T>
  KernelBench &bind(std::vector<T> &data, bool initialized = true) {
    buffers.push_back({data.data(), data.size() * sizeof(T), initialized});
    return *this;
  }

  std::vector<uint8_t>
  image(const std::vector<isa::Instruction> &program) const {
    isa::Image image;
    image.device = device;
    isa::KernelImage kernel;
    kernel.name = "kernel";
    kernel.bufferCount = static_cast<uint32_t>(buffers.size());
    kernel.scalarCount = static_cast<uint32_t>(scalars.size());
    kernel.codes.push_back({core, {program, {}}});
    image.kernels.push_back(std::move(kernel));
    Expected<std::vector<uint8_t>> bytes = isa::serializeImage(image);
    EXPECT_TRUE(bytes.ok()) << bytes.getDiagnostic().message;
    return bytes ? *bytes : std::vector<uint8_t>();
  }

  Report run(const std::vector<isa::Instruction> &program) const {
    std::vector<uint8_t> bytes = image(program);
    Expected<Simulator> simulator =
        Simulator::create(bytes.data(), bytes.size(), options);
    EXPECT_TRUE(simulator.ok()) << simulator.getDiagnostic().message;
    Expected<Report> report = simulator->launch(0, blocks, buffers, scalars);
    EXPECT_TRUE(report.ok()) << report.getDiagnostic().message;
    return *report;
  }
};

inline std::vector<uint16_t> halves(const std::vector<float> &values) {
  std::vector<uint16_t> result;
  for (float value : values)
    result.push_back(floatToHalf(value));
  return result;
}

/// Small numbers that look random and are exact in half precision.
inline std::vector<uint16_t> someHalves(size_t count, unsigned seed = 1) {
  std::vector<uint16_t> result;
  uint32_t state = seed * 2654435761u + 1;
  for (size_t i = 0; i < count; ++i) {
    state = state * 1664525u + 1013904223u;
    result.push_back(
        floatToHalf(static_cast<float>(int(state >> 24) - 128) / 64));
  }
  return result;
}

inline std::vector<FaultKind> kindsOf(const Report &report) {
  std::vector<FaultKind> kinds;
  for (const Fault &fault : report.faults)
    kinds.push_back(fault.kind);
  return kinds;
}

/// For failure messages.
inline std::string describe(const Report &report) {
  std::string text;
  for (const Fault &fault : report.faults)
    text += std::string(faultKindName(fault.kind)) + " at " +
            std::to_string(fault.instruction) + ": " + fault.message + "\n";
  return text;
}

} // namespace atc::sim

#endif // ATC_TEST_UNIT_SIMULATOR_KERNELBENCH_H
