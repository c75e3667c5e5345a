// The template "cube": right, clean, for every form that it takes.
// SPDX-License-Identifier: Apache-2.0
#include "NpuKernelRunner.h"
#include <gtest/gtest.h>

using namespace mlir::atc::test;

namespace {

std::string shapeText(std::initializer_list<int64_t> sizes) {
  std::string text;
  for (int64_t size : sizes)
    text += std::to_string(size) + "x";
  return text;
}

//===----------------------------------------------------------------------===//
// Matrix products
//===----------------------------------------------------------------------===//

struct MatMulCase {
  const char *name;
  int64_t batches, rows, columns, depth;
  bool constantRight;
  bool transposeLeft = false, transposeRight = false;
  bool bias = true, relu = true;
  /// All batches share one right-hand matrix.
  bool sharedRight = true;
};

class MatMul : public testing::TestWithParam<MatMulCase> {};

NpuRegion regionOf(const MatMulCase &c) {
  NpuRegion region;
  std::string batch = c.batches > 1 ? shapeText({c.batches}) : "";
  std::string rightBatch = c.sharedRight ? "" : batch;
  std::string left = batch +
                     (c.transposeLeft ? shapeText({c.depth, c.rows})
                                      : shapeText({c.rows, c.depth})) +
                     "f16";
  std::string right = rightBatch +
                      (c.transposeRight ? shapeText({c.columns, c.depth})
                                        : shapeText({c.depth, c.columns})) +
                      "f16";
  std::string type =
      "tensor<" + batch + shapeText({c.rows, c.columns}) + "f16>";
  region.operands = {left, right};
  region.body = std::string("%r0 = graph.matmul %x0, %x1") +
                (c.transposeLeft ? " transpose_lhs" : "") +
                (c.transposeRight ? " transpose_rhs" : "") + " : (tensor<" +
                left + ">, tensor<" + right + ">) -> " + type + "\n";
  if (c.constantRight)
    region.constants = {1};
  region.yielded = "r0";
  if (c.bias) {
    std::string bias = shapeText({c.columns}) + "f16";
    region.operands.push_back(bias);
    region.body += "%r1 = graph.add %r0, %x2 : (" + type + ", tensor<" + bias +
                   ">) -> " + type + "\n";
    region.yielded = "r1";
  }
  if (c.relu) {
    region.body += "%r2 = graph.relu %" + region.yielded + " : (" + type +
                   ") -> " + type + "\n";
    region.yielded = "r2";
  }
  region.yieldedType = type;
  return region;
}

Elements reference(const MatMulCase &c, const std::vector<Elements> &x) {
  Elements out;
  for (int64_t b = 0; b < c.batches; ++b)
    for (int64_t m = 0; m < c.rows; ++m)
      for (int64_t n = 0; n < c.columns; ++n) {
        float sum = c.bias ? x[2][n] : 0;
        for (int64_t k = 0; k < c.depth; ++k) {
          int64_t left = c.transposeLeft ? k * c.rows + m : m * c.depth + k;
          int64_t right =
              c.transposeRight ? n * c.depth + k : k * c.columns + n;
          sum += x[0][b * c.rows * c.depth + left] *
                 x[1][(c.sharedRight ? 0 : b * c.depth * c.columns) + right];
        }
        out.push_back(toHalf(c.relu && sum < 0 ? 0 : sum));
      }
  return out;
}

TEST_P(MatMul, IsExactAndClean) {
  const MatMulCase &c = GetParam();
  NpuKernelRunner runner;
  ASSERT_TRUE(runner.compile(regionOf(c)));
  EXPECT_EQ(runner.templateName, "cube");
  std::vector<Elements> operands = {
      randomElements(c.batches * c.rows * c.depth, 1),
      randomElements((c.sharedRight ? 1 : c.batches) * c.depth * c.columns, 2)};
  if (c.bias)
    operands.push_back(randomElements(c.columns, 3));
  Elements expected = reference(c, operands);
  // Any number of blocks gives the same bits.
  for (uint32_t blocks : {0u, 1u, 3u}) {
    ::atc::sim::Report report = runner.run(operands, blocks);
    EXPECT_TRUE(report.clean()) << describe(report);
    EXPECT_EQ(runner.getResult(), expected) << blocks << " blocks";
  }
}

INSTANTIATE_TEST_SUITE_P(
    Cube, MatMul,
    testing::Values(MatMulCase{"OneTile", 1, 16, 16, 16, true},
                    MatMulCase{"ManyTiles", 1, 100, 200, 300, true},
                    MatMulCase{"OneRow", 1, 1, 128, 784, true},
                    MatMulCase{"OddSizes", 1, 37, 45, 29, true},
                    MatMulCase{"TransposedConstant", 1, 33, 50, 70, true, false,
                               true},
                    MatMulCase{"Batches", 3, 20, 40, 48, true},
                    MatMulCase{"NoEpilogue", 1, 40, 40, 40, true, false, false,
                               false, false},
                    MatMulCase{"ComputedRight", 1, 50, 60, 70, false, false,
                               false, false, false},
                    MatMulCase{"ComputedRightTransposed", 1, 50, 61, 75, false,
                               false, true},
                    MatMulCase{"BatchedRight", 4, 18, 33, 40, false, false,
                               false, false, true, false},
                    MatMulCase{"BatchedRightTransposed", 4, 18, 33, 40, false,
                               false, true, false, false, false},
                    MatMulCase{"TransposedLeft", 1, 40, 33, 50, true, true}),
    [](const auto &info) { return info.param.name; });

//===----------------------------------------------------------------------===//
// Convolutions
//===----------------------------------------------------------------------===//

struct ConvCase {
  const char *name;
  int64_t batches, channels, height, width, outChannels, kernel;
  int64_t stride = 1, pad = 0, dilation = 1;
  bool bias = true, relu = true;

