// Every hazard: a kernel that has it, and its twin that has not.
// SPDX-License-Identifier: Apache-2.0
#include "ExampleKernels.h"

using namespace atc;
using namespace atc::isa;
using namespace atc::sim;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

/// Runs a kernel with 4 KiB of input and 4 KiB of output.
class Hazard : public testing::Test {
protected:
  Report run(const Assembler &a) {
    std::vector<uint8_t> in(4096, 1), out(4096);
    KernelBench bench;
    bench.options = options;
    bench.blocks = blocks;
    bench.bind(in).bind(out, outputInitialized);
    return bench.run(a.instructions);
  }
  /// x0: input, x1: output.
  static Assembler start() {
    Assembler a;
    a << LoadArgument{x(0), 0} << LoadArgument{x(1), 1};
    return a;
  }
  static void join(Assembler &a, Pipe from, Pipe to) {
    a << SetFlag{from, to, 0} << WaitFlag{from, to, 0};
  }

  SimulatorOptions options = [] {
    SimulatorOptions result;
    result.strict = true;
    return result;
  }();
  uint32_t blocks = 1;
  bool outputInitialized = false;
};

TEST_F(Hazard, ReadAfterWriteBetweenPipes) {
  for (bool fixed : {false, true}) {
    Assembler a = start();
    a << CopyGmToUb{0, x(0), 1, 64, 0, 0};
    if (fixed)
      join(a, Pipe::MTE2, Pipe::MTE3);
    a << CopyUbToGm{x(1), 0, 1, 64, 0, 0} << End{};
    Report report = run(a);
    if (fixed) {
      EXPECT_TRUE(report.clean()) << describe(report);
      continue;
    }
    ASSERT_THAT(kindsOf(report), ElementsAre(FaultKind::Race));
    EXPECT_EQ(report.faults[0].instruction, 3u);
    EXPECT_EQ(report.faults[0].otherInstruction, 2u);
    EXPECT_THAT(report.faults[0].message,
                HasSubstr("reads byte 0 of ub with nothing between it and the "
                          "write by instruction 2 of pipe mte2"));
  }
}

TEST_F(Hazard, WriteAfterReadBetweenPipes) {
  for (bool fixed : {false, true}) {
    Assembler a = start();
    a << CopyGmToUb{0, x(0), 1, 64, 0, 0};
    join(a, Pipe::MTE2, Pipe::MTE3);
    a << CopyUbToGm{x(1), 0, 1, 64, 0, 0};
    if (fixed)
      join(a, Pipe::MTE3, Pipe::MTE2);
    a << CopyGmToUb{0, x(0), 1, 64, 0, 0} << End{};
    Report report = run(a);
    EXPECT_EQ(kindsOf(report),
              fixed ? std::vector<FaultKind>{} : std::vector{FaultKind::Race});
  }
}

TEST_F(Hazard, ReadAfterWriteWithinAPipeNeedsABarrier) {
  for (bool fixed : {false, true}) {
    Assembler a = start();
    a << VectorDuplicate{DataType::F16, 0, 1, 128, 1, 1, 8};
    if (fixed)
      a << Barrier{Pipe::V};
    a << VectorUnary{UnaryFunction::Relu,
                     DataType::F16,
                     512,
                     0,
                     128,
                     1,
                     1,
                     1,
                     8,
                     8}
      << End{};
    EXPECT_EQ(kindsOf(run(a)),
              fixed ? std::vector<FaultKind>{} : std::vector{FaultKind::Race});
  }
}

TEST_F(Hazard, DisjointBytesOfABlockDoNotRace) {
  Assembler a = start();
  a << VectorDuplicate{DataType::F16, 0, 1, 8, 1, 1, 8}
    << VectorDuplicate{DataType::F16, 32, 1, 8, 1, 1, 8} << End{};
  EXPECT_TRUE(run(a).clean());
}

