// Cycle formulas against the published measurements that they describe.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Isa/Timing.h"

#include <gtest/gtest.h>

using namespace atc::isa;

namespace {

template <typename Fields>
Cost cost(const Fields &fields, CostContext context = {}) {
  Instruction instruction = toInstruction(fields);
  ResolvedInstruction resolved;
  resolved.opcode = instruction.opcode;
  resolved.modifiers = instruction.modifiers;
  for (unsigned i = 0; i < maxOperands; ++i)
    resolved.values[i] = instruction.operands[i].value;
  return instructionCost(resolved, *findDevice("Ascend910B1"), context);
}

// A 128x256x64 product streams at 521 cycles and takes 573 to 575 alone.
TEST(Timing, MultiplyAccumulate) {
  Mmad mmad{DataType::F16, MmadInit::Zero, 0, 0, 0, 0, 128, 256, 64};
  EXPECT_EQ(cost(mmad).occupancy, 521u);
  EXPECT_EQ(cost(mmad).latency, 573u);
}

TEST(Timing, SinglePrecisionRunsAtAQuarter) {
  Mmad mmad{DataType::F32, MmadInit::Zero, 0, 0, 0, 0, 128, 256, 64};
  EXPECT_EQ(cost(mmad).occupancy, 4 * 512u + 9);
}

// 4,096 f32 additions without bank conflicts take about 88 cycles; the slope
// of 1.32 is the mean over placements.
TEST(Timing, VectorAddition) {
  VectorBinary add{
      BinaryFunction::Add, DataType::F32, 0, 0, 0, 64, 64, 1, 1, 1, 8, 8, 8};
  EXPECT_NEAR(static_cast<double>(cost(add).occupancy), 24 + 64 * 1.32, 1);
  CostContext streaming;
  streaming.pipeIdle = false;
  EXPECT_NEAR(static_cast<double>(cost(add, streaming).occupancy), 64 * 1.32,
              1);
}

// L1 to L0A moves 256 bytes a cycle after 24 cycles of start.
TEST(Timing, OperandLoad) {
  Load2dL0A load{Toggle::Off, 0, 0, 32, 1, 1};
  EXPECT_EQ(cost(load).occupancy, 32 * 512 / 256 + 24u);
}

TEST(Timing, GlobalReadsShareBandwidthAndMissTheCache) {
  CopyGmToUb copy{0, 0, 1, 65536, 0, 0};
  CostContext alone, crowded, cold;
  crowded.activeCores = 48;
  cold.activeCores = 48;
  cold.l2Hit = false;
  EXPECT_LT(cost(copy, alone).occupancy, cost(copy, crowded).occupancy);
  EXPECT_LT(cost(copy, crowded).occupancy, cost(copy, cold).occupancy);
}

} // namespace
