// Cycles of instructions, calibrated on published measurements.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Isa/Timing.h"
#include "atc/Isa/Region.h"

#include <algorithm>

namespace atc::isa {

namespace {

uint64_t ceilDiv(uint64_t value, uint64_t divisor) {
  return (value + divisor - 1) / divisor;
}

uint64_t bytesOf(const Region &region) {
  uint64_t bytes = region.bytes;
  for (const Region::Dim &dim : region.dims)
    bytes *= dim.count;
  return bytes;
}

/// Bytes that global memory moves: each run in whole bursts of 32 bytes.
uint64_t burstBytes(const Region &region) {
  constexpr uint64_t granule = 32;
  uint64_t bytes = ceilDiv(region.bytes, granule) * granule;
  for (const Region::Dim &dim : region.dims)
    bytes *= dim.count;
  return bytes;
}

//===----------------------------------------------------------------------===//
// Cube and data movement
//===----------------------------------------------------------------------===//

Cost mmadCost(const ResolvedMmad &f, const TimingConstants &timing) {
  uint64_t size = byteSize(f.type), k0 = 32 / size;
  uint64_t products = ceilDiv(f.m, 16) * ceilDiv(f.n, 16) * ceilDiv(f.k, k0);
  // f32 passes through the array twice, at half the depth.
  if (f.type == DataType::F32)
    products *= 2;
  uint64_t occupancy = products + timing.mmadHead;
  return {occupancy, occupancy + timing.mmadLatency};
}

/// A core's part of a rate that `cores` share, at most its own port.
uint64_t sharedRate(unsigned port, unsigned total, unsigned cores) {
  return std::max<uint64_t>(
      1, std::min<uint64_t>(port, total / std::max(1u, cores)));
}

Cost gmReadCost(uint64_t bytes, unsigned port, const DeviceRecord &device,
                const CostContext &context) {
  const TimingConstants &timing = device.timing;
  unsigned total =
      context.l2Hit ? device.shared.l2Read : device.shared.dramRead;
  uint64_t rate = sharedRate(port, total, context.activeCores);
  uint64_t occupancy =
      std::max<uint64_t>(timing.mte2Minimum, ceilDiv(bytes, rate));
  return {occupancy, occupancy + (context.l2Hit ? timing.mte2HitLatency
                                                : timing.mte2MissLatency)};
}

Cost mte3Cost(uint64_t bytes, uint64_t rate, const TimingConstants &timing) {
  uint64_t occupancy = timing.mte3Head + ceilDiv(bytes, rate);
  return {occupancy, occupancy + timing.mte3Latency};
}

Cost mte1Cost(uint64_t bytes, unsigned port, const TimingConstants &timing,
              const CostContext &context) {
  uint64_t occupancy = ceilDiv(bytes, std::max(1u, port)) + timing.mte1Head;
  if (context.l1WriteConcurrent)
    occupancy += timing.mte1Contention;
  return {occupancy, occupancy + timing.mte1Latency};
}

Cost fixpipeCost(uint64_t elements, uint64_t bytes, uint64_t rate,
                 const TimingConstants &timing) {
  uint64_t occupancy =
      timing.fixHead + std::max(ceilDiv(elements, timing.fixElementsPerCycle),
                                ceilDiv(bytes, rate));
  return {occupancy, occupancy};
}

//===----------------------------------------------------------------------===//
// Vector
//===----------------------------------------------------------------------===//

/// cycles = head + slope * repeats; the slope in hundredths.
struct VectorRate {
  unsigned head, slope16, slope32;
};

VectorRate unaryRate(UnaryFunction function) {
  switch (function) {
  case UnaryFunction::Copy:
    return {18, 100, 100};
  case UnaryFunction::Exp:
  case UnaryFunction::Ln:
  case UnaryFunction::Sqrt:
    return {31, 400, 200};
  case UnaryFunction::Not:
    return {20, 150, 150};
  case UnaryFunction::Abs:
  case UnaryFunction::Rsqrt:
  case UnaryFunction::Reciprocal:
  case UnaryFunction::Relu:
    return {24, 100, 100};
  }
  return {};
}

VectorRate binaryRate(BinaryFunction function) {
  switch (function) {
  case BinaryFunction::Add:
  case BinaryFunction::Subtract:
    return {24, 132, 132};
  case BinaryFunction::Multiply:
    return {25, 135, 135};
  case BinaryFunction::Divide:
    return {31, 590, 400};
  case BinaryFunction::Maximum:
  case BinaryFunction::Minimum:
    return {23, 140, 140};
  case BinaryFunction::And:
  case BinaryFunction::Or:
    return {20, 150, 150};
  }
  return {};
}

VectorRate vectorRate(const ResolvedInstruction &instruction) {
  switch (instruction.opcode) {
  case Opcode::VectorUnary:
    return unaryRate(static_cast<UnaryFunction>(instruction.modifiers[0]));
  case Opcode::VectorBinary:
    return binaryRate(static_cast<BinaryFunction>(instruction.modifiers[0]));
  case Opcode::VectorCast:
    return {27, 110, 94};
  default:
    return {24, 100, 100};
  }
}

/// The value of the operand of that name; every vector instruction has it.
int64_t valueOf(const ResolvedInstruction &instruction, std::string_view name) {
  const InstructionInfo &info = instructionInfo(instruction.opcode);
  for (unsigned i = 0; i < info.operandCount; ++i)
    if (info.operands[i].name == name)
      return instruction.values[i];
  return 1;
}

Cost vectorCost(const ResolvedInstruction &instruction,
                const TimingConstants &timing, const CostContext &context) {
  VectorRate rate = vectorRate(instruction);
  int64_t fullLanes = lanesPerRepeat(instruction);
  uint64_t repeats = valueOf(instruction, "repeats");
  uint64_t slope = fullLanes > 64 ? rate.slope16 : rate.slope32;
  uint64_t occupancy = ceilDiv(slope * repeats, 100);
  if (context.pipeIdle)
    occupancy += rate.head;
  if (valueOf(instruction, "lanes") != fullLanes)
    occupancy += timing.vectorMaskPenalty;
  // A hidden start-up still delays the results.
  uint64_t latency = context.pipeIdle ? occupancy : occupancy + rate.head;
  return {occupancy, latency};
}

} // namespace

Cost instructionCost(const ResolvedInstruction &instruction,
                     const DeviceRecord &device, const CostContext &context) {
  const TimingConstants &timing = device.timing;
  const PortRates &ports = device.ports;
  const InstructionInfo &info = instructionInfo(instruction.opcode);
  if (instruction.opcode == Opcode::SetFlag)
    return {1, 1 + timing.flagLatency};
  if (info.pipe == Pipe::S)
    return {1, 1};
  if (info.pipe == Pipe::V)
    return vectorCost(instruction, timing, context);
  if (instruction.opcode == Opcode::Mmad)
    return mmadCost(fieldsOf<ResolvedMmad>(instruction), timing);

  std::vector<Region> regions;
  appendRegions(instruction, regions);
  uint64_t read = 0, written = 0, gmBytes = 0;
  for (const Region &region : regions) {
    (region.isWrite ? written : read) += bytesOf(region);
    if (region.space == Space::GM)
      gmBytes += burstBytes(region);
  }
  uint64_t writeRate =
      sharedRate(~0u, device.shared.l2Write, context.activeCores);
  switch (instruction.opcode) {
  case Opcode::CopyGmToL1:
  case Opcode::Nd2Nz:
    return gmReadCost(gmBytes, ports.gmToL1, device, context);
  case Opcode::CopyGmToUb:
    return gmReadCost(gmBytes, ports.gmToUb, device, context);
  case Opcode::CopyUbToGm:
    return mte3Cost(gmBytes, std::min<uint64_t>(ports.ubToGm, writeRate),
                    timing);
  case Opcode::CopyUbToL1:
    return mte3Cost(written, std::max(1u, ports.ubToL1), timing);
  case Opcode::Load2dL0A:
  case Opcode::Load3dL0A:
    return mte1Cost(written, ports.l1ToL0A, timing, context);
  case Opcode::Load2dL0B:
    return mte1Cost(written, ports.l1ToL0B, timing, context);
  case Opcode::LoadBias:
    return mte1Cost(written, ports.l1ToBt, timing, context);
  case Opcode::FixpipeToGm:
    return fixpipeCost(
        read / 4, gmBytes,
        std::max<uint64_t>(1, std::min<uint64_t>(ports.l0cToGm, writeRate)),
        timing);
  case Opcode::FixpipeToL1:
    return fixpipeCost(read / 4, written, std::max(1u, ports.l0cToL1), timing);
  case Opcode::FixpipeToUb:
    return fixpipeCost(read / 4, written, std::max(1u, ports.l0cToUb), timing);
  default:
    return {1, 1};
  }
}

} // namespace atc::isa