/// Two accumulations into one C of `size` x `size`.
Assembler accumulations(Assembler a, int32_t size, bool barrier) {
  int32_t fractals = (size / 16);
  a << CopyGmToL1{0, x(0), 1, 2048, 0, 0} << SetFlag{Pipe::MTE2, Pipe::MTE1, 0}
    << WaitFlag{Pipe::MTE2, Pipe::MTE1, 0}
    << Load2dL0A{Toggle::Off, 0, 0, fractals, 1, 1}
    << Load2dL0B{Toggle::Off, 0, 0, fractals, 1, 1}
    << SetFlag{Pipe::MTE1, Pipe::M, 0} << WaitFlag{Pipe::MTE1, Pipe::M, 0}
    << Mmad{DataType::F16, MmadInit::Zero, 0, 0, 0, 0, size, size, 16};
  if (barrier)
    a << Barrier{Pipe::M};
  a << Mmad{DataType::F16, MmadInit::Accumulate, 0, 0, 0, 0, size, size, 16}
    << End{};
  return a;
}

TEST_F(Hazard, SmallAccumulationsNeedABarrier) {
  EXPECT_EQ(kindsOf(run(accumulations(start(), 16, false))),
            std::vector{FaultKind::Race});
  EXPECT_TRUE(run(accumulations(start(), 16, true)).clean());
}

TEST_F(Hazard, LargeAccumulationsNeedNoBarrier) {
  EXPECT_TRUE(run(accumulations(start(), 64, false)).clean());
}

TEST_F(Hazard, UninitializedRead) {
  for (bool fixed : {false, true}) {
    Assembler a = start();
    a << CopyGmToUb{0, x(0), 1, fixed ? 64 : 32, 0, 0};
    join(a, Pipe::MTE2, Pipe::MTE3);
    a << CopyUbToGm{x(1), 0, 1, 64, 0, 0} << End{};
    Report report = run(a);
    ASSERT_EQ(kindsOf(report), fixed
                                   ? std::vector<FaultKind>{}
                                   : std::vector{FaultKind::UninitializedRead});
    if (!fixed)
      EXPECT_THAT(report.faults[0].message,
                  HasSubstr("reads byte 32 of ub, which nothing wrote"));
  }
}

TEST_F(Hazard, UninitializedOutputIsNotAnInput) {
  Assembler a = start();
  a << CopyGmToUb{0, x(1), 1, 32, 0, 0} << End{};
  EXPECT_EQ(kindsOf(run(a)), std::vector{FaultKind::UninitializedRead});
  outputInitialized = true;
  EXPECT_TRUE(run(a).clean());
}

TEST_F(Hazard, OutOfLocalBounds) {
  for (bool fixed : {false, true}) {
    Assembler a = start();
    a << MoveImmediate{x(2), fixed ? 32768 - 64 : 32768 - 32, 0}
      << CopyGmToUb{x(2), x(0), 1, 64, 0, 0} << End{};
    Report report = run(a);
    EXPECT_EQ(kindsOf(report), fixed ? std::vector<FaultKind>{}
                                     : std::vector{FaultKind::OutOfBounds});
  }
}

TEST_F(Hazard, OutOfGlobalBounds) {
  for (bool fixed : {false, true}) {
    Assembler a = start();
    a << Alu{AluFunction::Add, x(2), x(0), fixed ? 4096 - 64 : 4096 - 63}
      << CopyGmToUb{0, x(2), 1, 64, 0, 0} << End{};
    Report report = run(a);
    ASSERT_EQ(kindsOf(report), fixed ? std::vector<FaultKind>{}
                                     : std::vector{FaultKind::OutOfBounds});
    if (!fixed)
      EXPECT_THAT(report.faults[0].message,
                  HasSubstr("reads 64 bytes at byte 4033 of a gm buffer with "
                            "4096 bytes"));
  }
}

