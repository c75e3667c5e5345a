// The cube: multiply-accumulate on fractals, and the way out of the
// accumulators.
// SPDX-License-Identifier: Apache-2.0
#include "Execute.h"
#include "atc/Support/Float16.h"

#include <algorithm>
#include <cstring>
#include <type_traits>
#include <vector>

// The sum over k is defined as products and sums that round one by one.
#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#endif

namespace atc::sim {

using namespace isa;

namespace {

constexpr int64_t blockBytes = 32, fractalRows = 16, fractalBytes = 512;

int64_t ceilDiv(int64_t value, int64_t divisor) {
  return (value + divisor - 1) / divisor;
}

/// An element of an operand buffer in the accumulator's type.
template <typename Sum>
Sum element(const uint8_t *data, DataType type) {
  if (type == DataType::S8)
    return static_cast<Sum>(static_cast<int8_t>(*data));
  if (type == DataType::F32) {
    float value;
    std::memcpy(&value, data, 4);
    return static_cast<Sum>(value);
  }
  uint16_t bits;
  std::memcpy(&bits, data, 2);
  return static_cast<Sum>(type == DataType::F16 ? halfToFloat(bits)
                                                : bfloatToFloat(bits));
}

/// Reads rows [0, rows) x [0, k) of fractals; element (r, c) goes to
/// out[r * rowStride + c * columnStride].
template <typename Sum>
void gather(CoreMemory &memory, Space space, int64_t address, DataType type,
            int64_t rows, int64_t k, int64_t fractalRowStride,
            int64_t fractalColumnStride, Sum *out, int64_t rowStride,
            int64_t columnStride) {
  int64_t size = byteSize(type), k0 = blockBytes / size;
  for (int64_t first = 0; first < k; first += k0) {
    int64_t columns = std::min(k0, k - first);
    for (int64_t row = 0; row < rows; ++row) {
      const uint8_t *src = memory.read(
          space,
          address + row / fractalRows * fractalRowStride +
              first / k0 * fractalColumnStride + row % fractalRows * blockBytes,
          columns * size);
      for (int64_t column = 0; column < columns; ++column)
        out[row * rowStride + (first + column) * columnStride] =
            element<Sum>(src + column * size, type);
    }
  }
}

/// Calls body(first column, columns, address) for each row of each 16-column
/// block of the accumulators.
template <typename Body>
void forEachAccumulatorRow(int64_t address, int64_t m, int64_t n,
                           int64_t columnStride, Body body) {
  for (int64_t first = 0; first < n; first += fractalRows)
    for (int64_t row = 0; row < m; ++row)
      body(row, first, std::min(fractalRows, n - first),
           address + first / fractalRows * columnStride +
               row * fractalRows * 4);
}

template <typename Sum>
void mmad(const ResolvedMmad &f, CoreMemory &memory) {
  int64_t m = f.m, n = f.n, k = f.k, k0 = blockBytes / byteSize(f.type);
  std::vector<Sum> a(m * k), b(k * n), c(m * n);
  gather(memory, Space::L0A, f.a, f.type, m, k, ceilDiv(k, k0) * fractalBytes,
         fractalBytes, a.data(), k, 1);
  gather(memory, Space::L0B, f.b, f.type, n, k, fractalBytes,
         ceilDiv(n, fractalRows) * fractalBytes, b.data(), 1, n);

  int64_t columnStride =
      ceilDiv(m, fractalRows) * fractalRows * fractalRows * 4;
  if (f.init == MmadInit::Bias) {
    const uint8_t *bias = memory.read(Space::BT, f.bias, n * 4);
    for (int64_t row = 0; row < m; ++row)
      std::memcpy(&c[row * n], bias, n * 4);
  } else if (f.init == MmadInit::Accumulate) {
    forEachAccumulatorRow(
        f.dst, m, n, columnStride,
        [&](int64_t row, int64_t first, int64_t columns, int64_t address) {
          std::memcpy(&c[row * n + first],
                      memory.read(Space::L0C, address, columns * 4),
                      columns * 4);
        });
  }

  // Integer sums wrap; unsigned arithmetic says so without overflow.
  using Wrapping =
      std::conditional_t<std::is_integral_v<Sum>, std::make_unsigned<Sum>,
                         std::common_type<Sum>>;
  using Arithmetic = typename Wrapping::type;
  for (int64_t row = 0; row < m; ++row) {
    Sum *sums = &c[row * n];
    for (int64_t i = 0; i < k; ++i) {
      Arithmetic factor = static_cast<Arithmetic>(a[row * k + i]);
      const Sum *values = &b[i * n];
      for (int64_t column = 0; column < n; ++column)
        sums[column] =
            static_cast<Sum>(static_cast<Arithmetic>(sums[column]) +
                             factor * static_cast<Arithmetic>(values[column]));
    }
  }
  forEachAccumulatorRow(
      f.dst, m, n, columnStride,
      [&](int64_t row, int64_t first, int64_t columns, int64_t address) {
        std::memcpy(memory.write(Space::L0C, address, columns * 4),
                    &c[row * n + first], columns * 4);
      });
}

/// Converts up to 16 accumulators.
void convert(const uint8_t *src, int64_t count, DataType from, DataType to,
             Activation activation, uint8_t *dst) {
  for (int64_t i = 0; i < count; ++i) {
    if (from == DataType::S32) {
      int32_t value;
      std::memcpy(&value, src + i * 4, 4);
      if (activation == Activation::Relu)
        value = std::max(value, 0);
      std::memcpy(dst + i * 4, &value, 4);
      continue;
    }
    float value;
    std::memcpy(&value, src + i * 4, 4);
    // Not a number passes.
    if (activation == Activation::Relu && value < 0)
      value = 0;
    uint16_t half;
    switch (to) {
    case DataType::F16:
      half = floatToHalf(value);
      std::memcpy(dst + i * 2, &half, 2);
      break;
    case DataType::BF16:
      half = floatToBfloat(value);
      std::memcpy(dst + i * 2, &half, 2);
      break;
    default:
      std::memcpy(dst + i * 4, &value, 4);
      break;
    }
  }
}

template <typename Fields>
void fixpipe(Space to, const Fields &f, CoreMemory &memory) {
  int64_t size = byteSize(f.dst_type);
  bool nd = f.layout == FixpipeLayout::Nd;
  forEachAccumulatorRow(
      f.src, f.m, f.n, f.src_stride,
      [&](int64_t row, int64_t first, int64_t columns, int64_t address) {
        const uint8_t *src = memory.read(Space::L0C, address, columns * 4);
        int64_t place =
            nd ? row * f.dst_stride + first * size
               : first / fractalRows * f.dst_stride + row * fractalRows * size;
        int64_t written = (nd ? columns : fractalRows) * size;
        uint8_t *dst = memory.write(to, f.dst + place, written);
        convert(src, columns, f.src_type, f.dst_type, f.activation, dst);
        std::memset(dst + columns * size, 0, written - columns * size);
      });
}

} // namespace

void executeCube(const ResolvedInstruction &instruction, CoreMemory &memory) {
  switch (instruction.opcode) {
  case Opcode::Mmad: {
    auto fields = fieldsOf<ResolvedMmad>(instruction);
    if (accumulatorType(fields.type) == DataType::S32)
      return mmad<int32_t>(fields, memory);
    return mmad<float>(fields, memory);
  }
  case Opcode::FixpipeToGm:
    return fixpipe(Space::GM, fieldsOf<ResolvedFixpipeToGm>(instruction),
                   memory);
  case Opcode::FixpipeToL1:
    return fixpipe(Space::L1, fieldsOf<ResolvedFixpipeToL1>(instruction),
                   memory);
  case Opcode::FixpipeToUb:
    return fixpipe(Space::UB, fieldsOf<ResolvedFixpipeToUb>(instruction),
                   memory);
  default:
    return;
  }
}

} // namespace atc::sim
