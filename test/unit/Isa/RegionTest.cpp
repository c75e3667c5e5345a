// The bytes that instructions declare to read and write.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Isa/Region.h"

#include <gmock/gmock.h>

#include <set>

using namespace atc::isa;

namespace {

/// Resolves an instruction without registers.
template <typename Fields>
ResolvedInstruction resolve(const Fields &fields) {
  Instruction instruction = toInstruction(fields);
  ResolvedInstruction resolved;
  resolved.opcode = instruction.opcode;
  resolved.modifiers = instruction.modifiers;
  for (unsigned i = 0; i < maxOperands; ++i)
    resolved.values[i] = instruction.operands[i].value;
  return resolved;
}

template <typename Fields>
std::set<int64_t> bytes(const Fields &fields, Space space, bool isWrite) {
  std::vector<Region> regions;
  appendRegions(resolve(fields), regions);
  std::set<int64_t> result;
  for (const Region &region : regions) {
    if (region.space != space || region.isWrite != isWrite)
      continue;
    for (int64_t i = 0; i < region.dims[0].count; ++i)
      for (int64_t j = 0; j < region.dims[1].count; ++j)
        for (int64_t k = 0; k < region.dims[2].count; ++k)
          for (int64_t b = 0; b < region.bytes; ++b)
            result.insert(region.address + i * region.dims[0].stride +
                          j * region.dims[1].stride +
                          k * region.dims[2].stride + b);
  }
  return result;
}

std::set<int64_t> range(int64_t begin, int64_t end) {
  std::set<int64_t> result;
  for (int64_t i = begin; i < end; ++i)
    result.insert(i);
  return result;
}

std::set<int64_t> unite(std::set<int64_t> a, const std::set<int64_t> &b) {
  a.insert(b.begin(), b.end());
  return a;
}

TEST(Region, BurstsPadLocalRowsToBlocks) {
  CopyGmToUb copy{/*dst=*/64,        /*src=*/1000,
                  /*rows=*/2,        /*row_bytes=*/40,
                  /*dst_stride=*/96, /*src_stride=*/100};
  EXPECT_EQ(bytes(copy, Space::GM, false),
            unite(range(1000, 1040), range(1100, 1140)));
  EXPECT_EQ(bytes(copy, Space::UB, true),
            unite(range(64, 128), range(160, 224)));
}

TEST(Region, StoresWriteExactlyTheirRows) {
  CopyUbToGm copy{/*dst=*/7,        /*src=*/0,
                  /*rows=*/1,       /*row_bytes=*/5,
                  /*dst_stride=*/0, /*src_stride=*/0};
  EXPECT_EQ(bytes(copy, Space::GM, true), range(7, 12));
  EXPECT_EQ(bytes(copy, Space::UB, false), range(0, 5));
}

TEST(Region, MultiplyAccumulateTouchesValidElementsOnly) {
  // m = 3, n = 5, k = 20: one fractal row of A with a second, partly used
  // fractal.
  Mmad mmad{DataType::F16, MmadInit::Accumulate, 0, 0, 0, 0, 3, 5, 20};
  std::set<int64_t> a = range(0, 3 * 32);
  for (int64_t row = 0; row < 3; ++row)
    a = unite(a, range(512 + row * 32, 512 + row * 32 + 8));
  EXPECT_EQ(bytes(mmad, Space::L0A, false), a);
  std::set<int64_t> b = range(0, 5 * 32);
  for (int64_t column = 0; column < 5; ++column)
    b = unite(b, range(512 + column * 32, 512 + column * 32 + 8));
  EXPECT_EQ(bytes(mmad, Space::L0B, false), b);
  std::set<int64_t> c;
  for (int64_t row = 0; row < 3; ++row)
    c = unite(c, range(row * 64, row * 64 + 20));
  EXPECT_EQ(bytes(mmad, Space::L0C, true), c);
  EXPECT_EQ(bytes(mmad, Space::L0C, false), c);
}

TEST(Region, MultiplyAccumulateReadsNoOldSumsUnlessItAccumulates) {
  Mmad mmad{DataType::F16, MmadInit::Bias, 0, 0, 0, 64, 16, 8, 16};
  EXPECT_TRUE(bytes(mmad, Space::L0C, false).empty());
  EXPECT_EQ(bytes(mmad, Space::BT, false), range(64, 64 + 32));
}

TEST(Region, VectorMaskEndsWithinABlock) {
  VectorUnary relu{UnaryFunction::Relu, DataType::F16,    /*dst=*/1024,
                   /*src=*/0,
                   /*lanes=*/20,        /*repeats=*/2,    /*dst_block=*/1,
                   /*src_block=*/2,     /*dst_repeat=*/2, /*src_repeat=*/4};
  EXPECT_EQ(bytes(relu, Space::UB, true),
            unite(range(1024, 1064), range(1088, 1128)));
  EXPECT_EQ(bytes(relu, Space::UB, false),
            unite(unite(range(0, 32), range(64, 72)),
                  unite(range(128, 160), range(192, 200))));
}

TEST(Region, CastCountsLanesOfTheWiderType) {
  VectorCast cast{DataType::F32,
                  DataType::F16,
                  Rounding::Nearest,
                  /*dst=*/512,
                  /*src=*/0,
                  /*lanes=*/64,
                  /*repeats=*/1,
                  1,
                  1,
                  4,
                  8};
  EXPECT_EQ(lanesPerRepeat(resolve(cast)), 64);
  EXPECT_EQ(bytes(cast, Space::UB, false), range(0, 256));
  EXPECT_EQ(bytes(cast, Space::UB, true), range(512, 640));
}

TEST(Region, ImageToColumnReadsTheRowsOfItsWindow) {
  // A 4x4 image of one channel block, 3x3 filter, padding 1: output row 0
  // needs image rows 0 and 1.
  Load3dL0A load{/*dst=*/0,
                 /*src=*/0,
                 4,
                 4,
                 1,
                 1,
                 1,
                 1,
                 1,
                 1,
                 1,
                 3,
                 3,
                 1,
                 1,
                 /*m_start=*/0,
                 /*k_start_bytes=*/0,
                 /*m_extent=*/16,
                 /*k_extent_bytes=*/9 * 32};
  EXPECT_EQ(bytes(load, Space::L1, false), range(0, 4 * 4 * 32));
  load.image_height = 32;
  load.image_width = 16;
  EXPECT_EQ(bytes(load, Space::L1, false), range(0, 2 * 16 * 32));
  EXPECT_EQ(bytes(load, Space::L0A, true), range(0, 9 * 512));
}

TEST(Region, FixpipeFillsWholeColumnBlocksInFractalLayout) {
  FixpipeToGm out{DataType::F32,
                  DataType::F16,
                  Activation::None,
                  FixpipeLayout::Nz,
                  /*dst=*/0,
                  /*src=*/0,
                  /*m=*/2,
                  /*n=*/17,
                  /*dst_stride=*/100,
                  /*src_stride=*/1024};
  EXPECT_EQ(bytes(out, Space::GM, true), unite(range(0, 64), range(100, 164)));
  out.layout = FixpipeLayout::Nd;
  EXPECT_EQ(bytes(out, Space::GM, true), unite(range(0, 34), range(100, 134)));
}

// A pass that does not know the fields still learns every access.
TEST(Region, SampleFieldsTouchEveryAddress) {
  for (unsigned entry = 0; entry < instructionTableSize(); ++entry) {
    const InstructionInfo &info = instructionTable()[entry];
    ResolvedInstruction resolved;
    resolved.opcode = info.opcode;
    if (info.opcode == Opcode::Mmad)
      resolved.modifiers[1] = static_cast<uint8_t>(MmadInit::Bias);
    unsigned addresses = 0;
    for (unsigned i = 0; i < info.operandCount; ++i)
      if (info.operands[i].role == OperandRole::Address) {
        ++addresses;
        resolved.values[i] = int64_t(i + 1) << 40;
      }
    setSampleFields(resolved);
    std::vector<Region> regions;
    appendRegions(resolved, regions);
    std::set<int64_t> touched;
    for (const Region &region : regions)
      touched.insert(region.address >> 40);
    EXPECT_EQ(touched.size(), addresses) << info.mnemonic;
  }
}

} // namespace