TEST_F(Hazard, MisalignedRegister) {
  for (bool fixed : {false, true}) {
    Assembler a = start();
    a << MoveImmediate{x(2), fixed ? 64 : 48, 0}
      << CopyGmToUb{x(2), x(0), 1, 64, 0, 0} << End{};
    EXPECT_EQ(kindsOf(run(a)), fixed ? std::vector<FaultKind>{}
                                     : std::vector{FaultKind::Misaligned});
  }
}

TEST_F(Hazard, FieldLimitOfARegister) {
  for (bool fixed : {false, true}) {
    Assembler a = start();
    a << MoveImmediate{x(2), fixed ? 64 : 65, 0}
      << VectorDuplicate{DataType::F32, 0, 0, x(2), 1, 1, 8} << End{};
    EXPECT_EQ(kindsOf(run(a)), fixed ? std::vector<FaultKind>{}
                                     : std::vector{FaultKind::FieldLimit});
  }
}

TEST_F(Hazard, WaitWithoutSetIsADeadlock) {
  for (bool fixed : {false, true}) {
    Assembler a = start();
    a << WaitFlag{Pipe::MTE2, Pipe::V, 3}
      << VectorDuplicate{DataType::F16, 0, 1, 128, 1, 1, 8};
    // A set behind its wait in the program is fine: they run on two pipes.
    if (fixed)
      a << SetFlag{Pipe::MTE2, Pipe::V, 3};
    a << End{};
    Report report = run(a);
    ASSERT_EQ(kindsOf(report), fixed ? std::vector<FaultKind>{}
                                     : std::vector{FaultKind::Deadlock});
    if (!fixed)
      EXPECT_THAT(report.faults[0].message,
                  HasSubstr("pipe v waits at instruction 2 (wait_flag.mte2.v "
                            "id=3)"));
  }
}

TEST_F(Hazard, FullQueueInFrontOfABlockedPipeIsADeadlock) {
  for (int32_t count : {7, 8}) { // Of 8 places, the wait takes one.
    Assembler a = start();
    a << WaitFlag{Pipe::MTE2, Pipe::V, 0};
    for (int32_t i = 0; i < count; ++i)
      a << VectorDuplicate{DataType::F16, i * 256, 1, 128, 1, 1, 8};
    a << SetFlag{Pipe::MTE2, Pipe::V, 0} << End{};
    EXPECT_EQ(kindsOf(run(a)), count == 7 ? std::vector<FaultKind>{}
                                          : std::vector{FaultKind::Deadlock});
  }
}

TEST_F(Hazard, LeftoverFlag) {
  for (bool fixed : {false, true}) {
    Assembler a = start();
    a << SetFlag{Pipe::MTE2, Pipe::V, 0};
    if (fixed)
      a << WaitFlag{Pipe::MTE2, Pipe::V, 0};
    a << End{};
    EXPECT_EQ(kindsOf(run(a)), fixed ? std::vector<FaultKind>{}
                                     : std::vector{FaultKind::LeftoverFlag});
  }
}

TEST_F(Hazard, DoubleSetNeedsKnowledgeOfTheWait) {
  for (bool fixed : {false, true}) {
    Assembler a = start();
    join(a, Pipe::MTE2, Pipe::V);
    if (fixed) // V tells MTE2 that its wait is over.
      join(a, Pipe::V, Pipe::MTE2);
    join(a, Pipe::MTE2, Pipe::V);
    a << End{};
    EXPECT_EQ(kindsOf(run(a)), fixed ? std::vector<FaultKind>{}
                                     : std::vector{FaultKind::DoubleSet});
  }
}

TEST_F(Hazard, FlagIdInARegister) {
  for (bool fixed : {false, true}) {
    Assembler a = start();
    a << MoveImmediate{x(2), fixed ? 7 : 8, 0}
      << SetFlag{Pipe::MTE2, Pipe::V, x(2)}
      << WaitFlag{Pipe::MTE2, Pipe::V, x(2)} << End{};
    EXPECT_EQ(kindsOf(run(a)), fixed ? std::vector<FaultKind>{}
                                     : std::vector{FaultKind::FlagId});
  }
}

