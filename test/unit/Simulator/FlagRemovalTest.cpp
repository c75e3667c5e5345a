// Correct kernels without one of their flags are reported, whichever it is.
// SPDX-License-Identifier: Apache-2.0
#include "ExampleKernels.h"

#include <functional>
#include <set>

using namespace atc;
using namespace atc::isa;
using namespace atc::sim;

namespace {

struct KernelCase {
  const char *name;
  std::function<std::vector<Instruction>()> build;
  /// Bytes of the input buffers and of the output.
  std::vector<size_t> inputs;
  size_t output;
};

bool isSynchronization(const Instruction &instruction) {
  return instruction.opcode == Opcode::SetFlag ||
         instruction.opcode == Opcode::WaitFlag ||
         instruction.opcode == Opcode::Barrier;
}

/// Keeps indices, so that branches stay right.
void erase(Instruction &instruction) {
  instruction =
      toInstruction(Alu{AluFunction::Add, x(registerCount - 1), 0, 0});
}

class FlagRemoval : public testing::TestWithParam<KernelCase> {
protected:
  Report run(const std::vector<Instruction> &program) {
    std::vector<std::vector<uint16_t>> inputs;
    for (size_t bytes : GetParam().inputs)
      inputs.push_back(someHalves(bytes / 2, unsigned(inputs.size())));
    std::vector<uint8_t> output(GetParam().output);
    KernelBench bench;
    for (std::vector<uint16_t> &input : inputs)
      bench.bind(input);
    bench.bind(output, false);
    return bench.run(program);
  }
};

TEST_P(FlagRemoval, TheWholeKernelIsClean) {
  Report report = run(GetParam().build());
  EXPECT_TRUE(report.clean()) << describe(report);
}

TEST_P(FlagRemoval, NoInstructionIsMissed) {
  std::vector<Instruction> program = GetParam().build();
  for (size_t i = 0; i < program.size(); ++i) {
    if (!isSynchronization(program[i]))
      continue;
    std::vector<Instruction> damaged = program;
    erase(damaged[i]);
    EXPECT_FALSE(run(damaged).clean()) << "instruction " << i;
  }
}

// Without all sets and waits from one pipe to another nothing is left over and
// nothing blocks: only the race itself can be seen.
TEST_P(FlagRemoval, NoPairOfPipesIsMissed) {
  std::vector<Instruction> program = GetParam().build();
  std::set<std::pair<uint8_t, uint8_t>> pairs;
  for (const Instruction &instruction : program)
    if (instruction.opcode == Opcode::SetFlag)
      pairs.insert({instruction.modifiers[0], instruction.modifiers[1]});
  for (const auto &[from, to] : pairs) {
    std::vector<Instruction> damaged = program;
    for (Instruction &instruction : damaged)
      if ((instruction.opcode == Opcode::SetFlag ||
           instruction.opcode == Opcode::WaitFlag) &&
          instruction.modifiers[0] == from && instruction.modifiers[1] == to)
        erase(instruction);
    EXPECT_THAT(kindsOf(run(damaged)), testing::Contains(FaultKind::Race))
        << pipeName(Pipe(from)) << " to " << pipeName(Pipe(to));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Kernels, FlagRemoval,
    testing::Values(
        KernelCase{"Copy", [] { return copyKernel(100); }, {100}, 100},
        KernelCase{
            "AddRelu", [] { return addReluKernel(6); }, {1536, 1536}, 1536},
        KernelCase{"Matmul",
                   [] { return matmulKernel(160); },
                   {32 * 160 * 2, 32 * 160 * 2, 64},
                   2048}),
    [](const auto &info) { return info.param.name; });

} // namespace
