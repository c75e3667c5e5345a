// Tests for convolutions: windows, groups, tails, ranks, types, epilogues.
// SPDX-License-Identifier: Apache-2.0
#include "ReferenceConvolution.h"
#include <cmath>
#include <gmock/gmock.h>

using namespace mlir::atc::test;

namespace {

void expectNear(const Elements &actual, const Elements &expected,
                double tolerance) {
  ASSERT_EQ(actual.size(), expected.size());
  for (size_t i = 0; i < actual.size(); ++i)
    ASSERT_NEAR(actual[i], expected[i], tolerance * (1 + std::abs(expected[i])))
        << "at element " << i << " of " << actual.size();
}

class Convolutions : public ::testing::TestWithParam<ConvolutionCase> {};

// Right inside and at the borders; wider halos than the window needs make no
// difference; neither does how the grid is divided; halos stay zero.
TEST_P(Convolutions, MatchTheDefinition) {
  const ConvolutionCase &conv = GetParam();
  Elements input =
      randomElements(conv.images * conv.channels * productOf(conv.size), 1);
  Elements filter = randomElements(
      conv.outputs * conv.channels / conv.groups * productOf(conv.kernel), 2);
  Elements expected = convolve(conv, input, filter);
  double depth = double(conv.channels) / conv.groups * productOf(conv.kernel);
  for (int64_t halo : {0, 1}) {
    TemplateRunner runner;
    TemplateOptions options;
    options.operandHalo = options.resultHalo = halo;
    ASSERT_TRUE(runner.compile({{conv.inputType()},
                                {conv.filterType()},
                                conv.text("r"),
                                "r",
                                conv.resultType()},
                               options));
    runner.setOperand(0, input);
    runner.setOperand(1, filter);
    Elements whole = runner.run();
    expectNear(whole, expected, 1e-6 * std::sqrt(depth + 1));
    EXPECT_TRUE(runner.haloStaysZero());
    EXPECT_EQ(runner.run({}, 3), whole);
  }
}

std::string nameOf(const ::testing::TestParamInfo<ConvolutionCase> &info) {
  return info.param.name;
}

INSTANTIATE_TEST_SUITE_P(
    Direct, Convolutions,
    ::testing::Values(ConvolutionCase{"Pointwise",
                                      1,
                                      24,
                                      40,
                                      1,
                                      {9, 7},
                                      {1, 1},
                                      {1, 1},
                                      {0, 0},
                                      {0, 0},
                                      {1, 1}},
                      ConvolutionCase{"PointwiseStrided",
                                      1,
                                      16,
                                      32,
                                      1,
                                      {14, 13},
                                      {1, 1},
                                      {2, 2},
                                      {0, 0},
                                      {0, 0},
                                      {1, 1}},
                      ConvolutionCase{"Stem",
                                      1,
                                      3,
                                      16,
                                      1,
                                      {23, 21},
                                      {7, 7},
                                      {2, 2},
                                      {3, 3},
                                      {3, 3},
                                      {1, 1}},
                      ConvolutionCase{"Square",
                                      2,
                                      32,
                                      24,
                                      1,
                                      {10, 11},
                                      {3, 3},
                                      {1, 1},
                                      {1, 1},
                                      {1, 1},
                                      {1, 1}},
                      ConvolutionCase{"Deep",
                                      1,
                                      160,
                                      16,
                                      1,
                                      {6, 6},
                                      {3, 3},
                                      {1, 1},
                                      {1, 1},
                                      {1, 1},
                                      {1, 1}},
                      ConvolutionCase{"DeepOdd",
                                      1,
                                      133,
                                      9,
                                      1,
                                      {7, 5},
                                      {3, 3},
                                      {1, 1},
                                      {1, 1},
                                      {1, 1},
                                      {1, 1}},
                      ConvolutionCase{"VeryDeep",
                                      1,
                                      1030,
                                      17,
                                      1,
                                      {3, 3},
                                      {1, 1},
                                      {1, 1},
                                      {0, 0},
                                      {0, 0},
                                      {1, 1}},
                      ConvolutionCase{"Dilated",
                                      1,
                                      12,
                                      20,
                                      1,
                                      {15, 14},
                                      {3, 3},
                                      {1, 1},
                                      {2, 2},
                                      {2, 2},
                                      {2, 2}},
                      ConvolutionCase{"Asymmetric",
                                      1,
                                      8,
                                      8,
                                      1,
                                      {9, 9},
                                      {3, 2},
                                      {2, 1},
                                      {0, 1},
                                      {1, 0},
                                      {1, 1}},
                      ConvolutionCase{"EndUnused",
                                      1,
                                      4,
                                      8,
                                      1,
                                      {8, 8},
                                      {3, 3},
                                      {2, 2},
                                      {0, 0},
                                      {0, 0},
                                      {1, 1}},
                      ConvolutionCase{"GroupsWhole",
                                      1,
                                      32,
                                      64,
                                      2,
                                      {6, 5},
                                      {3, 3},
                                      {1, 1},
                                      {1, 1},
                                      {1, 1},
                                      {1, 1}},
                      ConvolutionCase{"GroupsSmall",
                                      2,
                                      12,
                                      20,
                                      4,
                                      {7, 6},
                                      {3, 3},
                                      {1, 1},
                                      {1, 1},
                                      {1, 1},
                                      {1, 1}},
                      ConvolutionCase{"Multiplier",
                                      1,
                                      6,
                                      18,
                                      6,
                                      {7, 6},
                                      {3, 3},
                                      {1, 1},
                                      {1, 1},
                                      {1, 1},
                                      {1, 1}},
                      ConvolutionCase{"OneChannel",
                                      1,
                                      1,
                                      1,
                                      1,
                                      {8, 9},
                                      {3, 3},
                                      {1, 1},
                                      {1, 1},
                                      {1, 1},
                                      {1, 1}},
                      ConvolutionCase{"Large",
                                      1,
                                      2,
                                      5,
                                      1,
                                      {20, 20},
                                      {11, 11},
                                      {4, 4},
                                      {2, 2},
                                      {2, 2},
                                      {1, 1}},
                      ConvolutionCase{
                          "Line", 2, 10, 24, 1, {50}, {5}, {2}, {2}, {2}, {1}},
                      ConvolutionCase{"Volume",
                                      1,
                                      6,
                                      16,
                                      1,
                                      {5, 6, 7},
                                      {3, 3, 3},
                                      {1, 2, 1},
                                      {1, 1, 1},
                                      {1, 1, 1},
                                      {1, 1, 1}}),
    nameOf);

INSTANTIATE_TEST_SUITE_P(
    Depthwise, Convolutions,
    ::testing::Values(
        ConvolutionCase{"Plain",
                        2,
                        16,
                        16,
                        16,
                        {9, 11},
                        {3, 3},
                        {1, 1},
                        {1, 1},
                        {1, 1},
                        {1, 1}},
        ConvolutionCase{"Strided",
                        1,
                        20,
                        20,
                        20,
                        {13, 12},
                        {3, 3},
                        {2, 2},
                        {1, 1},
                        {1, 1},
                        {1, 1}},
        ConvolutionCase{
            "Five", 1, 8, 8, 8, {9, 9}, {5, 5}, {1, 1}, {2, 2}, {2, 2}, {1, 1}},
        ConvolutionCase{"FiveStrided",
                        1,
                        24,
                        24,
                        24,
                        {14, 14},
                        {5, 5},
                        {2, 2},
                        {2, 2},
                        {2, 2},
                        {1, 1}},
        ConvolutionCase{
            "Tiny", 1, 3, 3, 3, {3, 2}, {3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1}},
        ConvolutionCase{"OneRow",
                        1,
                        9,
                        9,
                        9,
                        {1, 9},
                        {1, 3},
                        {1, 1},
                        {0, 1},
                        {0, 1},
                        {1, 1}},
        ConvolutionCase{"Dilated",
                        1,
                        8,
                        8,
                        8,
                        {12, 12},
                        {3, 3},
                        {1, 1},
                        {2, 2},
                        {2, 2},
                        {2, 2}},
        ConvolutionCase{"Large",
                        1,
                        8,
                        8,
                        8,
                        {14, 13},
                        {9, 9},
                        {1, 1},
                        {4, 4},
                        {4, 4},
                        {1, 1}},
        ConvolutionCase{"Line", 1, 12, 12, 12, {30}, {4}, {1}, {1}, {2}, {1}},
        ConvolutionCase{"Volume",
                        1,
                        8,
                        8,
                        8,
                        {4, 5, 6},
                        {3, 3, 3},
                        {1, 1, 1},
                        {1, 1, 1},
                        {1, 1, 1},
                        {1, 1, 1}}),
    nameOf);

// Bias, residual and a clipped activation, as in an inverted residual block.
TEST(Convolution, Epilogue) {
  ConvolutionCase conv{"",     1,      16,     24,     1,     {7, 7},
                       {3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1}};
  std::string type = conv.resultType();
  TemplateRunner runner;
  TemplateOptions options;
  options.resultHalo = 1;
  ASSERT_TRUE(runner.compile(
      {{conv.inputType(), "1x24x7x7xf32"},
       {conv.filterType(), "24x1x1xf32"},
       conv.text("c") + "%b = graph.add %c, %w1 : (" + type +
           ", tensor<24x1x1xf32>) -> " + type + "\n%s = graph.add %b, %x1 : (" +
           type + ", " + type + ") -> " + type + "\n%r = graph.relu %s : (" +
           type + ") -> " + type,
       "r",
       type},
      options));
  Elements input = randomElements(16 * 49, 1);
  Elements residual = randomElements(24 * 49, 2);
  Elements filter = randomElements(24 * 16 * 9, 3);
  Elements bias = randomElements(24, 4);
  runner.setOperand(0, input);
  runner.setOperand(1, residual);
  runner.setOperand(2, filter);
  runner.setOperand(3, bias);
  Elements expected = convolve(conv, input, filter);
  for (size_t i = 0; i < expected.size(); ++i)
    expected[i] = std::max(expected[i] + bias[i / 49] + residual[i], 0.0);
  expectNear(runner.run({}, 2), expected, 1e-5);
  EXPECT_TRUE(runner.haloStaysZero());
}

// Halves are storage: sums are f32.
TEST(Convolution, HalfPrecision) {
  for (int64_t groups : {1, 16}) {
    ConvolutionCase conv{"",     1,      16,     16,     groups, {8, 7},
                         {3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1}};
    TemplateRunner runner;
    ASSERT_TRUE(runner.compile({{conv.inputType("f16")},
                                {conv.filterType("f16")},
                                conv.text("r", "f16"),
                                "r",
                                conv.resultType("f16")}));
    Elements input = randomElements(16 * 56, 1);
    Elements filter = randomElements(16 * 16 / groups * 9, 2);
    for (Elements *operand : {&input, &filter})
      for (double &element : *operand)
        element = std::round(element * 512) / 512;
    runner.setOperand(0, input);
    runner.setOperand(1, filter);
    expectNear(runner.run(), convolve(conv, input, filter), 1e-3);
  }
}

// Sums of integers are exact.
TEST(Convolution, Integers) {
  for (int64_t groups : {1, 4, 16}) {
    ConvolutionCase conv{"",     1,      16,     16,     groups, {8, 7},
                         {3, 3}, {2, 1}, {1, 1}, {1, 1}, {1, 1}};
    TemplateRunner runner;
    ASSERT_TRUE(runner.compile({{conv.inputType("i32")},
                                {conv.filterType("i32")},
                                conv.text("r", "i32"),
                                "r",
                                conv.resultType("i32")}));
    Elements input = randomElements(16 * 56, 1);
    Elements filter = randomElements(16 * 16 / groups * 9, 2);
    for (Elements *operand : {&input, &filter})
      for (double &element : *operand)
        element = std::round(element * 2000);
    runner.setOperand(0, input);
    runner.setOperand(1, filter);
    EXPECT_EQ(runner.run(), convolve(conv, input, filter));
  }
}

// One kernel serves every picture size.
TEST(Convolution, DynamicSize) {
  for (int64_t groups : {1, 8})
    for (int64_t size : {3, 8, 13}) {
      ConvolutionCase conv{
          "",     1,      8,      8,      groups, {size, size + 1},
          {3, 3}, {2, 2}, {1, 1}, {1, 1}, {1, 1}};
      std::string filter = groups == 1 ? "8x8x3x3xf32" : "8x1x3x3xf32";
      TemplateRunner runner;
      TemplateOptions options;
      options.dims = {size, size + 1};
      ASSERT_TRUE(runner.compile(
          {{"1x8x?x?xf32"},
           {filter},
           "%r = graph.conv %x0, %w0 strides [2, 2] pads [1, 1, 1, 1] "
           "dilations [1, 1] groups " +
               std::to_string(groups) + " : (tensor<1x8x?x?xf32>, tensor<" +
               filter + ">) -> tensor<1x8x?x?xf32>",
           "r",
           "tensor<1x8x?x?xf32>",
           "affine_map<()[h, w] -> (1, 8, h, w)>, affine_map<()[h, w] -> (8, "
           "8, 3, "
           "3)>, affine_map<()[h, w] -> (1, 8, (h - 1) floordiv 2 + 1, (w - 1) "
           "floordiv 2 + 1)>"},
          options));
      Elements input = randomElements(8 * size * (size + 1), 1);
      Elements weights = randomElements(8 * 8 / groups * 9, 2);
      runner.setOperand(0, input, {1, 8, size, size + 1});
      runner.setOperand(1, weights);
      expectNear(runner.run(conv.resultShape(), 2),
                 convolve(conv, input, weights), 1e-5);
    }
}

} // namespace