TEST_F(Hazard, VectorOperandsOverlapInPart) {
  for (bool fixed : {false, true}) {
    Assembler a = start();
    a << CopyGmToUb{0, x(0), 1, 1024, 0, 0};
    join(a, Pipe::MTE2, Pipe::V);
    a << VectorUnary{UnaryFunction::Relu,
                     DataType::F16,
                     fixed ? 0 : 32,
                     0,
                     128,
                     1,
                     1,
                     1,
                     8,
                     8}
      << End{};
    EXPECT_EQ(kindsOf(run(a)), fixed ? std::vector<FaultKind>{}
                                     : std::vector{FaultKind::VectorOverlap});
  }
}

TEST_F(Hazard, LaterRepeatReadsAnEarlierResult) {
  for (bool fixed : {false, true}) {
    Assembler a = start();
    a << CopyGmToUb{0, x(0), 1, 2048, 0, 0};
    join(a, Pipe::MTE2, Pipe::V);
    a << VectorUnary{UnaryFunction::Relu,
                     DataType::F16,
                     fixed ? 512 : 256,
                     0,
                     128,
                     2,
                     1,
                     1,
                     8,
                     8}
      << End{};
    EXPECT_EQ(kindsOf(run(a)), fixed ? std::vector<FaultKind>{}
                                     : std::vector{FaultKind::VectorOverlap});
  }
}

TEST_F(Hazard, BlocksMustNotWriteTheSameBytes) {
  blocks = 2;
  for (bool fixed : {false, true}) {
    Assembler a = start();
    a << ReadSpecial{SpecialRegister::BlockIndex, x(2)}
      << Alu{AluFunction::Multiply, x(2), x(2), fixed ? 5 : 4}
      << Alu{AluFunction::Add, x(1), x(1), x(2)}
      << CopyGmToUb{0, x(0), 1, 64, 0, 0};
    join(a, Pipe::MTE2, Pipe::MTE3);
    a << CopyUbToGm{x(1), 0, 1, 5, 0, 0} << End{};
    Report report = run(a);
    ASSERT_EQ(kindsOf(report),
              fixed ? std::vector<FaultKind>{} : std::vector{FaultKind::Race});
    if (!fixed) {
      EXPECT_EQ(report.faults[0].block, 1u);
      EXPECT_EQ(report.faults[0].otherBlock, 0u);
    }
  }
}

TEST_F(Hazard, EndlessLoopsEnd) {
  options.maxCycles = 1000;
  Assembler a = start();
  a << Jump{2} << End{};
  EXPECT_EQ(kindsOf(run(a)), std::vector{FaultKind::CycleLimit});
}

TEST_F(Hazard, HugeTransfersAreRefusedBeforeTheyRun) {
  options.maxCycles = 1 << 20;
  Assembler a = start();
  a << Nd2Nz{ElementWidth::B32,
             Toggle::Off,
             0,
             x(0),
             4095,
             16384,
             65535,
             0,
             0,
             0,
             0}
    << End{};
  EXPECT_EQ(kindsOf(run(a)), std::vector{FaultKind::CycleLimit});
}

TEST_F(Hazard, ProgramsMustEnd) {
  EXPECT_EQ(kindsOf(run(start())), std::vector{FaultKind::NoEnd});
}

TEST_F(Hazard, DivisionByZero) {
  Assembler a = start();
  a << Alu{AluFunction::Modulo, x(2), 1, 0} << End{};
  EXPECT_EQ(kindsOf(run(a)), std::vector{FaultKind::DivideByZero});
}

TEST_F(Hazard, OnlyStrictModeLooksForRaces) {
  options.strict = false;
  Assembler a = start();
  a << CopyGmToUb{0, x(0), 1, 64, 0, 0} << CopyUbToGm{x(1), 0, 1, 64, 0, 0}
    << End{};
  EXPECT_TRUE(run(a).clean());
}

} // namespace
