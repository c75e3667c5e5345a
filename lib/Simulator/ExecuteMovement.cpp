// Data movement: bursts, fractal layouts, img2col.
// SPDX-License-Identifier: Apache-2.0
#include "Execute.h"
#include "atc/Support/Float16.h"

#include "atc/Isa/Region.h"

#include <algorithm>
#include <cstring>

namespace atc::sim {

using namespace isa;

namespace {

constexpr int64_t blockBytes = 32, fractalRows = 16, fractalBytes = 512;

/// Rows from one space to another; local rows are written as whole blocks.
template <typename Fields>
void burst(Space from, Space to, const Fields &f, CoreMemory &memory) {
  int64_t padded = (f.row_bytes + blockBytes - 1) / blockBytes * blockBytes;
  int64_t written = to == Space::GM ? f.row_bytes : padded;
  for (int64_t row = 0; row < f.rows; ++row) {
    const uint8_t *src =
        memory.read(from, f.src + row * f.src_stride, f.row_bytes);
    uint8_t *dst = memory.write(to, f.dst + row * f.dst_stride, written);
    std::memmove(dst, src, f.row_bytes);
    std::memset(dst + f.row_bytes, 0, written - f.row_bytes);
  }
}

void nd2nz(const ResolvedNd2Nz &f, CoreMemory &memory) {
  int64_t size = byteSize(f.width), c0 = blockBytes / size;
  bool transposed = f.transposed == Toggle::On;
  for (int64_t matrix = 0; matrix < f.matrices; ++matrix) {
    int64_t srcBase = f.src + matrix * f.src_matrix_stride;
    int64_t dstBase = f.dst + matrix * f.dst_matrix_stride;
    for (int64_t first = 0; first < f.columns; first += c0) {
      int64_t columns = std::min(c0, f.columns - first);
      uint8_t *dst =
          memory.write(Space::L1, dstBase + first / c0 * f.dst_column_stride,
                       f.rows * blockBytes);
      std::memset(dst, 0, f.rows * blockBytes);
      if (!transposed) {
        for (int64_t row = 0; row < f.rows; ++row)
          std::memcpy(
              dst + row * blockBytes,
              memory.read(Space::GM,
                          srcBase + row * f.src_row_stride + first * size,
                          columns * size),
              columns * size);
        continue;
      }
      for (int64_t column = 0; column < columns; ++column) {
        const uint8_t *src = memory.read(
            Space::GM, srcBase + (first + column) * f.src_row_stride,
            f.rows * size);
        for (int64_t row = 0; row < f.rows; ++row)
          std::memcpy(dst + row * blockBytes + column * size, src + row * size,
                      size);
      }
    }
  }
}

template <typename Fields>
void load2d(Space to, const Fields &f, CoreMemory &memory) {
  for (int64_t i = 0; i < f.fractals; ++i) {
    const uint8_t *src = memory.read(
        Space::L1, f.src + i * f.src_stride * fractalBytes, fractalBytes);
    uint8_t *dst =
        memory.write(to, f.dst + i * f.dst_stride * fractalBytes, fractalBytes);
    if (f.transposed == Toggle::Off) {
      std::memcpy(dst, src, fractalBytes);
      continue;
    }
    for (int64_t row = 0; row < fractalRows; ++row)
      for (int64_t column = 0; column < fractalRows; ++column)
        std::memcpy(dst + (column * fractalRows + row) * 2,
                    src + (row * fractalRows + column) * 2, 2);
  }
}

/// The block of 32 bytes that output pixel `pixel` and block `k` of the K dim
/// name, or null where they name padding.
const uint8_t *imageBlock(const ResolvedLoad3dL0A &f, const ImageSize &image,
                          int64_t pixel, int64_t k, CoreMemory &memory) {
  if (pixel >= image.height * image.width)
    return nullptr;
  int64_t filter = f.filter_height * f.filter_width;
  int64_t channel = k / filter, tap = k % filter;
  if (channel >= f.channel_blocks)
    return nullptr;
  int64_t y = pixel / image.width * f.stride_height - f.pad_top +
              tap / f.filter_width * f.dilation_height;
  int64_t x = pixel % image.width * f.stride_width - f.pad_left +
              tap % f.filter_width * f.dilation_width;
  if (y < 0 || y >= f.image_height || x < 0 || x >= f.image_width)
    return nullptr;
  int64_t block = (channel * f.image_height + y) * f.image_width + x;
  return memory.read(Space::L1, f.src + block * blockBytes, blockBytes);
}

void load3d(const ResolvedLoad3dL0A &f, CoreMemory &memory) {
  ImageSize image = outputImage(f);
  image.height = std::max<int64_t>(image.height, 0);
  image.width = std::max<int64_t>(image.width, 0);
  int64_t kBlocks = f.k_extent_bytes / blockBytes;
  for (int64_t m = 0; m < f.m_extent / fractalRows; ++m)
    for (int64_t k = 0; k < kBlocks; ++k) {
      uint8_t *dst = memory.write(
          Space::L0A, f.dst + (m * kBlocks + k) * fractalBytes, fractalBytes);
      for (int64_t row = 0; row < fractalRows; ++row) {
        const uint8_t *src =
            imageBlock(f, image, f.m_start + m * fractalRows + row,
                       f.k_start_bytes / blockBytes + k, memory);
        if (src)
          std::memcpy(dst + row * blockBytes, src, blockBytes);
        else
          std::memset(dst + row * blockBytes, 0, blockBytes);
      }
    }
}

void loadBias(const ResolvedLoadBias &f, CoreMemory &memory) {
  const uint8_t *src =
      memory.read(Space::L1, f.src, f.count * byteSize(f.type));
  uint8_t *dst = memory.write(Space::BT, f.dst, f.count * 4);
  if (byteSize(f.type) == 4) {
    std::memcpy(dst, src, f.count * 4);
    return;
  }
  for (int64_t i = 0; i < f.count; ++i) {
    uint16_t half;
    std::memcpy(&half, src + i * 2, 2);
    float value =
        f.type == DataType::F16 ? halfToFloat(half) : bfloatToFloat(half);
    std::memcpy(dst + i * 4, &value, 4);
  }
}

} // namespace

void executeMovement(const ResolvedInstruction &instruction,
                     CoreMemory &memory) {
  switch (instruction.opcode) {
  case Opcode::CopyGmToL1:
    return burst(Space::GM, Space::L1,
                 fieldsOf<ResolvedCopyGmToL1>(instruction), memory);
  case Opcode::CopyGmToUb:
    return burst(Space::GM, Space::UB,
                 fieldsOf<ResolvedCopyGmToUb>(instruction), memory);
  case Opcode::CopyUbToGm:
    return burst(Space::UB, Space::GM,
                 fieldsOf<ResolvedCopyUbToGm>(instruction), memory);
  case Opcode::CopyUbToL1:
    return burst(Space::UB, Space::L1,
                 fieldsOf<ResolvedCopyUbToL1>(instruction), memory);
  case Opcode::Nd2Nz:
    return nd2nz(fieldsOf<ResolvedNd2Nz>(instruction), memory);
  case Opcode::Load2dL0A:
    return load2d(Space::L0A, fieldsOf<ResolvedLoad2dL0A>(instruction), memory);
  case Opcode::Load2dL0B:
    return load2d(Space::L0B, fieldsOf<ResolvedLoad2dL0B>(instruction), memory);
  case Opcode::Load3dL0A:
    return load3d(fieldsOf<ResolvedLoad3dL0A>(instruction), memory);
  case Opcode::LoadBias:
    return loadBias(fieldsOf<ResolvedLoadBias>(instruction), memory);
  default:
    return;
  }
}

void execute(const ResolvedInstruction &instruction, CoreMemory &memory) {
  switch (instructionInfo(instruction.opcode).pipe) {
  case Pipe::V:
    return executeVector(instruction, memory);
  case Pipe::M:
  case Pipe::FIX:
    return executeCube(instruction, memory);
  default:
    return executeMovement(instruction, memory);
  }
}

} // namespace atc::sim
