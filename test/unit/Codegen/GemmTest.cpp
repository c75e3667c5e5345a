// Tests for matrix products: shapes, tails, types, epilogues, grids.
// SPDX-License-Identifier: Apache-2.0
#include "TemplateRunner.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>
#include <gmock/gmock.h>

using namespace mlir::atc::test;
using llvm::formatv;

namespace {

/// lhs [batch, M, K] (or shared) times rhs [batch, K, N], in double.
Elements multiply(const Elements &lhs, const Elements &rhs, int64_t batches,
                  int64_t rows, int64_t columns, int64_t depth, bool sharedLeft,
                  bool sharedRight, bool transposeLeft = false,
                  bool transposeRight = false) {
  Elements result(batches * rows * columns);
  for (int64_t n = 0; n < batches; ++n) {
    const double *left = lhs.data() + (sharedLeft ? 0 : n * rows * depth);
    const double *right = rhs.data() + (sharedRight ? 0 : n * depth * columns);
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = 0; j < columns; ++j) {
        double sum = 0;
        for (int64_t k = 0; k < depth; ++k)
          sum += left[transposeLeft ? k * rows + i : i * depth + k] *
                 right[transposeRight ? j * depth + k : k * columns + j];
        result[(n * rows + i) * columns + j] = sum;
      }
  }
  return result;
}

void expectNear(const Elements &actual, const Elements &expected,
                double tolerance) {
  ASSERT_EQ(actual.size(), expected.size());
  for (size_t i = 0; i < actual.size(); ++i)
    ASSERT_NEAR(actual[i], expected[i], tolerance * (1 + std::abs(expected[i])))
        << "at element " << i << " of " << actual.size();
}

struct Product {
  int64_t rows, columns, depth;
};

class GemmShapes : public ::testing::TestWithParam<Product> {};

// A constant right operand is packed; every combination of row and column
// tails, one and several blocks of k, is right.
TEST_P(GemmShapes, ConstantRight) {
  auto [m, n, k] = GetParam();
  TemplateRunner runner;
  std::string result = formatv("tensor<{0}x{1}xf32>", m, n);
  ASSERT_TRUE(runner.compile(
      {{formatv("{0}x{1}xf32", m, k)},
       {formatv("{0}x{1}xf32", k, n)},
       formatv("%r = graph.matmul %x0, %w0 : (tensor<{0}x{1}xf32>, "
               "tensor<{1}x{2}xf32>) -> {3}",
               m, k, n, result),
       "r",
       result}));
  EXPECT_EQ(runner.templateName, "gemm");
  Elements lhs = randomElements(m * k, 1), rhs = randomElements(k * n, 2);
  runner.setOperand(0, lhs);
  runner.setOperand(1, rhs);
  Elements whole = runner.run();
  expectNear(whole, multiply(lhs, rhs, 1, m, n, k, true, true),
             1e-6 * std::sqrt(double(k + 1)));
  // The same bits however the grid is divided.
  EXPECT_EQ(runner.run({}, 3), whole);
}

