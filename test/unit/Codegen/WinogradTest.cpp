// Tests for convolutions by Winograd's method: both tiles, borders, tails.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Codegen/Cpu/Winograd.h"
#include "ReferenceConvolution.h"
#include <cmath>
#include <gmock/gmock.h>

using namespace mlir::atc::test;

namespace {

/// The filter in the Winograd domain, by its kernel.
Elements transformFilter(const ConvolutionCase &conv, int64_t tile,
                         const Elements &filter,
                         const std::string &element = "f32") {
  std::string result = "tensor<" + std::to_string((tile + 2) * (tile + 2)) +
                       "x" + std::to_string(conv.outputs) + "x" +
                       std::to_string(conv.channels) + "x" + element + ">";
  std::string type = conv.filterType(element.c_str());
  TemplateRunner runner;
  EXPECT_TRUE(runner.compile({{type},
                              {},
                              "%u = graph.winograd_filter %x0 tile " +
                                  std::to_string(tile) + " : (tensor<" + type +
                                  ">) -> " + result,
                              "u",
                              result}));
  EXPECT_EQ(runner.templateName, "winograd_filter");
  runner.setOperand(0, filter);
  return runner.run({}, 2);
}

struct WinogradCase {
  ConvolutionCase conv;
  int64_t tile;
};

class Winograds : public ::testing::TestWithParam<WinogradCase> {};

TEST_P(Winograds, MatchTheDefinition) {
  const auto &[conv, tile] = GetParam();
  int64_t pixels = productOf(conv.size);
  Elements input = randomElements(conv.images * conv.channels * pixels, 1);
  Elements filter = randomElements(conv.outputs * conv.channels * 9, 2);
  Elements bias = randomElements(conv.outputs, 3);
  std::string planes = std::to_string((tile + 2) * (tile + 2)) + "x" +
                       std::to_string(conv.outputs) + "x" +
                       std::to_string(conv.channels) + "xf32";
  std::vector<int64_t> pads = conv.begins;
  pads.insert(pads.end(), conv.ends.begin(), conv.ends.end());
  std::string type = conv.resultType();
  std::string biasType = std::to_string(conv.outputs) + "x1x1xf32";
  TemplateRunner runner;
  TemplateOptions options;
  options.resultHalo = 1;
  ASSERT_TRUE(runner.compile(
      {{conv.inputType()},
       {planes, biasType},
       "%c = graph.conv_winograd %x0, %w0 tile " + std::to_string(tile) +
           " pads [" + ConvolutionCase::join(pads, ", ") + "] : (tensor<" +
           conv.inputType() + ">, tensor<" + planes + ">) -> " + type +
           "\n%b = graph.add %c, %w1 : (" + type + ", tensor<" + biasType +
           ">) -> " + type + "\n%r = graph.relu %b : (" + type + ") -> " + type,
       "r",
       type},
      options));
  EXPECT_EQ(runner.templateName, "winograd");
  runner.setOperand(0, input);
  runner.setOperand(1, transformFilter(conv, tile, filter));
  runner.setOperand(2, bias);
  Elements whole = runner.run(), expected = convolve(conv, input, filter);
  int64_t results = productOf(conv.resultShape()) / conv.images / conv.outputs;
  // Results have a deviation of sqrt(channels).
  double deviation = std::sqrt(double(conv.channels)), squares = 0;
  ASSERT_EQ(whole.size(), expected.size());
  for (size_t i = 0; i < whole.size(); ++i) {
    double wanted =
        std::max(expected[i] + bias[i / results % conv.outputs], 0.0);
    ASSERT_NEAR(whole[i], wanted, 2e-5 * deviation) << "at " << i;
    squares += std::pow(whole[i] - wanted, 2);
  }
  // The larger tile's transforms multiply rounding errors by more.
  EXPECT_LT(std::sqrt(squares / double(whole.size())),
            (tile == 4 ? 2e-6 : 1e-6) * deviation);
  EXPECT_TRUE(runner.haloStaysZero());
  EXPECT_EQ(runner.run({}, 3), whole);
}

ConvolutionCase square(int64_t images, int64_t channels, int64_t outputs,
                       int64_t height, int64_t width) {
  return {"",     images, channels, outputs, 1,     {height, width},
          {3, 3}, {1, 1}, {1, 1},   {1, 1},  {1, 1}};
}

INSTANTIATE_TEST_SUITE_P(
    Tiles, Winograds,
    ::testing::Values(
        WinogradCase{square(1, 16, 16, 8, 8), 4},
        WinogradCase{square(1, 16, 16, 8, 8), 2},
        WinogradCase{square(2, 13, 21, 7, 10), 4},
        WinogradCase{square(2, 13, 21, 7, 11), 2},
        WinogradCase{square(1, 400, 8, 6, 6), 4},
        WinogradCase{square(1, 8, 40, 53, 41), 4},
        WinogradCase{
            {"", 1, 8, 8, 1, {9, 9}, {3, 3}, {1, 1}, {0, 1}, {0, 2}, {1, 1}},
            4}));

// A filter of the largest float16 stays finite, and sums that float16 holds
// come out of it.
TEST(HalfWinograd, KeepsTheRangeAndTheDigits) {
  ConvolutionCase conv = square(1, 9, 12, 10, 7);
  std::string planes = "16x12x9xf16", type = conv.resultType("f16");
  std::string input = conv.inputType("f16");
  TemplateRunner runner;
  ASSERT_TRUE(runner.compile(
      {{input},
       {planes},
       "%r = graph.conv_winograd %x0, %w0 tile 2 pads [1, 1, 1, 1] : (tensor<" +
           input + ">, tensor<" + planes + ">) -> " + type,
       "r",
       type}));
  EXPECT_EQ(runner.templateName, "winograd");
  for (double size : {1.0, 65504.0}) {
    Elements elements = randomElements(9 * 10 * 7, 1);
    Elements filter = randomElements(12 * 9 * 9, 2);
    for (double &tap : filter)
      tap = size == 1 ? tap : std::copysign(size, tap);
    for (double &element : elements)
      element /= size;
    runner.setOperand(0, elements);
    runner.setOperand(1, transformFilter(conv, 2, filter, "f16"));
    Elements got = runner.run(), wanted = convolve(conv, elements, filter);
    ASSERT_EQ(got.size(), wanted.size());
    // The elements themselves are rounded to 2^-11, or to 2^-25 where that is
    // coarser.
    double error = size == 1 ? 0x1p-11 : 0x1p-25 * size;
    for (size_t i = 0; i < got.size(); ++i)
      ASSERT_NEAR(got[i], wanted[i], 30 * error) << "at " << i;
  }
}

class OpenWinograds : public ::testing::TestWithParam<WinogradCase> {};

// Batch, height and width are known to a run alone: results smaller than a tile
// are right too, and nothing is written behind the last element.
TEST_P(OpenWinograds, MatchTheDefinition) {
  const auto &[conv, tile] = GetParam();
  std::string channels = std::to_string(conv.channels);
  std::string outputs = std::to_string(conv.outputs);
  std::string numbers = std::to_string((tile + 2) * (tile + 2));
  std::string planes = numbers + "x" + outputs + "x" + channels + "xf32";
  std::string input = "?x" + channels + "x?x?xf32";
  std::string result = "tensor<?x" + outputs + "x?x?xf32>";
  auto map = [](const std::string &sizes) {
    return "affine_map<()[n, h, w, y, x] -> (" + sizes + ")>";
  };
  std::string sizes = map("n, " + outputs + ", y, x");
  std::vector<int64_t> pads = conv.begins;
  pads.insert(pads.end(), conv.ends.begin(), conv.ends.end());
  TemplateRunner::Region region = {
      {input},
      {planes},
      "%r = graph.conv_winograd %x0, %w0 tile " + std::to_string(tile) +
          " pads [" + ConvolutionCase::join(pads, ", ") + "] {graph.sizes = [" +
          sizes + "]} : (tensor<" + input + ">, tensor<" + planes + ">) -> " +
          result,
      "r",
      result};
  region.shapes = map("n, " + channels + ", h, w") + ", " +
                  map(numbers + ", " + outputs + ", " + channels) + ", " +
                  sizes;
  TemplateOptions options;
  options.resultHalo = 1;
  options.dims = {conv.images, conv.size[0], conv.size[1], conv.resultSize(0),
                  conv.resultSize(1)};
  TemplateRunner runner;
  ASSERT_TRUE(runner.compile(region, options));
  EXPECT_EQ(runner.templateName, "winograd");
  std::vector<int64_t> shape = {conv.images, conv.channels, conv.size[0],
                                conv.size[1]};
  Elements elements = randomElements(productOf(shape), 1);
  Elements filter = randomElements(conv.outputs * conv.channels * 9, 2);
  Elements transformed = transformFilter(conv, tile, filter);
  runner.setOperand(0, elements, shape);
  runner.setOperand(1, transformed,
                    {(tile + 2) * (tile + 2), conv.outputs, conv.channels});
  Elements got = runner.run(conv.resultShape(), 3);
  Elements wanted = convolve(conv, elements, filter);
  EXPECT_TRUE(runner.haloStaysZero());
  ASSERT_EQ(got.size(), wanted.size());
  for (size_t i = 0; i < got.size(); ++i)
    ASSERT_NEAR(got[i], wanted[i], 2e-5 * std::sqrt(double(conv.channels)))
        << "at " << i;
}

INSTANTIATE_TEST_SUITE_P(
    Sizes, OpenWinograds,
    ::testing::Values(
        WinogradCase{square(1, 16, 16, 8, 8), 4},
        WinogradCase{square(2, 13, 21, 7, 10), 4},
        WinogradCase{square(2, 13, 21, 7, 11), 2},
        WinogradCase{square(1, 8, 12, 1, 2), 4},
        WinogradCase{square(3, 8, 12, 3, 50), 4},
        WinogradCase{square(0, 8, 12, 9, 9), 4},
        WinogradCase{square(1, 8, 40, 53, 41), 4},
        WinogradCase{
            {"", 1, 8, 8, 1, {9, 2}, {3, 3}, {1, 1}, {0, 1}, {0, 2}, {1, 1}},
            4}));

} // namespace
