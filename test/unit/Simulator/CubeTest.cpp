// Products of fractals: exact against loops in the defined order.
// SPDX-License-Identifier: Apache-2.0
#include "ExampleKernels.h"

using namespace atc;
using namespace atc::isa;
using namespace atc::sim;

namespace {

/// What matmulKernel computes.
std::vector<uint16_t> matmulReference(const std::vector<uint16_t> &a,
                                      const std::vector<uint16_t> &b,
                                      const std::vector<uint16_t> &bias,
                                      int k) {
  std::vector<uint16_t> c(32 * 32);
  for (int row = 0; row < 32; ++row)
    for (int column = 0; column < 32; ++column) {
      float sum = halfToFloat(bias[column]);
      for (int i = 0; i < k; ++i)
        sum +=
            halfToFloat(a[row * k + i]) *
            halfToFloat(b[((i / 16 * 2 + column / 16) * 16 + column % 16) * 16 +
                          i % 16]);
      c[row * 32 + column] = floatToHalf(sum < 0 ? 0 : sum);
    }
  return c;
}

TEST(Cube, MatmulWithBiasAndReluIsExact) {
  constexpr int k = 160;
  std::vector<uint16_t> a = someHalves(32 * k, 1), b = someHalves(k * 32, 2);
  std::vector<uint16_t> bias = someHalves(32, 3), c(32 * 32, 0xffff);
  KernelBench bench;
  bench.bind(a).bind(b).bind(bias).bind(c, false);
  Report report = bench.run(matmulKernel(k));
  EXPECT_TRUE(report.clean()) << describe(report);
  EXPECT_EQ(c, matmulReference(a, b, bias, k));
}

/// C[3, 5] = A[3, 7] * B[5, 7]^T with `k` of the depth, in float.
std::vector<Instruction> partialKernel(int32_t k) {
  Assembler s;
  for (unsigned i = 0; i < 3; ++i)
    s << LoadArgument{x(i), static_cast<int32_t>(i)};
  s << Nd2Nz{ElementWidth::B16, Toggle::Off, 0, x(0), 1, 3, 7, 0, 14, 0, 512}
    << Nd2Nz{ElementWidth::B16, Toggle::Off, 512, x(1), 1, 5, 7, 0, 14, 0, 512}
    << SetFlag{Pipe::MTE2, Pipe::MTE1, 0} << WaitFlag{Pipe::MTE2, Pipe::MTE1, 0}
    << Load2dL0A{Toggle::Off, 0, 0, 1, 1, 1}
    << Load2dL0B{Toggle::Off, 0, 512, 1, 1, 1}
    << SetFlag{Pipe::MTE1, Pipe::M, 0} << WaitFlag{Pipe::MTE1, Pipe::M, 0}
    << Mmad{DataType::F16, MmadInit::Zero, 0, 0, 0, 0, 3, 5, k}
    << SetFlag{Pipe::M, Pipe::FIX, 0} << WaitFlag{Pipe::M, Pipe::FIX, 0}
    << FixpipeToGm{DataType::F32,
                   DataType::F32,
                   Activation::None,
                   FixpipeLayout::Nd,
                   x(2),
                   0,
                   3,
                   5,
                   20,
                   1024}
    << End{};
  return s.instructions;
}

// Rows, columns and depth that end within a fractal: what lies behind them was
// never written and must not matter.
TEST(Cube, ElementsBeyondTheSizesTakeNoPart) {
  constexpr int m = 3, n = 5, k = 7;
  std::vector<uint16_t> a = someHalves(m * k, 1), b = someHalves(n * k, 2);
  std::vector<float> c(m * n, -1);
  KernelBench bench;
  bench.bind(a).bind(b).bind(c, false);
  Report report = bench.run(partialKernel(k));
  EXPECT_TRUE(report.clean()) << describe(report);
  for (int row = 0; row < m; ++row)
    for (int column = 0; column < n; ++column) {
      float sum = 0;
      for (int i = 0; i < k; ++i)
        sum += halfToFloat(a[row * k + i]) * halfToFloat(b[column * k + i]);
      EXPECT_EQ(c[row * n + column], sum);
    }
}

TEST(Cube, IntegersAccumulateExactly) {
  std::vector<int8_t> a(16 * 32), b(16 * 32);
  for (int i = 0; i < 16 * 32; ++i) {
    a[i] = static_cast<int8_t>(i * 37);
    b[i] = static_cast<int8_t>(i * 101 + 5);
  }
  std::vector<int32_t> c(16 * 16, -1);
  KernelBench bench;
  bench.bind(a).bind(b).bind(c, false);
  Assembler s;
  for (unsigned i = 0; i < 3; ++i)
    s << LoadArgument{x(i), static_cast<int32_t>(i)};
  s << CopyGmToL1{0, x(0), 1, 512, 0, 0} << CopyGmToL1{512, x(1), 1, 512, 0, 0}
    << SetFlag{Pipe::MTE2, Pipe::MTE1, 0} << WaitFlag{Pipe::MTE2, Pipe::MTE1, 0}
    << Load2dL0A{Toggle::Off, 0, 0, 1, 1, 1}
    << Load2dL0B{Toggle::Off, 0, 512, 1, 1, 1}
    << SetFlag{Pipe::MTE1, Pipe::M, 0} << WaitFlag{Pipe::MTE1, Pipe::M, 0}
    << Mmad{DataType::S8, MmadInit::Zero, 0, 0, 0, 0, 16, 16, 32}
    << SetFlag{Pipe::M, Pipe::FIX, 0} << WaitFlag{Pipe::M, Pipe::FIX, 0}
    << FixpipeToGm{DataType::S32,
                   DataType::S32,
                   Activation::None,
                   FixpipeLayout::Nd,
                   x(2),
                   0,
                   16,
                   16,
                   64,
                   1024}
    << End{};
  Report report = bench.run(s.instructions);
  EXPECT_TRUE(report.clean()) << describe(report);
  for (int row = 0; row < 16; ++row)
    for (int column = 0; column < 16; ++column) {
      int32_t sum = 0;
      for (int i = 0; i < 32; ++i)
        sum += a[row * 32 + i] * b[column * 32 + i];
      EXPECT_EQ(c[row * 16 + column], sum);
    }
}

} // namespace