// A right operand computed at run time gives the same, read in place or packed
// into scratch.
TEST_P(GemmShapes, RightAtRunTime) {
  auto [m, n, k] = GetParam();
  for (bool transposed : {false, true}) {
    TemplateRunner runner;
    std::string result = formatv("tensor<{0}x{1}xf32>", m, n);
    std::string right = transposed ? formatv("{0}x{1}xf32", n, k)
                                   : formatv("{0}x{1}xf32", k, n);
    ASSERT_TRUE(runner.compile(
        {{formatv("{0}x{1}xf32", m, k), right},
         {},
         formatv("%r = graph.matmul %x0, %x1 {4} : (tensor<{0}x{1}xf32>, "
                 "tensor<{2}>) -> {3}",
                 m, k, right, result, transposed ? "transpose_rhs" : ""),
         "r",
         result}));
    Elements lhs = randomElements(m * k, 1), rhs = randomElements(k * n, 2);
    runner.setOperand(0, lhs);
    runner.setOperand(1, rhs);
    expectNear(runner.run({}, 2),
               multiply(lhs, rhs, 1, m, n, k, true, true, false, transposed),
               1e-6 * std::sqrt(double(k + 1)));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Tails, GemmShapes,
    ::testing::Values(Product{1, 1, 1}, Product{1, 100, 37}, Product{2, 3, 5},
                      Product{7, 16, 64}, Product{19, 24, 33},
                      Product{49, 40, 129}, Product{64, 72, 400},
                      Product{23, 1000, 50}, Product{300, 17, 801},
                      Product{5, 8, 385}, Product{12, 7, 1025},
                      Product{197, 130, 770}, Product{4, 6, 0}));

// Batch dims broadcast on either side; products of a batch are independent.
TEST(Gemm, BatchesBroadcast) {
  for (bool sharedLeft : {false, true})
    for (bool sharedRight : {false, true}) {
      TemplateRunner runner;
      std::string left = sharedLeft ? "11x20xf32" : "3x11x20xf32";
      std::string right = sharedRight ? "1x20x19xf32" : "3x20x19xf32";
      int64_t batches = sharedLeft && sharedRight ? 1 : 3;
      std::string result = formatv("tensor<{0}x11x19xf32>", batches);
      ASSERT_TRUE(runner.compile(
          {{left, right},
           {},
           formatv("%r = graph.matmul %x0, %x1 : (tensor<{0}>, tensor<{1}>) -> "
                   "{2}",
                   left, right, result),
           "r",
           result}));
      Elements lhs = randomElements((sharedLeft ? 1 : 3) * 220, 1);
      Elements rhs = randomElements((sharedRight ? 1 : 3) * 380, 2);
      runner.setOperand(0, lhs);
      runner.setOperand(1, rhs);
      expectNear(
          runner.run({}, 4),
          multiply(lhs, rhs, batches, 11, 19, 20, sharedLeft, sharedRight),
          1e-5);
    }
}

TEST(Gemm, TransposedLeft) {
  TemplateRunner runner;
  ASSERT_TRUE(runner.compile(
      {{"30x21xf32"},
       {"30x16xf32"},
       "%r = graph.matmul %x0, %w0 transpose_lhs : (tensor<30x21xf32>, "
       "tensor<30x16xf32>) -> tensor<21x16xf32>",
       "r",
       "tensor<21x16xf32>"}));
  Elements lhs = randomElements(630, 1), rhs = randomElements(480, 2);
  runner.setOperand(0, lhs);
  runner.setOperand(1, rhs);
  expectNear(runner.run(), multiply(lhs, rhs, 1, 21, 16, 30, true, true, true),
             1e-5);
}

// Bias, residual and activation run on the sums before they are stored.
TEST(Gemm, Epilogue) {
  TemplateRunner runner;
  ASSERT_TRUE(runner.compile(
      {{"50x60xf32", "50x44xf32"},
       {"60x44xf32", "44xf32"},
       R"(%p = graph.matmul %x0, %w0 : (tensor<50x60xf32>, tensor<60x44xf32>) -> tensor<50x44xf32>
          %b = graph.add %p, %w1 : (tensor<50x44xf32>, tensor<44xf32>) -> tensor<50x44xf32>
          %a = graph.add %x1, %b : (tensor<50x44xf32>, tensor<50x44xf32>) -> tensor<50x44xf32>
          %r = graph.relu %a : (tensor<50x44xf32>) -> tensor<50x44xf32>)",
       "r",
       "tensor<50x44xf32>"}));
  Elements lhs = randomElements(3000, 1), residual = randomElements(2200, 2);
  Elements rhs = randomElements(2640, 3), bias = randomElements(44, 4);
  runner.setOperand(0, lhs);
  runner.setOperand(1, residual);
  runner.setOperand(2, rhs);
  runner.setOperand(3, bias);
  Elements expected = multiply(lhs, rhs, 1, 50, 44, 60, true, true);
  for (size_t i = 0; i < expected.size(); ++i)
    expected[i] = std::max(expected[i] + bias[i % 44] + residual[i], 0.0);
  expectNear(runner.run(), expected, 1e-5);
}

