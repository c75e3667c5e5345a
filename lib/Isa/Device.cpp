// The device records, and which instructions a device has.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Isa/Device.h"

#include <fmt/format.h>

namespace atc::isa {

namespace {

constexpr uint64_t KiB = 1024, MiB = 1024 * KiB, GiB = 1024 * MiB;

constexpr uint16_t bit(DataType type) {
  return static_cast<uint16_t>(1u << static_cast<unsigned>(type));
}
constexpr uint16_t allTypes = 0x1ff;
constexpr uint16_t withoutBf16 =
    static_cast<uint16_t>(allTypes & ~bit(DataType::BF16));

// Calibrated on the 2201 generation and taken for all.
constexpr TimingConstants calibrated(unsigned fixElementsPerCycle,
                                     unsigned launch) {
  return {/*mmadHead=*/9,           /*mmadLatency=*/52,
          /*mte1Head=*/24,          /*mte1Latency=*/10,
          /*mte1Contention=*/30,    /*mte2Minimum=*/20,
          /*mte2HitLatency=*/300,   /*mte2MissLatency=*/500,
          /*mte3Head=*/12,          /*mte3Latency=*/200,
          /*fixHead=*/40,           fixElementsPerCycle,
          /*vectorMaskPenalty=*/16,
          /*flagLatency=*/10,       launch};
}

constexpr DeviceRecord records[] = {
    {"Ascend310P3",
     "2002",
     /*fused=*/true,
     /*cubeCores=*/8,
     /*vectorCores=*/8,
     /*cubeMHz=*/1060,
     /*vectorMHz=*/1000,
     {24 * GiB, 1 * MiB, 64 * KiB, 64 * KiB, 256 * KiB, 256 * KiB, 0, 0},
     /*l2Bytes=*/16 * MiB,
     bit(DataType::F16) | bit(DataType::S8),
     withoutBf16,
     /*transposingDma=*/false,
     /*eventIds=*/8,
     /*queueDepth=*/32,
     {/*gmToL1=*/114, /*gmToUb=*/114, /*ubToGm=*/114, /*ubToL1=*/256,
      /*l1ToL0A=*/512, /*l1ToL0B=*/256, /*l1ToBt=*/0, /*l0cToGm=*/0,
      /*l0cToL1=*/0, /*l0cToUb=*/512},
     {/*l2Read=*/114 * 8, /*l2Write=*/114 * 8, /*dramRead=*/17 * 8,
      /*dramWrite=*/17 * 8},
     calibrated(/*fixElementsPerCycle=*/128, /*launch=*/5300)},
    {"Ascend910B1",
     "2201",
     /*fused=*/false,
     /*cubeCores=*/24,
     /*vectorCores=*/48,
     /*cubeMHz=*/1850,
     /*vectorMHz=*/1850,
     {64 * GiB, 512 * KiB, 64 * KiB, 64 * KiB, 128 * KiB, 192 * KiB, 1 * KiB,
      7 * KiB},
     /*l2Bytes=*/192 * MiB,
     bit(DataType::F16) | bit(DataType::BF16) | bit(DataType::F32) |
         bit(DataType::S8),
     allTypes,
     /*transposingDma=*/false,
     /*eventIds=*/8,
     /*queueDepth=*/32,
     {/*gmToL1=*/110, /*gmToUb=*/64, /*ubToGm=*/109, /*ubToL1=*/0,
      /*l1ToL0A=*/256, /*l1ToL0B=*/128, /*l1ToBt=*/18, /*l0cToGm=*/66,
      /*l0cToL1=*/74, /*l0cToUb=*/0},
     {/*l2Read=*/110 * 24, /*l2Write=*/86 * 24, /*dramRead=*/32 * 24,
      /*dramWrite=*/32 * 24},
     calibrated(/*fixElementsPerCycle=*/32, /*launch=*/9250)},
    // A device for tests: every feature, buffers so small that tiny tensors
    // need several tiles, and two cores so that they need several blocks.
    {"TinyNpu",
     "tiny",
     /*fused=*/true,
     /*cubeCores=*/2,
     /*vectorCores=*/2,
     /*cubeMHz=*/1000,
     /*vectorMHz=*/1000,
     {1 * GiB, 64 * KiB, 8 * KiB, 8 * KiB, 16 * KiB, 32 * KiB, 1 * KiB,
      1 * KiB},
     /*l2Bytes=*/1 * MiB,
     bit(DataType::F16) | bit(DataType::BF16) | bit(DataType::F32) |
         bit(DataType::S8),
     allTypes,
     /*transposingDma=*/true,
     /*eventIds=*/8,
     /*queueDepth=*/8,
     {/*gmToL1=*/64, /*gmToUb=*/32, /*ubToGm=*/32, /*ubToL1=*/64,
      /*l1ToL0A=*/128, /*l1ToL0B=*/64, /*l1ToBt=*/32, /*l0cToGm=*/32,
      /*l0cToL1=*/32, /*l0cToUb=*/64},
     {/*l2Read=*/128, /*l2Write=*/64, /*dramRead=*/64, /*dramWrite=*/32},
     calibrated(/*fixElementsPerCycle=*/32, /*launch=*/1000)},
};

constexpr uint8_t bit(Pipe pipe) {
  return static_cast<uint8_t>(1u << static_cast<unsigned>(pipe));
}

/// Bytes per cycle of the path that an instruction uses; 1 for none.
unsigned portOf(Opcode opcode, const PortRates &ports) {
  switch (opcode) {
  case Opcode::CopyGmToL1:
  case Opcode::Nd2Nz:
    return ports.gmToL1;
  case Opcode::CopyGmToUb:
    return ports.gmToUb;
  case Opcode::CopyUbToGm:
    return ports.ubToGm;
  case Opcode::CopyUbToL1:
    return ports.ubToL1;
  case Opcode::Load2dL0A:
  case Opcode::Load3dL0A:
    return ports.l1ToL0A;
  case Opcode::Load2dL0B:
    return ports.l1ToL0B;
  case Opcode::LoadBias:
    return ports.l1ToBt;
  case Opcode::FixpipeToGm:
    return ports.l0cToGm;
  case Opcode::FixpipeToL1:
    return ports.l0cToL1;
  case Opcode::FixpipeToUb:
    return ports.l0cToUb;
  default:
    return 1;
  }
}

bool hasType(uint16_t types, uint8_t type) { return (types >> type) & 1; }

std::string typeConflict(const Instruction &instruction,
                         const DeviceRecord &device) {
  const InstructionInfo &info = instructionInfo(instruction.opcode);
  uint16_t types = instruction.opcode == Opcode::Mmad ? device.cubeTypes
                   : info.pipe == Pipe::V             ? device.vectorTypes
                                                      : allTypes;
  for (unsigned i = 0; i < info.modifierCount; ++i) {
    if (info.modifiers[i].kind != ModifierKind::DataType ||
        hasType(types, instruction.modifiers[i]))
      continue;
    return fmt::format(
        "{} does not compute in {}", device.name,
        modifierValueName(ModifierKind::DataType, instruction.modifiers[i]));
  }
  return {};
}

std::string operandConflict(const Instruction &instruction,
                            const DeviceRecord &device) {
  const InstructionInfo &info = instructionInfo(instruction.opcode);
  bool isFlag = instruction.opcode == Opcode::SetFlag ||
                instruction.opcode == Opcode::WaitFlag;
  for (unsigned i = 0; i < info.operandCount; ++i) {
    const OperandInfo &operand = info.operands[i];
    const Operand &value = instruction.operands[i];
    if (isFlag && !value.isRegister &&
        value.value >= static_cast<int64_t>(device.eventIds))
      return fmt::format("flag id {} is not below {}", value.value,
                         device.eventIds);
    if (operand.role != OperandRole::Address || operand.space == Space::GM ||
        value.isRegister)
      continue;
    // An unused bias address of zero needs no bias table.
    bool unusedBias = operand.space == Space::BT &&
                      instruction.opcode == Opcode::Mmad && value.value == 0;
    if (static_cast<uint64_t>(value.value) >= device.bytesOf(operand.space) &&
        !unusedBias)
      return fmt::format("{} = {} is outside of {} with {} bytes", operand.name,
                         value.value, spaceName(operand.space),
                         device.bytesOf(operand.space));
  }
  return {};
}

} // namespace

std::string_view coreTypeName(CoreType core) {
  constexpr std::string_view names[] = {"fused", "cube", "vector"};
  return names[static_cast<unsigned>(core)];
}

const DeviceRecord *deviceRecords() { return records; }
unsigned deviceRecordCount() { return sizeof(records) / sizeof(DeviceRecord); }

const DeviceRecord *findDevice(std::string_view name) {
  for (const DeviceRecord &record : records)
    if (record.name == name)
      return &record;
  return nullptr;
}

uint8_t corePipes(CoreType core) {
  constexpr uint8_t cube = bit(Pipe::S) | bit(Pipe::M) | bit(Pipe::MTE1) |
                           bit(Pipe::MTE2) | bit(Pipe::FIX);
  constexpr uint8_t vector =
      bit(Pipe::S) | bit(Pipe::V) | bit(Pipe::MTE2) | bit(Pipe::MTE3);
  switch (core) {
  case CoreType::Fused:
    return cube | vector;
  case CoreType::Cube:
    return cube;
  case CoreType::Vector:
    return vector;
  }
  return 0;
}

std::string deviceConflict(const Instruction &instruction,
                           const DeviceRecord &device, CoreType core) {
  if (device.fused != (core == CoreType::Fused))
    return fmt::format("{} has no {} cores", device.name, coreTypeName(core));
  uint8_t pipes = corePipes(core);
  auto missing = [&](Pipe pipe) {
    return pipe != Pipe::All && !(pipes & bit(pipe));
  };
  const InstructionInfo &info = instructionInfo(instruction.opcode);
  Pipe lacking = pipeOf(instruction);
  for (unsigned i = 0; i < info.modifierCount && !missing(lacking); ++i)
    if (info.modifiers[i].kind == ModifierKind::Pipe)
      lacking = static_cast<Pipe>(instruction.modifiers[i]);
  if (missing(lacking))
    return fmt::format("a {} core has no pipe {}", coreTypeName(core),
                       pipeName(lacking));
  if (portOf(instruction.opcode, device.ports) == 0)
    return fmt::format("{} has no path for {}", device.name, info.mnemonic);
  if (instruction.opcode == Opcode::Nd2Nz && instruction.modifiers[1] &&
      !device.transposingDma)
    return fmt::format("{} does not transpose while it loads", device.name);
  if (std::string conflict = typeConflict(instruction, device);
      !conflict.empty())
    return conflict;
  return operandConflict(instruction, device);
}

} // namespace atc::isa
