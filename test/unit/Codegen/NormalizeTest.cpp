// Tests for softmax and normalizations.
// SPDX-License-Identifier: Apache-2.0
#include "TemplateRunner.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>
#include <gmock/gmock.h>

using namespace mlir::atc::test;
using llvm::formatv;

namespace {

void expectNear(const Elements &actual, const Elements &expected,
                double tolerance) {
  ASSERT_EQ(actual.size(), expected.size());
  for (size_t i = 0; i < actual.size(); ++i)
    ASSERT_NEAR(actual[i], expected[i], tolerance) << "at element " << i;
}

struct Rows {
  int64_t outer, size, inner;
};

class NormalizeRows : public ::testing::TestWithParam<Rows> {
protected:
  int64_t elements() const {
    auto [outer, size, inner] = GetParam();
    return outer * size * inner;
  }
  std::string type() const {
    auto [outer, size, inner] = GetParam();
    return formatv("tensor<{0}x{1}x{2}xf32>", outer, size, inner);
  }

  /// Applies `normalize` to each row along the middle dim.
  Elements
  reference(const Elements &x,
            llvm::function_ref<void(std::vector<double> &)> normalize) const {
    auto [outer, size, inner] = GetParam();
    Elements y(x.size());
    for (int64_t i = 0; i < outer; ++i)
      for (int64_t k = 0; k < inner; ++k) {
        std::vector<double> row(size);
        for (int64_t j = 0; j < size; ++j)
          row[j] = x[(i * size + j) * inner + k];
        normalize(row);
        for (int64_t j = 0; j < size; ++j)
          y[(i * size + j) * inner + k] = row[j];
      }
    return y;
  }

