// Tests for pooling: borders, ceil mode, counts, types, few channels.
// SPDX-License-Identifier: Apache-2.0
#include "ReferenceConvolution.h"
#include <cmath>
#include <gmock/gmock.h>

using namespace mlir::atc::test;

namespace {

struct PoolCase {
  std::string name;
  int64_t images = 1, channels = 1;
  std::vector<int64_t> size, kernel, strides, begins, ends, dilations;
  bool ceilMode = false, countsPadding = false;

  /// The same window as a convolution, for the walk over it.
  ConvolutionCase window() const {
    return {name,   images,  channels, channels, channels, size,
            kernel, strides, begins,   ends,     dilations};
  }
  std::vector<int64_t> resultShape() const {
    std::vector<int64_t> shape = {images, channels};
    for (size_t dim = 0; dim < size.size(); ++dim) {
      int64_t room = size[dim] + begins[dim] + ends[dim] -
                     ((kernel[dim] - 1) * dilations[dim] + 1);
      int64_t count = room / strides[dim] + 1;
      if (ceilMode && room % strides[dim] != 0 &&
          count * strides[dim] < size[dim] + begins[dim])
        ++count;
      shape.push_back(count);
    }
    return shape;
  }
  std::string text(bool isMax, const char *element) const {
    auto join = ConvolutionCase::join;
    std::vector<int64_t> pads = begins;
    pads.insert(pads.end(), ends.begin(), ends.end());
    std::string type = join(resultShape(), "x") + "x" + element;
    return std::string("%r = graph.") + (isMax ? "max" : "avg") +
           "_pool %x0 kernel [" + join(kernel, ", ") + "] strides [" +
           join(strides, ", ") + "] pads [" + join(pads, ", ") +
           "] dilations [" + join(dilations, ", ") + "]" +
           (ceilMode ? " ceil_mode" : "") +
           (countsPadding && !isMax ? " count_include_pad" : "") +
           " : (tensor<" + window().inputType(element) + ">) -> tensor<" +
           type + ">";
  }
};

Elements pool(const PoolCase &test, const Elements &input, bool isMax) {
  ConvolutionCase window = test.window();
  int64_t pixels = productOf(test.size);
  std::vector<int64_t> places = test.resultShape();
  places.erase(places.begin(), places.begin() + 2);
  Elements result;
  for (int64_t plane = 0; plane < test.images * test.channels; ++plane) {
    std::vector<int64_t> point(test.size.size(), 0);
    do {
      double sum = 0, largest = -HUGE_VAL, count = 0;
      visitWindow(window, point, [&](int64_t, int64_t offset) {
        double element = input[plane * pixels + offset];
        sum += element;
        largest = std::max(largest, element);
        ++count;
      });
      if (test.countsPadding) {
        count = 1;
        for (size_t dim = 0; dim < test.size.size(); ++dim) {
          int64_t inside = 0;
          for (int64_t tap = 0; tap < test.kernel[dim]; ++tap)
            inside += point[dim] * test.strides[dim] +
                          tap * test.dilations[dim] - test.begins[dim] <
                      test.size[dim] + test.ends[dim];
          count *= inside;
        }
      }
      result.push_back(isMax ? largest : sum / count);
    } while (nextIndex(point, places));
  }
  return result;
}

class Pools : public ::testing::TestWithParam<PoolCase> {};

// Negative elements show that padding never wins; halos are not read as
// elements.
TEST_P(Pools, MatchTheDefinition) {
  const PoolCase &test = GetParam();
  for (bool isMax : {true, false})
    for (int64_t halo : {0, 2}) {
      TemplateRunner runner;
      TemplateOptions options;
      options.operandHalo = options.resultHalo = halo;
      ASSERT_TRUE(runner.compile(
          {{test.window().inputType()},
           {},
           test.text(isMax, "f32"),
           "r",
           "tensor<" + ConvolutionCase::join(test.resultShape(), "x") +
               "xf32>"},
          options));
      EXPECT_EQ(runner.templateName, "pooling");
      Elements input =
          randomElements(test.images * test.channels * productOf(test.size), 1);
      for (double &element : input)
        element -= 1.5;
      runner.setOperand(0, input);
      Elements actual = runner.run({}, 2), expected = pool(test, input, isMax);
      ASSERT_EQ(actual.size(), expected.size());
      for (size_t i = 0; i < actual.size(); ++i)
        ASSERT_NEAR(actual[i], expected[i], 2e-6) << "at " << i;
      EXPECT_TRUE(runner.haloStaysZero());
    }
}

std::string nameOf(const ::testing::TestParamInfo<PoolCase> &info) {
  return info.param.name;
}

INSTANTIATE_TEST_SUITE_P(
    Windows, Pools,
    ::testing::Values(
        PoolCase{
            "Plain", 2, 16, {8, 6}, {2, 2}, {2, 2}, {0, 0}, {0, 0}, {1, 1}},
        PoolCase{
            "Padded", 1, 43, {11, 12}, {3, 3}, {2, 2}, {1, 1}, {1, 1}, {1, 1}},
        PoolCase{"Ceil",
                 1,
                 8,
                 {10, 11},
                 {3, 3},
                 {2, 2},
                 {0, 0},
                 {1, 1},
                 {1, 1},
                 true},
        PoolCase{"CeilCounts",
                 1,
                 8,
                 {10, 11},
                 {3, 3},
                 {2, 2},
                 {1, 0},
                 {1, 1},
                 {1, 1},
                 true,
                 true},
        PoolCase{"Counts",
                 1,
                 9,
                 {7, 7},
                 {3, 3},
                 {1, 1},
                 {1, 1},
                 {1, 1},
                 {1, 1},
                 false,
                 true},
        PoolCase{
            "Dilated", 1, 8, {12, 12}, {3, 2}, {1, 2}, {2, 0}, {1, 1}, {2, 3}},
        PoolCase{"FewChannels",
                 2,
                 3,
                 {9, 9},
                 {3, 3},
                 {2, 2},
                 {1, 1},
                 {1, 1},
                 {1, 1}},
        PoolCase{"Line", 1, 16, {31}, {5}, {3}, {2}, {2}, {1}},
        PoolCase{"Volume",
                 1,
                 8,
                 {5, 6, 7},
                 {2, 3, 2},
                 {2, 1, 2},
                 {0, 1, 0},
                 {0, 1, 1},
                 {1, 1, 1}}),
    nameOf);

TEST(Pooling, Integers) {
  PoolCase test{"", 1, 40, {6, 6}, {2, 2}, {2, 2}, {0, 0}, {0, 0}, {1, 1}};
  TemplateRunner runner;
  ASSERT_TRUE(runner.compile({{test.window().inputType("i8")},
                              {},
                              test.text(true, "i8"),
                              "r",
                              "tensor<1x40x3x3xi8>"}));
  Elements input(40 * 36);
  for (size_t i = 0; i < input.size(); ++i)
    input[i] = double(i * 37 % 255) - 128;
  runner.setOperand(0, input);
  EXPECT_EQ(runner.run(), pool(test, input, true));
}

// NaN wins over numbers, as in the model's framework.
TEST(Pooling, NotANumber) {
  PoolCase test{"", 1, 8, {4, 4}, {2, 2}, {2, 2}, {0, 0}, {0, 0}, {1, 1}};
  TemplateRunner runner;
  ASSERT_TRUE(runner.compile({{test.window().inputType()},
                              {},
                              test.text(true, "f32"),
                              "r",
                              "tensor<1x8x2x2xf32>"}));
  Elements input = randomElements(128, 1);
  input[5] = std::nan("");
  runner.setOperand(0, input);
  Elements result = runner.run();
  EXPECT_TRUE(std::isnan(result[0]));
  EXPECT_FALSE(std::isnan(result[1]));
}

// A function of each maximum runs before it is stored.
TEST(Pooling, Epilogue) {
  PoolCase test{"", 1, 16, {6, 6}, {3, 3}, {2, 2}, {1, 1}, {1, 1}, {1, 1}};
  std::string type = "tensor<1x16x3x3xf32>";
  TemplateRunner runner;
  std::string body = test.text(true, "f32");
  body.replace(0, 2, "%p");
  ASSERT_TRUE(
      runner.compile({{test.window().inputType()},
                      {},
                      body + "\n%r = graph.neg %p : (" + type + ") -> " + type,
                      "r",
                      type}));
  Elements input = randomElements(16 * 36, 1);
  runner.setOperand(0, input);
  Elements expected = pool(test, input, true);
  for (double &element : expected)
    element = -element;
  EXPECT_EQ(runner.run(), expected);
}

} // namespace
