// Event-driven time: pipes overlap as flags and queues allow.
// SPDX-License-Identifier: Apache-2.0
#include "ExampleKernels.h"

using namespace atc;
using namespace atc::isa;
using namespace atc::sim;

namespace {

uint64_t cyclesOf(const std::vector<Instruction> &program) {
  std::vector<uint8_t> a(1 << 16), b(1 << 16), out(1 << 16);
  KernelBench bench;
  bench.bind(a).bind(b).bind(out, false);
  Report report = bench.run(program);
  EXPECT_TRUE(report.clean()) << describe(report);
  return report.cycles;
}

TEST(Time, IndependentPipesOverlap) {
  Assembler load, compute, both;
  CopyGmToUb copy{0, x(0), 1, 16384, 0, 0};
  VectorDuplicate fill{DataType::F16, 16384, 0, 128, 60, 1, 8};
  load << LoadArgument{x(0), 0} << copy << End{};
  compute << LoadArgument{x(0), 0} << fill << End{};
  both << LoadArgument{x(0), 0} << copy << fill << End{};
  EXPECT_LE(cyclesOf(both.instructions), cyclesOf(load.instructions) + 2);
  EXPECT_GT(cyclesOf(load.instructions), cyclesOf(compute.instructions));
}

TEST(Time, FlagsMakePipesWait) {
  Assembler serial, free;
  CopyGmToUb copy{0, x(0), 1, 16384, 0, 0};
  VectorDuplicate fill{DataType::F16, 16384, 0, 128, 60, 1, 8};
  serial << LoadArgument{x(0), 0} << copy << SetFlag{Pipe::MTE2, Pipe::V, 0}
         << WaitFlag{Pipe::MTE2, Pipe::V, 0} << fill << End{};
  free << LoadArgument{x(0), 0} << copy << fill << End{};
  EXPECT_GT(cyclesOf(serial.instructions), cyclesOf(free.instructions) + 60);
}

TEST(Time, DoubleBuffersHideLoads) {
  // 16 tiles one after the other would take 16 times as long as one.
  uint64_t one = cyclesOf(addReluKernel(1)), many = cyclesOf(addReluKernel(16));
  uint64_t launch = findDevice("TinyNpu")->timing.launch;
  EXPECT_LT(many - launch, 16 * (one - launch) * 3 / 4);
}

TEST(Time, BlocksSpreadOverCores) {
  std::vector<uint8_t> in(4096), out(4096);
  KernelBench bench;
  bench.bind(in).bind(out, false);
  bench.options.strict = false; // All blocks write the same bytes.
  uint64_t launch = findDevice("TinyNpu")->timing.launch;
  std::vector<uint64_t> cycles;
  for (uint32_t blocks : {1, 2, 4}) {
    bench.blocks = blocks;
    cycles.push_back(bench.run(copyKernel(4096)).cycles - launch);
  }
  EXPECT_LE(cycles[1], cycles[0] * 11 / 10); // Two cores.
  EXPECT_GE(cycles[2], cycles[0] * 3 / 2);
}

TEST(Time, ReportsBusyPipes) {
  std::vector<uint8_t> in(4096), out(4096);
  KernelBench bench;
  bench.bind(in).bind(out, false);
  Report report = bench.run(copyKernel(4096));
  EXPECT_EQ(report.busy[unsigned(Pipe::MTE2)], 4096u / 32);
  EXPECT_EQ(report.busy[unsigned(Pipe::V)], 0u);
  EXPECT_EQ(report.gmReadBytes, 4096u);
  EXPECT_EQ(report.gmWriteBytes, 4096u);
}

} // namespace
