// The bytes that each instruction reads and writes.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Isa/Region.h"

#include <algorithm>

namespace atc::isa {

namespace {

constexpr int64_t blockBytes = 32;
constexpr int64_t fractalRows = 16;
constexpr int64_t fractalBytes = 512;

int64_t ceilDiv(int64_t value, int64_t divisor) {
  return (value + divisor - 1) / divisor;
}

/// Collects regions, leaving out empty ones.
class Collector {
public:
  explicit Collector(std::vector<Region> &regions) : regions(regions) {}

  void add(Space space, bool isWrite, int64_t address, int64_t bytes,
           Region::Dim outer = {}, Region::Dim middle = {},
           Region::Dim inner = {}) {
    if (bytes <= 0 || outer.count <= 0 || middle.count <= 0 || inner.count <= 0)
      return;
    regions.push_back({space, isWrite, address, bytes, {outer, middle, inner}});
  }
  void read(Space space, int64_t address, int64_t bytes, Region::Dim outer = {},
            Region::Dim middle = {}, Region::Dim inner = {}) {
    add(space, false, address, bytes, outer, middle, inner);
  }
  void write(Space space, int64_t address, int64_t bytes,
             Region::Dim outer = {}, Region::Dim middle = {},
             Region::Dim inner = {}) {
    add(space, true, address, bytes, outer, middle, inner);
  }

  /// A matrix of fractals of 16 rows: element (r, c) at
  ///   (r / 16) * rowStride + (c / columns) * columnStride
  ///     + (r % 16) * columns * size + (c % columns) * size
  /// where only elements below `rowCount` and `columnCount` are touched.
  void fractals(Space space, bool isWrite, int64_t address, int64_t rowCount,
                int64_t columnCount, int64_t columns, int64_t size,
                int64_t rowStride, int64_t columnStride) {
    int64_t rowBytes = columns * size;
    int64_t fullRows = rowCount / fractalRows,
            restRows = rowCount % fractalRows;
    int64_t fullColumns = columnCount / columns,
            restColumns = columnCount % columns;
    int64_t below = address + fullRows * rowStride;
    int64_t right = address + fullColumns * columnStride;
    add(space, isWrite, address, fractalRows * rowBytes, {fullRows, rowStride},
        {fullColumns, columnStride});
    add(space, isWrite, below, restRows * rowBytes,
        {fullColumns, columnStride});
    add(space, isWrite, right, restColumns * size, {fullRows, rowStride},
        {fractalRows, rowBytes});
    add(space, isWrite, right + fullRows * rowStride, restColumns * size,
        {restRows, rowBytes});
  }

