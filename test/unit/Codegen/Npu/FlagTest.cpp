// The flags that the compiler inserts: none is missing, none is one too many.
// SPDX-License-Identifier: Apache-2.0
#include "NpuKernelRunner.h"
#include "atc/Isa/Assembly.h"
#include <gtest/gtest.h>
#include <set>

using namespace mlir::atc::test;
namespace hw = ::atc::isa;
namespace sim = ::atc::sim;

namespace {

struct KernelCase {
  const char *name;
  NpuRegion region;
  std::vector<int64_t> sizes;
};

NpuRegion mlpLayer() {
  NpuRegion region;
  region.operands = {"200x100xf16", "100x70xf16", "70xf16"};
  region.constants = {1};
  region.body =
      "%a = graph.matmul %x0, %x1 : (tensor<200x100xf16>, tensor<100x70xf16>) "
      "-> tensor<200x70xf16>\n"
      "%b = graph.add %a, %x2 : (tensor<200x70xf16>, tensor<70xf16>) -> "
      "tensor<200x70xf16>\n"
      "%r = graph.relu %b : (tensor<200x70xf16>) -> tensor<200x70xf16>";
  region.yielded = "r";
  region.yieldedType = "tensor<200x70xf16>";
  return region;
}

NpuRegion convLayer() {
  NpuRegion region;
  region.operands = {"1x20x32x32xf16", "24x20x3x3xf16", "24x1x1xf16"};
  region.constants = {1};
  region.body =
      "%a = graph.conv %x0, %x1 strides [1, 1] pads [1, 1, 1, 1] dilations "
      "[1, 1] groups 1 : (tensor<1x20x32x32xf16>, tensor<24x20x3x3xf16>) -> "
      "tensor<1x24x32x32xf16>\n"
      "%b = graph.add %a, %x2 : (tensor<1x24x32x32xf16>, tensor<24x1x1xf16>) "
      "-> tensor<1x24x32x32xf16>\n"
      "%r = graph.relu %b : (tensor<1x24x32x32xf16>) -> "
      "tensor<1x24x32x32xf16>";
  region.yielded = "r";
  region.yieldedType = "tensor<1x24x32x32xf16>";
  return region;
}

NpuRegion vectorChain() {
  NpuRegion region;
  region.operands = {"20000xf16", "20000xf16"};
  region.body = "%a = graph.mul %x0, %x1 : (tensor<20000xf16>, "
                "tensor<20000xf16>) -> tensor<20000xf16>\n"
                "%r = graph.relu %a : (tensor<20000xf16>) -> "
                "tensor<20000xf16>";
  region.yielded = "r";
  region.yieldedType = "tensor<20000xf16>";
  return region;
}

class Flags : public testing::TestWithParam<KernelCase> {
protected:
  void SetUp() override {
    ASSERT_TRUE(runner.compile(GetParam().region));
    for (int64_t size : GetParam().sizes)
      operands.push_back(randomElements(size, operands.size()));
  }
  std::vector<hw::Instruction> &program() {
    return runner.image.kernels[0].codes[0].program.instructions;
  }
  /// Keeps indices, so that branches stay right.
  static void erase(hw::Instruction &instruction) {
    instruction = hw::toInstruction(hw::Alu{
        hw::AluFunction::Add, hw::Operand::reg(hw::registerCount - 1), 0, 0});
  }

  /// On one core, which then goes through all turns.
  sim::Report run() { return runner.run(operands, 1); }

  NpuKernelRunner runner;
  std::vector<Elements> operands;
};

TEST_P(Flags, TheKernelIsClean) {
  sim::Report report = run();
  EXPECT_TRUE(report.clean()) << describe(report);
}

TEST_P(Flags, EachInstructionIsNeeded) {
  std::vector<hw::Instruction> whole = program();
  unsigned count = 0;
  for (size_t i = 0; i < whole.size(); ++i) {
    if (whole[i].opcode != hw::Opcode::SetFlag &&
        whole[i].opcode != hw::Opcode::WaitFlag &&
        whole[i].opcode != hw::Opcode::Barrier)
      continue;
    ++count;
    program() = whole;
    erase(program()[i]);
    EXPECT_FALSE(run().clean())
        << hw::printInstruction(whole[i]) << " at  " << i;
  }
  EXPECT_GT(count, 4u);
}

// Sets and waits that belong together leave nothing over and block nobody: only
// the race shows that they were needed.
TEST_P(Flags, EachFlagIsNeeded) {
  std::vector<hw::Instruction> whole = program();
  std::set<std::pair<uint8_t, uint8_t>> flags;
  for (const hw::Instruction &instruction : whole)
    if (instruction.opcode == hw::Opcode::SetFlag)
      flags.insert({instruction.modifiers[0], instruction.modifiers[1]});
  for (const auto &[from, to] : flags) {
    program() = whole;
    for (hw::Instruction &instruction : program())
      if ((instruction.opcode == hw::Opcode::SetFlag ||
           instruction.opcode == hw::Opcode::WaitFlag) &&
          instruction.modifiers[0] == from && instruction.modifiers[1] == to)
        erase(instruction);
    bool races = false;
    for (const sim::Fault &fault : run().faults)
      races |= fault.kind == sim::FaultKind::Race;
    EXPECT_TRUE(races) << std::string(hw::pipeName(hw::Pipe(from))) << " to "
                       << std::string(hw::pipeName(hw::Pipe(to)));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Npu, Flags,
    testing::Values(KernelCase{"MlpLayer", mlpLayer(), {20000, 7000, 70}},
                    KernelCase{
                        "ConvLayer", convLayer(), {20 * 1024, 24 * 20 * 9, 24}},
                    KernelCase{"VectorChain", vectorChain(), {20000, 20000}}),
    [](const auto &info) { return info.param.name; });

} // namespace
