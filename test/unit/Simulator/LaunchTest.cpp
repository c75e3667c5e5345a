// Launches: arguments, blocks, bindings, hostile images.
// SPDX-License-Identifier: Apache-2.0
#include "ExampleKernels.h"

#include <numeric>

using namespace atc;
using namespace atc::isa;
using namespace atc::sim;

namespace {

TEST(Launch, ArgumentsAreBuffersThenScalars) {
  std::vector<uint8_t> in(64), out(64);
  std::iota(in.begin(), in.end(), uint8_t(0));
  KernelBench bench;
  bench.bind(in).bind(out, false);
  bench.scalars = {24};
  Assembler a;
  a << LoadArgument{x(0), 0} << LoadArgument{x(1), 1} << LoadArgument{x(2), 2}
    << CopyGmToUb{0, x(0), 1, x(2), 0, 0} << SetFlag{Pipe::MTE2, Pipe::MTE3, 0}
    << WaitFlag{Pipe::MTE2, Pipe::MTE3, 0} << CopyUbToGm{x(1), 0, 1, x(2), 0, 0}
    << End{};
  Report report = bench.run(a.instructions);
  EXPECT_TRUE(report.clean()) << describe(report);
  EXPECT_EQ(out[23], 23);
  EXPECT_EQ(out[24], 0);
}

// The tiles of a grid, divided as the image format says, are each done once.
TEST(Launch, BlocksDivideTheTiles) {
  for (uint32_t blocks : {1u, 2u, 3u, 7u}) {
    std::vector<uint8_t> in(7, 1), out(7, 0);
    KernelBench bench;
    bench.blocks = blocks;
    bench.bind(in).bind(out, false);
    Assembler a;
    a << LoadArgument{x(0), 0} << LoadArgument{x(1), 1}
      << ReadSpecial{SpecialRegister::BlockIndex, x(2)}
      << ReadSpecial{SpecialRegister::BlockCount, x(3)}
      << Alu{AluFunction::Multiply, x(4), x(2), 7}
      << Alu{AluFunction::Divide, x(4), x(4), x(3)}
      << Alu{AluFunction::Add, x(5), x(2), 1}
      << Alu{AluFunction::Multiply, x(5), x(5), 7}
      << Alu{AluFunction::Divide, x(5), x(5), x(3)};
    int32_t loop = a.here();
    a << Branch{Condition::GreaterEqual, x(4), x(5), 0}
      << Alu{AluFunction::Add, x(6), x(0), x(4)}
      << Alu{AluFunction::Add, x(7), x(1), x(4)}
      << CopyGmToUb{0, x(6), 1, 1, 0, 0} << Barrier{Pipe::All}
      << CopyUbToGm{x(7), 0, 1, 1, 0, 0} << Barrier{Pipe::All}
      << Alu{AluFunction::Add, x(4), x(4), 1} << Jump{loop};
    a.bind(loop);
    a << End{};
    Report report = bench.run(a.instructions);
    EXPECT_TRUE(report.clean()) << describe(report);
    EXPECT_EQ(out, in);
  }
}

TEST(Launch, OverlappingBindingsAreOneMemory) {
  std::vector<uint8_t> data(128);
  std::iota(data.begin(), data.end(), uint8_t(0));
  KernelBench bench;
  bench.buffers = {{data.data(), 64}, {data.data() + 32, 64}};
  Assembler a;
  a.instructions = copyKernel(64);
  a.instructions.pop_back();
  // What the store wrote is read through the other buffer.
  a << CopyGmToUb{64, x(0), 1, 64, 0, 0} << End{};
  EXPECT_EQ(kindsOf(bench.run(a.instructions)), std::vector{FaultKind::Race});
  EXPECT_EQ(data[32], 0);
}

TEST(Launch, ReadOnlyBuffersStay) {
  std::vector<uint8_t> in(64), out(64, 5);
  KernelBench bench;
  bench.bind(in).bind(out);
  bench.buffers[1].writable = false;
  Report report = bench.run(copyKernel(64));
  EXPECT_EQ(kindsOf(report), std::vector{FaultKind::OutOfBounds});
  EXPECT_EQ(out[0], 5);
}

TEST(Launch, RefusesWrongArguments) {
  std::vector<uint8_t> in(64), out(64);
  KernelBench bench;
  bench.bind(in).bind(out);
  std::vector<uint8_t> bytes = bench.image(copyKernel(64));
  Expected<Simulator> simulator = Simulator::create(bytes.data(), bytes.size());
  ASSERT_TRUE(simulator.ok());
  auto launch = [&](uint32_t kernel, uint32_t blocks,
                    std::vector<BufferBinding> buffers,
                    std::vector<int64_t> scalars) {
    Expected<Report> report =
        simulator->launch(kernel, blocks, buffers, scalars);
    return report.ok() ? "" : report.getDiagnostic().message;
  };
  EXPECT_EQ(launch(1, 1, bench.buffers, {}), "NPU kernel 1 of 1");
  EXPECT_EQ(launch(0, 0, bench.buffers, {}), "a launch of 0 blocks");
  EXPECT_EQ(launch(0, 1, bench.buffers, {1}),
            "NPU kernel 'kernel' takes 2 buffers and 0 scalars, got 2 and 1");
  EXPECT_NE(launch(0, 1, {{nullptr, 4}, {nullptr, 0}}, {}), "");
}

TEST(Launch, KernelsAreFoundByEntry) {
  std::vector<uint8_t> in(64), out(64);
  KernelBench bench;
  bench.bind(in).bind(out);
  std::vector<uint8_t> bytes = bench.image(copyKernel(64));
  Expected<Simulator> simulator = Simulator::create(bytes.data(), bytes.size());
  ASSERT_TRUE(simulator.ok());
  uint64_t entry = simulator->image().kernels[0].entryOffset;
  EXPECT_EQ(simulator->findKernel(entry), 0u);
  EXPECT_EQ(simulator->findKernel(entry + 8), std::nullopt);
  EXPECT_EQ(simulator->blockCount(0, 1), 1u);
  EXPECT_EQ(simulator->blockCount(0, 100), 2u);
}

// Any damage to an image that still decodes runs to an end within its buffers.
TEST(Launch, DamagedProgramsDoNotHarmTheHost) {
  std::vector<uint8_t> a(32 * 64 * 2), b(64 * 32 * 2), bias(64), c(2048);
  KernelBench bench;
  bench.bind(a).bind(b).bind(bias).bind(c, false);
  std::vector<uint8_t> bytes = bench.image(matmulKernel(64));
  SimulatorOptions options;
  options.strict = true;
  options.maxCycles = 100000;
  for (size_t i = 128; i < bytes.size(); ++i) {
    std::vector<uint8_t> damaged = bytes;
    damaged[i] ^= static_cast<uint8_t>(1u << (i % 8));
    Expected<Simulator> simulator =
        Simulator::create(damaged.data(), damaged.size(), options);
    if (simulator)
      (void)simulator->launch(0, 2, bench.buffers, {});
  }
}

} // namespace
