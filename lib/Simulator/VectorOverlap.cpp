// Overlap of a vector instruction's operands.
// SPDX-License-Identifier: Apache-2.0
#include "StrictChecker.h"

#include <fmt/format.h>

#include <set>

namespace atc::sim {

using namespace isa;

namespace {

constexpr int64_t blockBytes = 32;

/// Blocks of one operand: (repeat, block) to block number in UB.
struct Blocks {
  std::string_view name;
  int64_t address, perRepeat, blockStride, repeatStride;

  int64_t number(int64_t repeat, int64_t block) const {
    return address / blockBytes + repeat * repeatStride + block * blockStride;
  }
};

Blocks blocksOf(std::string_view name, int64_t address, DataType type,
                int64_t lanes, int64_t blockStride, int64_t repeatStride) {
  int64_t perBlock = blockBytes / byteSize(type);
  return {name, address, (lanes + perBlock - 1) / perBlock, blockStride,
          repeatStride};
}

struct Operands {
  Blocks dst;
  std::vector<Blocks> sources;
  int64_t repeats = 0;
  /// Source and result blocks correspond one to one.
  bool sameWidth = true;
};

Operands operandsOf(const ResolvedInstruction &instruction) {
  switch (instruction.opcode) {
  case Opcode::VectorUnary: {
    auto f = fieldsOf<ResolvedVectorUnary>(instruction);
    return {
        blocksOf("dst", f.dst, f.type, f.lanes, f.dst_block, f.dst_repeat),
        {blocksOf("src", f.src, f.type, f.lanes, f.src_block, f.src_repeat)},
        f.repeats};
  }
  case Opcode::VectorBinary: {
    auto f = fieldsOf<ResolvedVectorBinary>(instruction);
    return {
        blocksOf("dst", f.dst, f.type, f.lanes, f.dst_block, f.dst_repeat),
        {blocksOf("src0", f.src0, f.type, f.lanes, f.src0_block, f.src0_repeat),
         blocksOf("src1", f.src1, f.type, f.lanes, f.src1_block,
                  f.src1_repeat)},
        f.repeats};
  }
  case Opcode::VectorScalar: {
    auto f = fieldsOf<ResolvedVectorScalar>(instruction);
    return {
        blocksOf("dst", f.dst, f.type, f.lanes, f.dst_block, f.dst_repeat),
        {blocksOf("src", f.src, f.type, f.lanes, f.src_block, f.src_repeat)},
        f.repeats};
  }
  case Opcode::VectorCast: {
    auto f = fieldsOf<ResolvedVectorCast>(instruction);
    return {
        blocksOf("dst", f.dst, f.dst_type, f.lanes, f.dst_block, f.dst_repeat),
        {blocksOf("src", f.src, f.src_type, f.lanes, f.src_block,
                  f.src_repeat)},
        f.repeats,
        byteSize(f.src_type) == byteSize(f.dst_type)};
  }
  default:
    return {};
  }
}

} // namespace

std::string findVectorOverlap(const ResolvedInstruction &instruction) {
  Operands operands = operandsOf(instruction);
  const Blocks &dst = operands.dst;
  std::set<int64_t> written;
  for (int64_t repeat = 0; repeat < operands.repeats; ++repeat) {
    for (const Blocks &src : operands.sources)
      for (int64_t i = 0; i < src.perRepeat; ++i) {
        int64_t block = src.number(repeat, i);
        if (written.count(block))
          return fmt::format("{} in repeat {} reads byte {} of ub, which an "
                             "earlier repeat wrote",
                             src.name, repeat, block * blockBytes);
        for (int64_t j = 0; j < dst.perRepeat; ++j)
          if (block == dst.number(repeat, j) && (i != j || !operands.sameWidth))
            return fmt::format("{} and dst overlap at byte {} of ub, but are "
                               "not the same",
                               src.name, block * blockBytes);
      }
    for (int64_t j = 0; j < dst.perRepeat; ++j)
      written.insert(dst.number(repeat, j));
  }
  return {};
}

} // namespace atc::sim
