// Tests for transposed convolutions: every attribute, against the definition.
// SPDX-License-Identifier: Apache-2.0
#include "ReferenceConvolution.h"
#include <cmath>
#include <gmock/gmock.h>

using namespace mlir::atc::test;

namespace {

struct TransposeCase {
  std::string name;
  int64_t images = 1, channels = 1, outputs = 1, groups = 1;
  std::vector<int64_t> size, kernel, strides, begins, ends, padding, dilations;

  std::vector<int64_t> resultSizes() const {
    std::vector<int64_t> sizes;
    for (size_t dim = 0; dim < size.size(); ++dim)
      sizes.push_back(strides[dim] * (size[dim] - 1) + padding[dim] +
                      (kernel[dim] - 1) * dilations[dim] + 1 - begins[dim] -
                      ends[dim]);
    return sizes;
  }
  std::string inputType() const {
    return std::to_string(images) + "x" + std::to_string(channels) + "x" +
           ConvolutionCase::join(size, "x") + "xf32";
  }
  std::string filterType() const {
    return std::to_string(channels) + "x" + std::to_string(outputs / groups) +
           "x" + ConvolutionCase::join(kernel, "x") + "xf32";
  }
  std::string resultType() const {
    return "tensor<" + std::to_string(images) + "x" + std::to_string(outputs) +
           "x" + ConvolutionCase::join(resultSizes(), "x") + "xf32>";
  }
  std::string text() const {
    auto join = ConvolutionCase::join;
    std::vector<int64_t> pads = begins;
    pads.insert(pads.end(), ends.begin(), ends.end());
    return "%r = graph.conv_transpose %x0, %w0 strides [" +
           join(strides, ", ") + "] pads [" + join(pads, ", ") +
           "] output_padding [" + join(padding, ", ") + "] dilations [" +
           join(dilations, ", ") + "] groups " + std::to_string(groups) +
           " : (tensor<" + inputType() + ">, tensor<" + filterType() +
           ">) -> " + resultType();
  }
};

/// Adds every product where it belongs.
Elements scatter(const TransposeCase &test, const Elements &input,
                 const Elements &filter) {
  std::vector<int64_t> sizes = test.resultSizes();
  int64_t pixels = productOf(test.size), results = productOf(sizes);
  int64_t taps = productOf(test.kernel);
  int64_t in = test.channels / test.groups, out = test.outputs / test.groups;
  Elements result(test.images * test.outputs * results, 0);
  // What an element of the input contributes to is a window of the result.
  ConvolutionCase window;
  window.size = sizes;
  window.kernel = test.kernel;
  window.strides = test.strides;
  window.begins = test.begins;
  window.dilations = test.dilations;
  for (int64_t n = 0; n < test.images; ++n)
    for (int64_t c = 0; c < test.channels; ++c)
      for (int64_t o = 0; o < out; ++o) {
        double *plane =
            result.data() + (n * test.outputs + c / in * out + o) * results;
        std::vector<int64_t> from(test.size.size(), 0);
        int64_t pixel = 0;
        do {
          double element = input[(n * test.channels + c) * pixels + pixel++];
          const double *weights = filter.data() + (c * out + o) * taps;
          visitWindow(window, from, [&](int64_t tap, int64_t offset) {
            plane[offset] += element * weights[tap];
          });
        } while (nextIndex(from, test.size));
      }
  return result;
}

class Transposes : public ::testing::TestWithParam<TransposeCase> {};

TEST_P(Transposes, MatchTheDefinition) {
  const TransposeCase &test = GetParam();
  TemplateRunner runner;
  TemplateOptions options;
  options.resultHalo = 1;
  ASSERT_TRUE(runner.compile({{test.inputType()},
                              {test.filterType()},
                              test.text(),
                              "r",
                              test.resultType()},
                             options));
  EXPECT_EQ(runner.templateName, "convolution_transpose");
  Elements input =
      randomElements(test.images * test.channels * productOf(test.size), 1);
  Elements filter = randomElements(
      test.channels * test.outputs / test.groups * productOf(test.kernel), 2);
  runner.setOperand(0, input);
  runner.setOperand(1, filter);
  Elements whole = runner.run(), expected = scatter(test, input, filter);
  ASSERT_EQ(whole.size(), expected.size());
  for (size_t i = 0; i < whole.size(); ++i)
    ASSERT_NEAR(whole[i], expected[i], 2e-5 * (1 + std::abs(expected[i])))
        << "at " << i;
  EXPECT_TRUE(runner.haloStaysZero());
  EXPECT_EQ(runner.run({}, 3), whole);
}

std::string nameOf(const ::testing::TestParamInfo<TransposeCase> &info) {
  return info.param.name;
}

INSTANTIATE_TEST_SUITE_P(
    Attributes, Transposes,
    ::testing::Values(
        TransposeCase{"Doubling",
                      1,
                      24,
                      17,
                      1,
                      {5, 6},
                      {2, 2},
                      {2, 2},
                      {0, 0},
                      {0, 0},
                      {0, 0},
                      {1, 1}},
        TransposeCase{"ThreeByTwo",
                      2,
                      10,
                      12,
                      1,
                      {5, 4},
                      {3, 3},
                      {2, 2},
                      {1, 1},
                      {1, 1},
                      {1, 1},
                      {1, 1}},
        TransposeCase{"FourByTwo",
                      1,
                      16,
                      8,
                      1,
                      {6, 6},
                      {4, 4},
                      {2, 2},
                      {1, 1},
                      {1, 1},
                      {0, 0},
                      {1, 1}},
        TransposeCase{"StrideOne",
                      1,
                      6,
                      9,
                      1,
                      {5, 6},
                      {3, 2},
                      {1, 1},
                      {1, 0},
                      {1, 1},
                      {0, 0},
                      {1, 1}},
        TransposeCase{"Gaps",
                      1,
                      4,
                      8,
                      1,
                      {4, 5},
                      {2, 1},
                      {3, 2},
                      {0, 0},
                      {0, 0},
                      {2, 1},
                      {1, 1}},
        TransposeCase{"Dilated",
                      1,
                      5,
                      8,
                      1,
                      {5, 5},
                      {3, 3},
                      {2, 3},
                      {1, 2},
                      {1, 2},
                      {0, 0},
                      {2, 2}},
        TransposeCase{"DilatedSameFactor",
                      1,
                      5,
                      8,
                      1,
                      {5, 5},
                      {3, 3},
                      {2, 2},
                      {1, 1},
                      {2, 1},
                      {1, 0},
                      {2, 4}},
        TransposeCase{"Groups",
                      1,
                      12,
                      18,
                      3,
                      {4, 4},
                      {3, 3},
                      {2, 2},
                      {1, 1},
                      {1, 1},
                      {0, 0},
                      {1, 1}},
        TransposeCase{"Depthwise",
                      1,
                      8,
                      8,
                      8,
                      {4, 4},
                      {4, 4},
                      {2, 2},
                      {1, 1},
                      {1, 1},
                      {0, 0},
                      {1, 1}},
        TransposeCase{"Deep",
                      1,
                      500,
                      16,
                      1,
                      {3, 3},
                      {2, 2},
                      {2, 2},
                      {0, 0},
                      {0, 0},
                      {0, 0},
                      {1, 1}},
        TransposeCase{"NegativePads",
                      1,
                      4,
                      8,
                      1,
                      {4, 4},
                      {2, 2},
                      {2, 2},
                      {-1, 0},
                      {0, -2},
                      {0, 0},
                      {1, 1}},
        TransposeCase{"Line", 1, 7, 16, 1, {11}, {4}, {3}, {1}, {0}, {1}, {1}},
        TransposeCase{"Volume",
                      1,
                      5,
                      8,
                      1,
                      {3, 4, 3},
                      {2, 3, 2},
                      {2, 1, 2},
                      {0, 1, 0},
                      {0, 1, 0},
                      {0, 0, 1},
                      {1, 1, 1}}),
    nameOf);

} // namespace