  /// The touched lanes of one vector operand.
  void vector(bool isWrite, int64_t address, unsigned size, int64_t lanes,
              int64_t repeats, int64_t blockStride, int64_t repeatStride) {
    int64_t lanesPerBlock = blockBytes / size;
    int64_t blocks = lanes / lanesPerBlock, rest = lanes % lanesPerBlock;
    Region::Dim repeat{repeats, repeatStride * blockBytes};
    add(Space::UB, isWrite, address, blockBytes, repeat,
        {blocks, blockStride * blockBytes});
    add(Space::UB, isWrite, address + blocks * blockStride * blockBytes,
        rest * size, repeat);
  }

private:
  std::vector<Region> &regions;
};

/// A burst of rows; a local destination is written in whole blocks.
template <typename Fields>
void burst(Collector &out, Space from, Space to, const Fields &f) {
  int64_t written = to == Space::GM
                        ? f.row_bytes
                        : ceilDiv(f.row_bytes, blockBytes) * blockBytes;
  out.read(from, f.src, f.row_bytes, {f.rows, f.src_stride});
  out.write(to, f.dst, written, {f.rows, f.dst_stride});
}

void nd2nz(Collector &out, const ResolvedNd2Nz &f) {
  int64_t size = byteSize(f.width);
  bool transposed = f.transposed == Toggle::On;
  int64_t runs = transposed ? f.columns : f.rows;
  int64_t run = (transposed ? f.rows : f.columns) * size;
  out.read(Space::GM, f.src, run, {f.matrices, f.src_matrix_stride},
           {runs, f.src_row_stride});
  out.write(Space::L1, f.dst, f.rows * blockBytes,
            {f.matrices, f.dst_matrix_stride},
            {ceilDiv(f.columns * size, blockBytes), f.dst_column_stride});
}

template <typename Fields>
void load2d(Collector &out, Space to, const Fields &f) {
  out.read(Space::L1, f.src, fractalBytes,
           {f.fractals, f.src_stride * fractalBytes});
  out.write(to, f.dst, fractalBytes, {f.fractals, f.dst_stride * fractalBytes});
}

void load3d(Collector &out, const ResolvedLoad3dL0A &f) {
  out.write(Space::L0A, f.dst, f.m_extent * f.k_extent_bytes);
  ImageSize image = outputImage(f);
  if (image.height <= 0 || image.width <= 0)
    return;
  int64_t pixels = image.height * image.width;
  int64_t lastPixel = std::min(f.m_start + f.m_extent, pixels) - 1;
  int64_t filter = f.filter_height * f.filter_width;
  int64_t firstK = f.k_start_bytes / blockBytes;
  int64_t lastK = (f.k_start_bytes + f.k_extent_bytes) / blockBytes - 1;
  int64_t firstChannel = firstK / filter;
  int64_t lastChannel = std::min(lastK / filter, f.channel_blocks - 1);
  if (lastPixel < f.m_start || lastChannel < firstChannel)
    return;
  // Filter rows: all of them unless the window stays within one channel block.
  int64_t firstTap = 0, lastTap = f.filter_height - 1;
  if (firstChannel == lastK / filter) {
    firstTap = firstK % filter / f.filter_width;
    lastTap = lastK % filter / f.filter_width;
  }
  auto row = [&](int64_t pixel, int64_t tap) {
    return pixel / image.width * f.stride_height - f.pad_top +
           tap * f.dilation_height;
  };
  int64_t first = std::max<int64_t>(row(f.m_start, firstTap), 0);
  int64_t last = std::min(row(lastPixel, lastTap), f.image_height - 1);
  int64_t rowBytes = f.image_width * blockBytes;
  int64_t planeBytes = f.image_height * rowBytes;
  out.read(Space::L1, f.src + firstChannel * planeBytes + first * rowBytes,
           (last - first + 1) * rowBytes,
           {lastChannel - firstChannel + 1, planeBytes});
}

void mmad(Collector &out, const ResolvedMmad &f) {
  int64_t size = byteSize(f.type), k0 = blockBytes / size;
  int64_t kBlocks = ceilDiv(f.k, k0), nBlocks = ceilDiv(f.n, fractalRows);
  int64_t mBlocks = ceilDiv(f.m, fractalRows);
  out.fractals(Space::L0A, false, f.a, f.m, f.k, k0, size,
               kBlocks * fractalBytes, fractalBytes);
  out.fractals(Space::L0B, false, f.b, f.n, f.k, k0, size, fractalBytes,
               nBlocks * fractalBytes);
  if (f.init == MmadInit::Bias)
    out.read(Space::BT, f.bias, f.n * 4);
  constexpr int64_t accumulators = fractalRows * fractalRows * 4;
  for (bool isWrite : {false, true})
    if (isWrite || f.init == MmadInit::Accumulate)
      out.fractals(Space::L0C, isWrite, f.dst, f.m, f.n, fractalRows, 4,
                   accumulators, mBlocks * accumulators);
}

template <typename Fields>
void fixpipe(Collector &out, Space to, const Fields &f) {
  out.fractals(Space::L0C, false, f.src, f.m, f.n, fractalRows, 4,
               fractalRows * fractalRows * 4, f.src_stride);
  int64_t size = byteSize(f.dst_type);
  if (f.layout == FixpipeLayout::Nd)
    out.write(to, f.dst, f.n * size, {f.m, f.dst_stride});
  else
    out.write(to, f.dst, f.m * fractalRows * size,
              {ceilDiv(f.n, fractalRows), f.dst_stride});
}

void vectorUnary(Collector &out, const ResolvedVectorUnary &f) {
  unsigned size = byteSize(f.type);
  out.vector(false, f.src, size, f.lanes, f.repeats, f.src_block, f.src_repeat);
  out.vector(true, f.dst, size, f.lanes, f.repeats, f.dst_block, f.dst_repeat);
}

void vectorBinary(Collector &out, const ResolvedVectorBinary &f) {
  unsigned size = byteSize(f.type);
  out.vector(false, f.src0, size, f.lanes, f.repeats, f.src0_block,
             f.src0_repeat);
  out.vector(false, f.src1, size, f.lanes, f.repeats, f.src1_block,
             f.src1_repeat);
  out.vector(true, f.dst, size, f.lanes, f.repeats, f.dst_block, f.dst_repeat);
}

void vectorScalar(Collector &out, const ResolvedVectorScalar &f) {
  unsigned size = byteSize(f.type);
  out.vector(false, f.src, size, f.lanes, f.repeats, f.src_block, f.src_repeat);
  if (f.function == ScalarFunction::Axpy)
    out.vector(false, f.dst, size, f.lanes, f.repeats, f.dst_block,
               f.dst_repeat);
  out.vector(true, f.dst, size, f.lanes, f.repeats, f.dst_block, f.dst_repeat);
}

void vectorCast(Collector &out, const ResolvedVectorCast &f) {
  out.vector(false, f.src, byteSize(f.src_type), f.lanes, f.repeats,
             f.src_block, f.src_repeat);
  out.vector(true, f.dst, byteSize(f.dst_type), f.lanes, f.repeats, f.dst_block,
             f.dst_repeat);
}

} // namespace

void setSampleFields(ResolvedInstruction &instruction) {
  const InstructionInfo &info = instructionInfo(instruction.opcode);
  for (unsigned i = 0; i < info.operandCount; ++i)
    if (info.operands[i].role == OperandRole::Field)
      instruction.values[i] = info.operands[i].min;
  if (instruction.opcode != Opcode::Load3dL0A)
    return;
  // A filter larger than its image would touch nothing.
  for (unsigned i = 0; i < info.operandCount; ++i)
    if (info.operands[i].name == "image_height" ||
        info.operands[i].name == "image_width")
      instruction.values[i] = info.operands[i].max;
}

int64_t lanesPerRepeat(const ResolvedInstruction &instruction) {
  constexpr int64_t repeatBytes = 256;
  const InstructionInfo &info = instructionInfo(instruction.opcode);
  unsigned widest = 1;
  for (unsigned i = 0; i < info.modifierCount; ++i)
    if (info.modifiers[i].kind == ModifierKind::DataType)
      widest = std::max(
          widest, byteSize(static_cast<DataType>(instruction.modifiers[i])));
  return repeatBytes / widest;
}

ImageSize outputImage(const ResolvedLoad3dL0A &f) {
  auto size = [](int64_t input, int64_t before, int64_t after, int64_t filter,
                 int64_t dilation, int64_t stride) -> int64_t {
    int64_t room = input + before + after - (dilation * (filter - 1) + 1);
    return room < 0 ? 0 : room / stride + 1;
  };
  return {size(f.image_height, f.pad_top, f.pad_bottom, f.filter_height,
               f.dilation_height, f.stride_height),
          size(f.image_width, f.pad_left, f.pad_right, f.filter_width,
               f.dilation_width, f.stride_width)};
}

void appendRegions(const ResolvedInstruction &instruction,
                   std::vector<Region> &regions) {
  Collector out(regions);
  switch (instruction.opcode) {
  case Opcode::CopyGmToL1:
    return burst(out, Space::GM, Space::L1,
                 fieldsOf<ResolvedCopyGmToL1>(instruction));
  case Opcode::CopyGmToUb:
    return burst(out, Space::GM, Space::UB,
                 fieldsOf<ResolvedCopyGmToUb>(instruction));
  case Opcode::CopyUbToGm:
    return burst(out, Space::UB, Space::GM,
                 fieldsOf<ResolvedCopyUbToGm>(instruction));
  case Opcode::CopyUbToL1:
    return burst(out, Space::UB, Space::L1,
                 fieldsOf<ResolvedCopyUbToL1>(instruction));
  case Opcode::Nd2Nz:
    return nd2nz(out, fieldsOf<ResolvedNd2Nz>(instruction));
  case Opcode::Load2dL0A:
    return load2d(out, Space::L0A, fieldsOf<ResolvedLoad2dL0A>(instruction));
  case Opcode::Load2dL0B:
    return load2d(out, Space::L0B, fieldsOf<ResolvedLoad2dL0B>(instruction));
  case Opcode::Load3dL0A:
    return load3d(out, fieldsOf<ResolvedLoad3dL0A>(instruction));
  case Opcode::LoadBias: {
    auto f = fieldsOf<ResolvedLoadBias>(instruction);
    out.read(Space::L1, f.src, f.count * byteSize(f.type));
    out.write(Space::BT, f.dst, f.count * 4);
    return;
  }
  case Opcode::Mmad:
    return mmad(out, fieldsOf<ResolvedMmad>(instruction));
  case Opcode::FixpipeToGm:
    return fixpipe(out, Space::GM, fieldsOf<ResolvedFixpipeToGm>(instruction));
  case Opcode::FixpipeToL1:
    return fixpipe(out, Space::L1, fieldsOf<ResolvedFixpipeToL1>(instruction));
  case Opcode::FixpipeToUb:
    return fixpipe(out, Space::UB, fieldsOf<ResolvedFixpipeToUb>(instruction));
  case Opcode::VectorUnary:
    return vectorUnary(out, fieldsOf<ResolvedVectorUnary>(instruction));
  case Opcode::VectorBinary:
    return vectorBinary(out, fieldsOf<ResolvedVectorBinary>(instruction));
  case Opcode::VectorScalar:
    return vectorScalar(out, fieldsOf<ResolvedVectorScalar>(instruction));
  case Opcode::VectorCast:
    return vectorCast(out, fieldsOf<ResolvedVectorCast>(instruction));
  case Opcode::VectorDuplicate: {
    auto f = fieldsOf<ResolvedVectorDuplicate>(instruction);
    out.vector(true, f.dst, byteSize(f.type), f.lanes, f.repeats, f.dst_block,
               f.dst_repeat);
    return;
  }
  case Opcode::End:
  case Opcode::MoveImmediate:
  case Opcode::Alu:
  case Opcode::Select:
  case Opcode::Jump:
  case Opcode::Branch:
  case Opcode::ReadSpecial:
  case Opcode::LoadArgument:
  case Opcode::SetFlag:
  case Opcode::WaitFlag:
  case Opcode::Barrier:
    return;
  }
}

} // namespace atc::isa