  int64_t out(int64_t size) const {
    return (size + 2 * pad - dilation * (kernel - 1) - 1) / stride + 1;
  }
};

class Conv : public testing::TestWithParam<ConvCase> {};

NpuRegion regionOf(const ConvCase &c) {
  NpuRegion region;
  std::string x = shapeText({c.batches, c.channels, c.height, c.width}) + "f16";
  std::string w =
      shapeText({c.outChannels, c.channels, c.kernel, c.kernel}) + "f16";
  std::string b = shapeText({c.outChannels, 1, 1}) + "f16";
  std::string type =
      "tensor<" +
      shapeText({c.batches, c.outChannels, c.out(c.height), c.out(c.width)}) +
      "f16>";
  auto list = [](int64_t value, int count) {
    std::string text = "[";
    for (int i = 0; i < count; ++i)
      text += (i ? ", " : "") + std::to_string(value);
    return text + "]";
  };
  region.operands = {x, w};
  region.constants = {1};
  region.body = "%r0 = graph.conv %x0, %x1 strides " + list(c.stride, 2) +
                " pads " + list(c.pad, 4) + " dilations " +
                list(c.dilation, 2) + " groups 1 : (tensor<" + x +
                ">, tensor<" + w + ">) -> " + type + "\n";
  region.yielded = "r0";
  if (c.bias) {
    region.operands.push_back(b);
    region.body += "%r1 = graph.add %r0, %x2 : (" + type + ", tensor<" + b +
                   ">) -> " + type + "\n";
    region.yielded = "r1";
  }
  if (c.relu) {
    region.body += "%r2 = graph.relu %" + region.yielded + " : (" + type +
                   ") -> " + type + "\n";
    region.yielded = "r2";
  }
  region.yieldedType = type;
  return region;
}

/// Sums in the order of the device: channel block, filter row, filter column,
/// channel.
float convElement(const ConvCase &c, const std::vector<Elements> &x, int64_t n,
                  int64_t o, int64_t row, int64_t column) {
  float sum = c.bias ? x[2][o] : 0;
  for (int64_t block = 0; block < c.channels; block += 16)
    for (int64_t tap = 0; tap < c.kernel * c.kernel; ++tap)
      for (int64_t i = block; i < std::min(block + 16, c.channels); ++i) {
        int64_t h = row * c.stride - c.pad + tap / c.kernel * c.dilation;
        int64_t w = column * c.stride - c.pad + tap % c.kernel * c.dilation;
        if (h < 0 || h >= c.height || w < 0 || w >= c.width)
          continue;
        sum += x[0][((n * c.channels + i) * c.height + h) * c.width + w] *
               x[1][(o * c.channels + i) * c.kernel * c.kernel + tap];
      }
  return toHalf(c.relu && sum < 0 ? 0 : sum);
}

TEST_P(Conv, IsExactAndClean) {
  const ConvCase &c = GetParam();
  NpuKernelRunner runner;
  ASSERT_TRUE(runner.compile(regionOf(c)));
  EXPECT_EQ(runner.templateName, "cube");
  std::vector<Elements> operands = {
      randomElements(c.batches * c.channels * c.height * c.width, 1),
      randomElements(c.outChannels * c.channels * c.kernel * c.kernel, 2)};
  if (c.bias)
    operands.push_back(randomElements(c.outChannels, 3));
  ::atc::sim::Report report = runner.run(operands);
  EXPECT_TRUE(report.clean()) << describe(report);
  Elements result = runner.getResult();
  size_t at = 0;
  for (int64_t n = 0; n < c.batches; ++n)
    for (int64_t o = 0; o < c.outChannels; ++o)
      for (int64_t row = 0; row < c.out(c.height); ++row)
        for (int64_t column = 0; column < c.out(c.width); ++column)
          ASSERT_EQ(result[at++], convElement(c, operands, n, o, row, column))
              << n << ", " << o << ", " << row << ", " << column;
}

INSTANTIATE_TEST_SUITE_P(
    Cube, Conv,
    testing::Values(ConvCase{"Plain", 1, 16, 8, 8, 16, 3},
                    ConvCase{"Padded", 1, 16, 8, 8, 32, 3, 1, 1},
                    ConvCase{"Strided", 2, 20, 15, 17, 24, 3, 2, 1},
                    ConvCase{"Dilated", 1, 16, 12, 12, 16, 3, 1, 2, 2},
                    ConvCase{"Pointwise", 2, 40, 9, 9, 50, 1},
                    ConvCase{"Wide", 1, 8, 5, 150, 16, 3, 1, 1},
                    ConvCase{"ManyChannels", 1, 100, 7, 7, 70, 3, 1, 1},
                    ConvCase{"FewChannels", 1, 3, 20, 20, 16, 5, 2, 2},
                    ConvCase{"NoEpilogue", 1, 16, 8, 8, 16, 3, 1, 1, 1, false,
                             false}),
    [](const auto &info) { return info.param.name; });

//===----------------------------------------------------------------------===//
// What the template does not take
//===----------------------------------------------------------------------===//

TEST(Cube, GroupsAreRefusedWithAReason) {
  NpuRegion region;
  region.operands = {"1x16x8x8xf16", "16x8x1x1xf16"};
  region.constants = {1};
  region.body = "%r = graph.conv %x0, %x1 strides [1, 1] pads [0, 0, 0, 0] "
                "dilations [1, 1] groups 2 : (tensor<1x16x8x8xf16>, "
                "tensor<16x8x1x1xf16>) -> tensor<1x16x8x8xf16>";
  region.yielded = "r";
  region.yieldedType = "tensor<1x16x8x8xf16>";
  NpuKernelRunner runner;
  EXPECT_FALSE(runner.compile(region));
  EXPECT_EQ(runner.reason, "a convolution in groups has no NPU kernel yet");
}

TEST(Cube, FloatsAreRefusedWithAnAdvice) {
  NpuRegion region;
  region.operands = {"4x4xf32", "4x4xf32"};
  region.body = "%r = graph.matmul %x0, %x1 : (tensor<4x4xf32>, "
                "tensor<4x4xf32>) -> tensor<4x4xf32>";
  region.yielded = "r";
  region.yieldedType = "tensor<4x4xf32>";
  NpuKernelRunner runner;
  EXPECT_FALSE(runner.compile(region));
  EXPECT_EQ(runner.reason,
            "the cube of TinyNpu has no kernel for this element type yet; try "
            "--precision_mode=force_fp16");
}

} // namespace