  Elements run(const Elements &x, const std::string &op) {
    TemplateRunner runner;
    std::string plain = type().substr(7, type().size() - 8);
    EXPECT_TRUE(
        runner.compile({{plain},
                        {},
                        formatv("%r = graph.{0} : ({1}) -> {1}", op, type()),
                        "r",
                        type()}));
    EXPECT_EQ(runner.templateName, "row");
    runner.setOperand(0, x);
    Elements whole = runner.run();
    EXPECT_EQ(runner.run({}, 3), whole);
    return whole;
  }
};

void softmax(std::vector<double> &row) {
  double top = *std::max_element(row.begin(), row.end()), sum = 0;
  for (double &value : row)
    sum += value = std::exp(value - top);
  for (double &value : row)
    value /= sum;
}

TEST_P(NormalizeRows, Softmax) {
  Elements x = randomElements(elements(), 7);
  for (double &value : x)
    value = static_cast<float>(value * 30);
  expectNear(run(x, "softmax %x0 axis 1"), reference(x, softmax), 2e-6);
}

TEST_P(NormalizeRows, LogSoftmax) {
  Elements x = randomElements(elements(), 8);
  expectNear(run(x, "log_softmax %x0 axis 1"),
             reference(x,
                       [](auto &row) {
                         softmax(row);
                         for (double &value : row)
                           value = std::log(value);
                       }),
             5e-6);
}

// Far from zero the mean square is nearly the square of the mean; the variance
// must not come from their difference.
TEST_P(NormalizeRows, LayerNormFarFromZero) {
  auto [outer, size, inner] = GetParam();
  Elements x = randomElements(elements(), 9);
  for (double &value : x)
    value = static_cast<float>(value + 100);
  Elements expected(x.size());
  for (int64_t i = 0; i < outer; ++i) {
    int64_t count = size * inner;
    double mean = 0, variance = 0;
    for (int64_t j = 0; j < count; ++j)
      mean += x[i * count + j] / count;
    for (int64_t j = 0; j < count; ++j)
      variance += std::pow(x[i * count + j] - mean, 2) / count;
    for (int64_t j = 0; j < count; ++j)
      expected[i * count + j] =
          (x[i * count + j] - mean) / std::sqrt(variance + 1e-5);
  }
  expectNear(run(x, "layer_norm %x0 axis 1 epsilon 1.0e-05"), expected, 2e-3);
}

INSTANTIATE_TEST_SUITE_P(All, NormalizeRows,
                         ::testing::Values(Rows{1, 1, 1}, Rows{3, 7, 1},
                                           Rows{5, 100, 1}, Rows{2, 5, 33},
                                           Rows{2, 64, 8}, Rows{1, 9, 3}));

// The sum that feeds a normalization, its scale, bias and what follows run in
// one kernel.
TEST(NormalizeKernel, ResidualLayerNorm) {
  TemplateRunner runner;
  const char *type = "tensor<2x3x16xf32>";
  ASSERT_TRUE(runner.compile(
      {{"2x3x16xf32", "2x3x16xf32", "16xf32", "16xf32"},
       {},
       formatv("%a = graph.add %x0, %x1 : ({0}, {0}) -> {0}\n"
               "%b = graph.layer_norm %a scale %x2 bias %x3 axis 2 epsilon 0.0 "
               ": ({0}, tensor<16xf32>, tensor<16xf32>) -> {0}\n"
               "%r = graph.relu %b : ({0}) -> {0}",
               type),
       "r",
       type}));
  Elements x = randomElements(96, 1), y = randomElements(96, 2),
           scale = randomElements(16, 3), bias = randomElements(16, 4);
  Elements expected(96);
  for (int row = 0; row < 6; ++row) {
    double mean = 0, variance = 0;
    for (int i = 0; i < 16; ++i)
      mean += (x[row * 16 + i] + y[row * 16 + i]) / 16;
    for (int i = 0; i < 16; ++i)
      variance += std::pow(x[row * 16 + i] + y[row * 16 + i] - mean, 2) / 16;
    for (int i = 0; i < 16; ++i) {
      double normal = (x[row * 16 + i] + y[row * 16 + i] - mean) /
                          std::sqrt(variance) * scale[i] +
                      bias[i];
      expected[row * 16 + i] = std::max(normal, 0.0);
    }
  }
  for (auto [number, elements] :
       llvm::enumerate(std::vector<Elements>{x, y, scale, bias}))
    runner.setOperand(number, elements);
  expectNear(runner.run(), expected, 1e-5);
}

// Means and variances of whole pictures keep their digits, though single
// precision cannot count their elements one by one.
TEST(NormalizeKernel, LongRows) {
  constexpr int64_t size = 1 << 19;
  TemplateRunner runner;
  std::string type = formatv("tensor<1x2x{0}xf32>", size);
  ASSERT_TRUE(runner.compile(
      {{formatv("1x2x{0}xf32", size), "2xf32", "2xf32"},
       {},
       formatv("%r = graph.instance_norm %x0, %x1, %x2 epsilon 0.0 : "
               "({0}, tensor<2xf32>, tensor<2xf32>) -> {0}",
               type),
       "r",
       type}));
  Elements x = randomElements(2 * size, 5), expected;
  for (int64_t channel = 0; channel < 2; ++channel) {
    double mean = 0, variance = 0;
    auto *row = x.data() + channel * size;
    for (int64_t i = 0; i < size; ++i)
      mean += (row[i] = static_cast<float>(row[i] + 3)) / size;
    for (int64_t i = 0; i < size; ++i)
      variance += std::pow(row[i] - mean, 2) / size;
    for (int64_t i = 0; i < size; ++i)
      expected.push_back((row[i] - mean) / std::sqrt(variance));
  }
  runner.setOperand(0, x);
  runner.setOperand(1, {1, 1});
  runner.setOperand(2, {0, 0});
  expectNear(runner.run(), expected, 3e-6);
}

// Groups of channels, with scale and bias per channel.
TEST(NormalizeKernel, GroupNorm) {
  TemplateRunner runner;
  const char *type = "tensor<1x4x5xf32>";
  ASSERT_TRUE(runner.compile(
      {{"1x4x5xf32", "4xf32", "4xf32"},
       {},
       formatv("%r = graph.group_norm %x0, %x1, %x2 groups 2 epsilon 0.0 : "
               "({0}, tensor<4xf32>, tensor<4xf32>) -> {0}",
               type),
       "r",
       type}));
  Elements x = randomElements(20, 5), scale = {1, 2, 3, 4},
           bias = {0, 1, 0, -1};
  Elements expected(20);
  for (int group = 0; group < 2; ++group) {
    double mean = 0, variance = 0;
    for (int i = 0; i < 10; ++i)
      mean += x[group * 10 + i] / 10;
    for (int i = 0; i < 10; ++i)
      variance += std::pow(x[group * 10 + i] - mean, 2) / 10;
    for (int i = 0; i < 10; ++i) {
      int channel = group * 2 + i / 5;
      expected[group * 10 + i] =
          (x[group * 10 + i] - mean) / std::sqrt(variance) * scale[channel] +
          bias[channel];
    }
  }
  runner.setOperand(0, x);
  runner.setOperand(1, scale);
  runner.setOperand(2, bias);
  expectNear(runner.run(), expected, 1e-5);
}

} // namespace
