// Elementwise and movement kernels whose sizes are open until they run.
// SPDX-License-Identifier: Apache-2.0
#include "OpenKernel.h"
#include "gtest/gtest.h"

using namespace mlir::atc::test;

namespace {

using SizeList = std::vector<std::vector<int64_t>>;

/// Empty, below, at and above the width of a vector, more than one tile.
SizeList lengths() {
  return {{0}, {1}, {3}, {7}, {8}, {9}, {31}, {64}, {1000}, {20003}};
}

SizeList planes() {
  return {{1, 1}, {0, 5}, {5, 0}, {1, 7},   {3, 8},
          {7, 9}, {8, 3}, {9, 1}, {16, 33}, {130, 129}};
}

TEST(OpenPointwise, OneDim) {
  expectSameAsStatic({{"$axf32", "$axf32"},
                      {},
                      "%s = graph.add %x0, %x1 : (tensor<$axf32>, "
                      "tensor<$axf32>) -> tensor<$axf32>\n"
                      "%r = graph.relu %s : (tensor<$axf32>) -> tensor<$axf32>",
                      "r",
                      "tensor<$axf32>"},
                     lengths(), 0, "pointwise");
}

// All dims merge into one loop whose size is a multiple of the lanes.
TEST(OpenPointwise, MergedDims) {
  expectSameAsStatic({{"$ax$bx16xf32", "$ax$bx16xf32"},
                      {},
                      "%r = graph.mul %x0, %x1 : (tensor<$ax$bx16xf32>, "
                      "tensor<$ax$bx16xf32>) -> tensor<$ax$bx16xf32>",
                      "r",
                      "tensor<$ax$bx16xf32>"},
                     planes());
}

TEST(OpenPointwise, NarrowTypes) {
  expectSameAsStatic({{"$axf16", "$axf16"},
                      {},
                      "%r = graph.mul %x0, %x1 : (tensor<$axf16>, "
                      "tensor<$axf16>) -> tensor<$axf16>",
                      "r",
                      "tensor<$axf16>"},
                     lengths());
  expectSameAsStatic({{"$axi8", "$axi8"},
                      {},
                      "%r = graph.compare lt, %x0, %x1 : (tensor<$axi8>, "
                      "tensor<$axi8>) -> tensor<$axi1>",
                      "r",
                      "tensor<$axi1>",
                      {100, 100}},
                     lengths());
  expectSameAsStatic({{"$axi64", "$axi64"},
                      {},
                      "%r = graph.div %x0, %x1 : (tensor<$axi64>, "
                      "tensor<$axi64>) -> tensor<$axi64>",
                      "r",
                      "tensor<$axi64>",
                      {100, 5}},
                     {{3}, {4}, {21}});
}

// A row of scales, a column of offsets.
TEST(OpenPointwise, Broadcasts) {
  expectSameAsStatic({{"$ax$bxf32", "$bxf32", "$ax1xf32"},
                      {},
                      "%s = graph.mul %x0, %x1 : (tensor<$ax$bxf32>, "
                      "tensor<$bxf32>) -> tensor<$ax$bxf32>\n"
                      "%r = graph.add %s, %x2 : (tensor<$ax$bxf32>, "
                      "tensor<$ax1xf32>) -> tensor<$ax$bxf32>",
                      "r",
                      "tensor<$ax$bxf32>"},
                     planes());
}

// Whether a dim repeats is only seen when its size is.
TEST(OpenPointwise, BroadcastsDecidedAtRunTime) {
  expectSameAsStatic({{"$ax$bxf32", "$cx$dxf32"},
                      {},
                      "%r = graph.sub %x0, %x1 : (tensor<$ax$bxf32>, "
                      "tensor<$cx$dxf32>) -> tensor<$ex$fxf32>",
                      "r",
                      "tensor<$ex$fxf32>"},
                     {{4, 9, 4, 9, 4, 9},
                      {1, 9, 4, 9, 4, 9},
                      {4, 1, 4, 9, 4, 9},
                      {4, 1, 1, 9, 4, 9},
                      {1, 1, 3, 17, 3, 17},
                      {5, 40, 1, 1, 5, 40},
                      {1, 1, 1, 1, 1, 1},
                      {1, 3, 0, 3, 0, 3}});
}

// An operand of another rank that is moved, and a runtime repetition behind a
// movement.
TEST(OpenPointwise, BroadcastsBehindMovement) {
  expectSameAsStatic({{"$ax$bxf32", "$cx$bxf32"},
                      {},
                      "%t = graph.transpose %x1 [1, 0] : (tensor<$cx$bxf32>) "
                      "-> tensor<$bx$cxf32>\n"
                      "%u = graph.transpose %x0 [1, 0] : (tensor<$ax$bxf32>) "
                      "-> tensor<$bx$axf32>\n"
                      "%r = graph.add %t, %u : (tensor<$bx$cxf32>, "
                      "tensor<$bx$axf32>) -> tensor<$bx$axf32>",
                      "r",
                      "tensor<$bx$axf32>"},
                     {{12, 9, 12}, {12, 9, 1}, {1, 20, 1}, {3, 2, 1}});
}

TEST(OpenPointwise, Transposes) {
  expectSameAsStatic({{"$ax$bxf32"},
                      {},
                      "%r = graph.transpose %x0 [1, 0] : (tensor<$ax$bxf32>) "
                      "-> tensor<$bx$axf32>",
                      "r",
                      "tensor<$bx$axf32>"},
                     planes());
  // Heads: the innermost dim stays.
  expectSameAsStatic({{"$ax$bx3x16xf32"},
                      {},
                      "%r = graph.transpose %x0 [0, 2, 1, 3] : "
                      "(tensor<$ax$bx3x16xf32>) -> tensor<$ax3x$bx16xf32>",
                      "r",
                      "tensor<$ax3x$bx16xf32>"},
                     planes());
  // Channels to the end.
  expectSameAsStatic({{"1x12x$ax$bxf32"},
                      {},
                      "%r = graph.transpose %x0 [0, 2, 3, 1] : "
                      "(tensor<1x12x$ax$bxf32>) -> tensor<1x$ax$bx12xf32>",
                      "r",
                      "tensor<1x$ax$bx12xf32>"},
                     planes());
}

TEST(OpenPointwise, Reshapes) {
  // Rows and columns become one dim, c = a * b.
  expectSameAsStatic(
      {{"$ax$bx12xf32"},
       {},
       "%s = graph.relu %x0 : (tensor<$ax$bx12xf32>) -> tensor<$ax$bx12xf32>\n"
       "%r = graph.reshape %s : (tensor<$ax$bx12xf32>) -> tensor<$cx12xf32>",
       "r",
       "tensor<$cx12xf32>"},
      {{2, 3, 6}, {1, 1, 1}, {0, 4, 0}, {7, 5, 35}});
  // Back to heads, and the heads in front.
  expectSameAsStatic(
      {{"$cx12xf32"},
       {},
       "%s = graph.reshape %x0 : (tensor<$cx12xf32>) -> tensor<$ax$bx3x4xf32>\n"
       "%r = graph.transpose %s [0, 2, 1, 3] : (tensor<$ax$bx3x4xf32>) -> "
       "tensor<$ax3x$bx4xf32>",
       "r",
       "tensor<$ax3x$bx4xf32>"},
      {{2, 3, 6}, {1, 1, 1}, {0, 4, 0}, {7, 5, 35}});
  // A transposed tensor made flat.
  expectSameAsStatic(
      {{"$ax$bxf32"},
       {},
       "%t = graph.transpose %x0 [1, 0] : (tensor<$ax$bxf32>) -> "
       "tensor<$bx$axf32>\n"
       "%r = graph.reshape %t : (tensor<$bx$axf32>) -> tensor<$cxf32>",
       "r",
       "tensor<$cxf32>"},
      {{2, 3, 6}, {1, 1, 1}, {0, 4, 0}, {7, 5, 35}, {9, 16, 144}});
  // Dims of 1 come and go.
  expectSameAsStatic({{"$ax1x$bxf32"},
                      {},
                      "%r = graph.reshape %x0 : (tensor<$ax1x$bxf32>) -> "
                      "tensor<1x$ax$bx1xf32>",
                      "r",
                      "tensor<1x$ax$bx1xf32>"},
                     planes());
}

TEST(OpenPointwise, ExpandsAndRepeats) {
  expectSameAsStatic(
      {{"$ax1x4xf32"},
       {},
       "%r = graph.expand %x0 : (tensor<$ax1x4xf32>) -> tensor<$ax$bx4xf32>",
       "r",
       "tensor<$ax$bx4xf32>"},
      planes());
  expectSameAsStatic(
      {{"$ax$bxf32"},
       {},
       "%r = graph.tile %x0 [2, 3] : (tensor<$ax$bxf32>) -> tensor<$cx$dxf32>",
       "r",
       "tensor<$cx$dxf32>"},
      {{2, 3, 4, 9}, {1, 1, 2, 3}, {5, 11, 10, 33}});
}

TEST(OpenPointwise, SlicesAndReverses) {
  expectSameAsStatic({{"$ax$bxf32"},
                      {},
                      "%r = graph.slice %x0 starts [0, 1] limits "
                      "[9223372036854775807, 9223372036854775807] steps [1, 2] "
                      ": (tensor<$ax$bxf32>) -> tensor<$ax$cxf32>",
                      "r",
                      "tensor<$ax$cxf32>"},
                     {{3, 5, 2}, {1, 1, 0}, {4, 20, 10}, {2, 39, 19}});
  expectSameAsStatic({{"$ax$bxf32"},
                      {},
                      "%r = graph.reverse %x0 axes [1] : (tensor<$ax$bxf32>) "
                      "-> tensor<$ax$bxf32>",
                      "r",
                      "tensor<$ax$bxf32>"},
                     planes());
}

// Bounds that are read when the kernel runs.
TEST(OpenPointwise, SlicesByTensors) {
  TemplateRunner runner;
  TemplateOptions options;
  options.dims = {4, 1};
  ASSERT_TRUE(runner.compile(
      {{"?x3xf32", "1xi64", "1xi64", "1xi64"},
       {},
       "%r = graph.slice_dynamic %x0 starts %x1 ends %x2 steps %x3 axes [0] "
       "{graph.sizes = [affine_map<()[s0, s1] -> (s1, 3)>]} : "
       "(tensor<?x3xf32>, "
       "tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?x3xf32>",
       "r",
       "tensor<?x3xf32>",
       "affine_map<()[s0, s1] -> (s0, 3)>, affine_map<()[s0, s1] -> (1)>, "
       "affine_map<()[s0, s1] -> (1)>, affine_map<()[s0, s1] -> (1)>, "
       "affine_map<()[s0, s1] -> (s1, 3)>"},
      options));
  struct Case {
    double start, end, step;
    std::vector<int64_t> rows;
  };
  Elements x = randomElements(12, 1);
  for (const Case &each : std::vector<Case>{{-1, 100, 1, {3}},
                                            {1, 3, 1, {1, 2}},
                                            {0, 4, 2, {0, 2}},
                                            {-100, 2, 1, {0, 1}},
                                            {100, -100, -1, {3, 2, 1, 0}},
                                            {-2, 0, -2, {2}}}) {
    auto count = static_cast<int64_t>(each.rows.size());
    runner.setDims({4, count});
    runner.setOperand(0, x, {4, 3});
    runner.setOperand(1, {each.start});
    runner.setOperand(2, {each.end});
    runner.setOperand(3, {each.step});
    Elements expected;
    for (int64_t row : each.rows)
      expected.insert(expected.end(), x.begin() + 3 * row,
                      x.begin() + 3 * row + 3);
    EXPECT_EQ(runner.run({count, 3}), expected);
  }
}

TEST(OpenPointwise, Concatenates) {
  // A cache that grows along the sequence, c = a + b.
  expectSameAsStatic(
      {{"2x$ax8xf32", "2x$bx8xf32"},
       {},
       "%r = graph.concat %x0, %x1 axis 1 : (tensor<2x$ax8xf32>, "
       "tensor<2x$bx8xf32>) -> tensor<2x$cx8xf32>",
       "r",
       "tensor<2x$cx8xf32>"},
      {{3, 1, 4}, {0, 1, 1}, {0, 0, 0}, {17, 20, 37}});
  // Lanes run across the border.
  expectSameAsStatic(
      {{"2x$axf32", "2x3xf32", "2x$bxf32"},
       {},
       "%r = graph.concat %x0, %x1, %x2 axis 1 : (tensor<2x$axf32>, "
       "tensor<2x3xf32>, tensor<2x$bxf32>) -> tensor<2x$cxf32>",
       "r",
       "tensor<2x$cxf32>"},
      {{3, 1, 7}, {0, 1, 4}, {0, 0, 3}, {17, 20, 40}, {40, 5, 48}});
}

// Lanes that run backwards over the border of two operands.
TEST(OpenPointwise, ReversesConcatenations) {
  OpenKernel kernel{
      {"2x$axf32", "2x$bxf32"},
      {},
      "%s = graph.concat %x0, %x1 axis 1 : (tensor<2x$axf32>, "
      "tensor<2x$bxf32>) -> tensor<2x$cxf32>\n"
      "%r = graph.reverse %s axes [1] : (tensor<2x$cxf32>) -> tensor<2x$cxf32>",
      "r",
      "tensor<2x$cxf32>"};
  expectSameAsStatic(kernel, {{3, 8, 11}, {16, 16, 32}, {0, 9, 9}});
  TemplateRunner runner;
  ASSERT_TRUE(runner.compile(
      {{"16xf32", "16xf32"},
       {},
       "%s = graph.concat %x0, %x1 axis 0 : (tensor<16xf32>, tensor<16xf32>) "
       "-> tensor<32xf32>\n"
       "%r = graph.reverse %s axes [0] : (tensor<32xf32>) -> tensor<32xf32>",
       "r",
       "tensor<32xf32>"}));
  Elements a = randomElements(16, 1), b = randomElements(16, 2);
  runner.setOperand(0, a);
  runner.setOperand(1, b);
  Elements expected(b.rbegin(), b.rend());
  expected.insert(expected.end(), a.rbegin(), a.rend());
  EXPECT_EQ(runner.run(), expected);
}

TEST(OpenPointwise, Pads) {
  for (std::string mode : {"constant", "edge"})
    expectSameAsStatic(
        {{"$ax$bxf32", "f32"},
         {},
         "%r = graph.pad %x0, %x1 low [1, 2] high [0, 3] mode " + mode +
             " : (tensor<$ax$bxf32>, tensor<f32>) -> tensor<$cx$dxf32>",
         "r",
         "tensor<$cx$dxf32>"},
        {{2, 3, 3, 8}, {1, 1, 2, 6}, {4, 11, 5, 16}, {3, 40, 4, 45}});
  // Nothing but padding.
  expectSameAsStatic(
      {{"$ax$bxf32", "f32"},
       {},
       "%r = graph.pad %x0, %x1 low [1, 2] high [0, 3] mode constant : "
       "(tensor<$ax$bxf32>, tensor<f32>) -> tensor<$cx$dxf32>",
       "r",
       "tensor<$cx$dxf32>"},
      {{0, 3, 1, 8}, {2, 0, 3, 5}});
}

TEST(OpenPointwise, Gathers) {
  expectSameAsStatic({{"50x$bxf32", "$axi64"},
                      {},
                      "%r = graph.gather %x0, %x1 axis 0 : (tensor<50x$bxf32>, "
                      "tensor<$axi64>) -> tensor<$ax$bxf32>",
                      "r",
                      "tensor<$ax$bxf32>",
                      {0, 50}},
                     planes());
  expectSameAsStatic({{"2x$axf32", "$bxi64"},
                      {},
                      "%r = graph.gather %x0, %x1 axis 1 : (tensor<2x$axf32>, "
                      "tensor<$bxi64>) -> tensor<2x$bxf32>",
                      "r",
                      "tensor<2x$bxf32>",
                      {0, 3}},
                     {{3, 1}, {4, 9}, {30, 17}, {5, 0}});
}

TEST(OpenPointwise, Resizes) {
  for (std::string how :
       {"mode nearest coordinate_transform asymmetric",
        "mode linear coordinate_transform half_pixel",
        "mode linear coordinate_transform align_corners",
        "mode linear coordinate_transform pytorch_half_pixel"})
    expectSameAsStatic({{"1x3x$ax$bxf32"},
                        {},
                        "%r = graph.resize %x0 scales [1.0, 1.0, 2.0, 2.0] "
                        "sizes [-1, -1, -1, -1] " +
                            how +
                            " nearest_rounding floor cubic_coefficient "
                            "-7.5e-01 extrapolation_value 0.0 : "
                            "(tensor<1x3x$ax$bxf32>) -> tensor<1x3x$cx$dxf32>",
                        "r",
                        "tensor<1x3x$cx$dxf32>"},
                       {{2, 3, 4, 6}, {1, 1, 2, 2}, {4, 11, 8, 22}}, 1e-6);
}

TEST(OpenPointwise, Scatters) {
  expectSameAsStatic({{"$ax$bxf32", "$cx1xi64", "$cx$bxf32"},
                      {},
                      "%r = graph.scatter_nd %x0, %x1, %x2 reduction add : "
                      "(tensor<$ax$bxf32>, tensor<$cx1xi64>, "
                      "tensor<$cx$bxf32>) -> tensor<$ax$bxf32>",
                      "r",
                      "tensor<$ax$bxf32>",
                      {0, 3, 0}},
                     {{3, 1, 2}, {5, 8, 1}, {4, 33, 7}, {3, 5, 0}});
}

} // namespace
