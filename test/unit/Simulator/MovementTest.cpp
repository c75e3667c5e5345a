// Data movement: bursts, fractal layouts, img2col.
// SPDX-License-Identifier: Apache-2.0
#include "ExampleKernels.h"

#include <numeric>

using namespace atc;
using namespace atc::isa;
using namespace atc::sim;

namespace {

TEST(Movement, CopyKeepsBytes) {
  std::vector<uint8_t> in(100), out(100, 0xee);
  std::iota(in.begin(), in.end(), uint8_t(3));
  KernelBench bench;
  bench.bind(in).bind(out, false);
  Report report = bench.run(copyKernel(100));
  EXPECT_TRUE(report.clean()) << describe(report);
  EXPECT_EQ(out, in);
}

TEST(Movement, RowsEndWithZerosInLocalBuffers) {
  std::vector<uint8_t> in(10, 7), out(64, 0xee);
  KernelBench bench;
  bench.bind(in).bind(out, false);
  Assembler a;
  a << LoadArgument{x(0), 0} << LoadArgument{x(1), 1}
    << CopyGmToUb{0, x(0), 2, 5, 32, 5} << SetFlag{Pipe::MTE2, Pipe::MTE3, 0}
    << WaitFlag{Pipe::MTE2, Pipe::MTE3, 0} << CopyUbToGm{x(1), 0, 1, 64, 0, 0}
    << End{};
  Report report = bench.run(a.instructions);
  EXPECT_TRUE(report.clean()) << describe(report);
  for (size_t i = 0; i < 64; ++i)
    EXPECT_EQ(out[i], i % 32 < 5 ? 7 : 0) << i;
}

/// L1 has no way back to global memory, so the test looks at A * identity.
struct Nd2NzCase {
  bool transposed;
};

class Nd2NzTest : public testing::TestWithParam<Nd2NzCase> {};

TEST_P(Nd2NzTest, GivesFractalColumns) {
  bool transposed = GetParam().transposed;
  // A is 16 x 20: the second column of fractals is partly filled.
  std::vector<uint16_t> in = someHalves(16 * 20), identity(32 * 32, 0);
  std::vector<float> out(16 * 32, -1);
  for (int k = 0; k < 32; ++k) // (k1, n1, n0, k0)
    identity[((k / 16 * 2 + k / 16) * 16 + k % 16) * 16 + k % 16] =
        floatToHalf(1);
  KernelBench bench;
  bench.bind(in).bind(identity).bind(out, false);
  Assembler a;
  for (unsigned i = 0; i < 3; ++i)
    a << LoadArgument{x(i), static_cast<int32_t>(i)};
  a << Nd2Nz{ElementWidth::B16,
             transposed ? Toggle::On : Toggle::Off,
             0,
             x(0),
             1,
             16,
             20,
             0,
             transposed ? 32 : 40,
             0,
             512}
    << CopyGmToL1{4096, x(1), 1, 2048, 0, 0}
    << SetFlag{Pipe::MTE2, Pipe::MTE1, 0} << WaitFlag{Pipe::MTE2, Pipe::MTE1, 0}
    << Load2dL0A{Toggle::Off, 0, 0, 2, 1, 1}
    << Load2dL0B{Toggle::Off, 0, 4096, 4, 1, 1}
    << SetFlag{Pipe::MTE1, Pipe::M, 0} << WaitFlag{Pipe::MTE1, Pipe::M, 0}
    << Mmad{DataType::F16, MmadInit::Zero, 0, 0, 0, 0, 16, 32, 32}
    << SetFlag{Pipe::M, Pipe::FIX, 0} << WaitFlag{Pipe::M, Pipe::FIX, 0}
    << FixpipeToGm{DataType::F32,
                   DataType::F32,
                   Activation::None,
                   FixpipeLayout::Nd,
                   x(2),
                   0,
                   16,
                   32,
                   128,
                   1024}
    << End{};
  Report report = bench.run(a.instructions);
  EXPECT_TRUE(report.clean()) << describe(report);
  for (int row = 0; row < 16; ++row)
    for (int column = 0; column < 32; ++column) {
      float expected = 0;
      if (column < 20)
        expected = halfToFloat(transposed ? in[column * 16 + row]
                                          : in[row * 20 + column]);
      EXPECT_EQ(out[row * 32 + column], expected) << row << ", " << column;
    }
}
INSTANTIATE_TEST_SUITE_P(Movement, Nd2NzTest,
                         testing::Values(Nd2NzCase{false}, Nd2NzCase{true}),
                         [](const auto &info) {
                           return info.param.transposed ? "Transposed"
                                                        : "RowMajor";
                         });

struct ConvolutionCase {
  const char *name;
  int height, width, stride, pad, dilation;
};

class Img2ColTest : public testing::TestWithParam<ConvolutionCase> {};

/// A convolution of 16 channels with 16 filters of 3x3: load3d against loops.
TEST_P(Img2ColTest, MatchesLoops) {
  const ConvolutionCase &c = GetParam();
  int outHeight = (c.height + 2 * c.pad - 2 * c.dilation - 1) / c.stride + 1;
  int outWidth = (c.width + 2 * c.pad - 2 * c.dilation - 1) / c.stride + 1;
  int pixels = outHeight * outWidth, m = (pixels + 15) / 16 * 16;
  ASSERT_LE(m * 9 * 32, 8192) << "fits L0A";
  std::vector<uint16_t> image = someHalves(c.height * c.width * 16, 1);
  std::vector<uint16_t> filter = someHalves(9 * 16 * 16, 2); // taps, n0, c0
  std::vector<float> out(pixels * 16, -1);
  KernelBench bench;
  bench.bind(image).bind(filter).bind(out, false);
  Assembler a;
  for (unsigned i = 0; i < 3; ++i)
    a << LoadArgument{x(i), static_cast<int32_t>(i)};
  a << CopyGmToL1{0, x(0), 1, c.height * c.width * 32, 0, 0}
    << CopyGmToL1{32768, x(1), 1, 9 * 512, 0, 0}
    << SetFlag{Pipe::MTE2, Pipe::MTE1, 0} << WaitFlag{Pipe::MTE2, Pipe::MTE1, 0}
    << Load3dL0A{0,        0,     c.height, c.width,    1,
                 c.pad,    c.pad, c.pad,    c.pad,      c.stride,
                 c.stride, 3,     3,        c.dilation, c.dilation,
                 0,        0,     m,        9 * 32}
    << Load2dL0B{Toggle::Off, 0, 32768, 9, 1, 1}
    << SetFlag{Pipe::MTE1, Pipe::M, 0} << WaitFlag{Pipe::MTE1, Pipe::M, 0}
    << Mmad{DataType::F16, MmadInit::Zero, 0, 0, 0, 0, pixels, 16, 144}
    << SetFlag{Pipe::M, Pipe::FIX, 0} << WaitFlag{Pipe::M, Pipe::FIX, 0}
    << FixpipeToGm{DataType::F32,
                   DataType::F32,
                   Activation::None,
                   FixpipeLayout::Nd,
                   x(2),
                   0,
                   pixels,
                   16,
                   64,
                   m * 64}
    << End{};
  Report report = bench.run(a.instructions);
  EXPECT_TRUE(report.clean()) << describe(report);
  for (int p = 0; p < pixels; ++p)
    for (int n = 0; n < 16; ++n) {
      float sum = 0;
      for (int tap = 0; tap < 9; ++tap)
        for (int channel = 0; channel < 16; ++channel) {
          int row = p / outWidth * c.stride - c.pad + tap / 3 * c.dilation;
          int column = p % outWidth * c.stride - c.pad + tap % 3 * c.dilation;
          if (row < 0 || row >= c.height || column < 0 || column >= c.width)
            continue;
          sum += halfToFloat(image[(row * c.width + column) * 16 + channel]) *
                 halfToFloat(filter[(tap * 16 + n) * 16 + channel]);
        }
      EXPECT_EQ(out[p * 16 + n], sum) << p << ", " << n;
    }
}
INSTANTIATE_TEST_SUITE_P(
    Movement, Img2ColTest,
    testing::Values(ConvolutionCase{"Plain", 6, 6, 1, 0, 1},
                    ConvolutionCase{"Padded", 3, 5, 1, 1, 1},
                    ConvolutionCase{"Strided", 7, 8, 2, 1, 1},
                    ConvolutionCase{"Dilated", 7, 8, 1, 0, 2}),
    [](const auto &info) { return info.param.name; });

} // namespace
