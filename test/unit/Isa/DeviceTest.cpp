// Device records and what they lack.
// SPDX-License-Identifier: Apache-2.0
#include "SampleInstructions.h"

#include "atc/Isa/Device.h"

#include <gmock/gmock.h>

using namespace atc::isa;

namespace {

const DeviceRecord &device(std::string_view name) { return *findDevice(name); }

TEST(Device, RecordsAreSortedByName) {
  for (unsigned i = 1; i < deviceRecordCount(); ++i)
    EXPECT_LT(deviceRecords()[i - 1].name, deviceRecords()[i].name);
}

TEST(Device, UnknownNamesAreNull) {
  EXPECT_EQ(findDevice("TinyNpu2"), nullptr);
}

TEST(Device, TinyNpuHasEveryInstruction) {
  for (const Instruction &instruction : sampleProgram(true))
    EXPECT_EQ(deviceConflict(instruction, device("TinyNpu"), CoreType::Fused),
              "");
}

TEST(Device, SplitDevicesHaveNoFusedCores) {
  EXPECT_EQ(deviceConflict(toInstruction(End{}), device("Ascend910B1"),
                           CoreType::Fused),
            "Ascend910B1 has no fused cores");
}

TEST(Device, VectorCoresHaveNoCube) {
  Mmad mmad{DataType::F16, MmadInit::Zero, 0, 0, 0, 0, 16, 16, 16};
  EXPECT_EQ(deviceConflict(toInstruction(mmad), device("Ascend910B1"),
                           CoreType::Vector),
            "a vector core has no pipe m");
  EXPECT_EQ(deviceConflict(toInstruction(SetFlag{Pipe::V, Pipe::M, 0}),
                           device("Ascend910B1"), CoreType::Vector),
            "a vector core has no pipe m");
}

TEST(Device, PathsThatAreMissingAreTold) {
  LoadBias bias{DataType::F16, 0, 0, 16};
  EXPECT_EQ(deviceConflict(toInstruction(bias), device("Ascend310P3"),
                           CoreType::Fused),
            "Ascend310P3 has no path for load_bias");
}

TEST(Device, TypesThatAreMissingAreTold) {
  Mmad mmad{DataType::BF16, MmadInit::Zero, 0, 0, 0, 0, 16, 16, 16};
  EXPECT_EQ(deviceConflict(toInstruction(mmad), device("Ascend310P3"),
                           CoreType::Fused),
            "Ascend310P3 does not compute in bf16");
}

TEST(Device, ConstantAddressesLieInTheirSpace) {
  Mmad mmad{DataType::F16, MmadInit::Zero, 0, 8192, 0, 0, 16, 16, 16};
  EXPECT_EQ(
      deviceConflict(toInstruction(mmad), device("TinyNpu"), CoreType::Fused),
      "a = 8192 is outside of l0a with 8192 bytes");
}

TEST(Device, FlagIdsAreLimited) {
  EXPECT_EQ(deviceConflict(toInstruction(SetFlag{Pipe::V, Pipe::MTE3, 8}),
                           device("TinyNpu"), CoreType::Fused),
            "flag id 8 is not below 8");
}

} // namespace