// The result may leave with its columns split into heads.
TEST(Gemm, SplitHeads) {
  TemplateRunner runner;
  ASSERT_TRUE(runner.compile(
      {{"10x48xf32"},
       {"48x64xf32"},
       R"(%p = graph.matmul %x0, %w0 : (tensor<10x48xf32>, tensor<48x64xf32>) -> tensor<10x64xf32>
          %s = graph.reshape %p : (tensor<10x64xf32>) -> tensor<10x4x16xf32>
          %r = graph.transpose %s [1, 0, 2] : (tensor<10x4x16xf32>) -> tensor<4x10x16xf32>)",
       "r",
       "tensor<4x10x16xf32>"}));
  Elements lhs = randomElements(480, 1), rhs = randomElements(48 * 64, 2);
  runner.setOperand(0, lhs);
  runner.setOperand(1, rhs);
  Elements product = multiply(lhs, rhs, 1, 10, 64, 48, true, true);
  Elements expected(640);
  for (int i = 0; i < 640; ++i)
    expected[(i % 64 / 16 * 10 + i / 64) * 16 + i % 16] = product[i];
  expectNear(runner.run(), expected, 1e-5);
}

// Halves are storage: sums are f32.
TEST(Gemm, HalfPrecision) {
  TemplateRunner runner;
  ASSERT_TRUE(runner.compile(
      {{"13x500xf16"},
       {"500x33xf16"},
       "%r = graph.matmul %x0, %w0 : (tensor<13x500xf16>, tensor<500x33xf16>) "
       "-> tensor<13x33xf16>",
       "r",
       "tensor<13x33xf16>"}));
  Elements lhs = randomElements(13 * 500, 1), rhs = randomElements(500 * 33, 2);
  for (Elements *operand : {&lhs, &rhs})
    for (double &element : *operand)
      element = std::round(element * 512) / 512;
  runner.setOperand(0, lhs);
  runner.setOperand(1, rhs);
  expectNear(runner.run(), multiply(lhs, rhs, 1, 13, 33, 500, true, true),
             1e-3);
}

TEST(Gemm, Integers) {
  TemplateRunner runner;
  ASSERT_TRUE(runner.compile(
      {{"9x10xi64"},
       {"10x11xi64"},
       "%r = graph.matmul %x0, %w0 : (tensor<9x10xi64>, tensor<10x11xi64>) -> "
       "tensor<9x11xi64>",
       "r",
       "tensor<9x11xi64>"}));
  Elements lhs(90), rhs(110);
  for (int i = 0; i < 90; ++i)
    lhs[i] = i - 40;
  for (int i = 0; i < 110; ++i)
    rhs[i] = 3 * i - 100;
  runner.setOperand(0, lhs);
  runner.setOperand(1, rhs);
  EXPECT_EQ(runner.run(), multiply(lhs, rhs, 1, 9, 11, 10, true, true));
}

// One kernel serves every number of rows.
TEST(Gemm, DynamicRows) {
  for (int64_t rows : {1, 5, 6, 13, 200}) {
    TemplateRunner runner;
    TemplateOptions options;
    options.dims = {rows};
    ASSERT_TRUE(runner.compile(
        {{"?x40xf32"},
         {"40x50xf32"},
         "%r = graph.matmul %x0, %w0 : (tensor<?x40xf32>, tensor<40x50xf32>) "
         "-> tensor<?x50xf32>",
         "r",
         "tensor<?x50xf32>",
         "affine_map<()[s0] -> (s0, 40)>, affine_map<()[s0] -> (40, 50)>, "
         "affine_map<()[s0] -> (s0, 50)>"},
        options));
    Elements lhs = randomElements(rows * 40, 1), rhs = randomElements(2000, 2);
    runner.setOperand(0, lhs, {rows, 40});
    runner.setOperand(1, rhs);
    expectNear(runner.run({rows, 50}, 2),
               multiply(lhs, rhs, 1, rows, 50, 40, true, true), 1e-5);
  }
}

// A softmax behind the product is not element by element: no gemm kernel.
TEST(Gemm, RefusesReductionsBehind) {
  TemplateRunner runner;
  EXPECT_FALSE(runner.compile(
      {{"4x4xf32"},
       {"4x4xf32"},
       R"(%p = graph.matmul %x0, %w0 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
          %r = graph.softmax %p axis 1 : (tensor<4x4xf32>) -> tensor<4x4xf32>)",
       "r",
       "tensor<4x4xf32>"}));
  EXPECT_THAT(runner.reason, ::testing::HasSubstr("softmax"));
}

} // namespace
