// Tests for reductions, positions of extrema and cumulative sums.
// SPDX-License-Identifier: Apache-2.0
#include "TemplateRunner.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>
#include <gmock/gmock.h>

using namespace mlir::atc::test;
using llvm::formatv;
using ::testing::DoubleNear;
using ::testing::Each;
using ::testing::ElementsAre;

namespace {

/// Compiles a region around one reduction of an [outer, middle, inner] tensor
/// and runs it, undivided and in parts.
Elements run(const Elements &x, int64_t outer, int64_t middle, int64_t inner,
             const std::string &op, const std::string &result,
             const char *element = "f32") {
  TemplateRunner runner;
  std::string type = formatv("{0}x{1}x{2}x{3}", outer, middle, inner, element);
  EXPECT_TRUE(runner.compile(
      {{type},
       {},
       formatv("%r = graph.{0} : (tensor<{1}>) -> {2}", op, type, result),
       "r",
       result}));
  runner.setOperand(0, x);
  Elements whole = runner.run();
  EXPECT_THAT(runner.run({}, 3),
              ::testing::Pointwise(::testing::NanSensitiveDoubleEq(), whole));
  return whole;
}

struct Extents {
  int64_t outer, middle, inner;
};

class ReduceExtents : public ::testing::TestWithParam<Extents> {};

// Along the innermost dim lanes are combined, along others rows are vectors;
// both with every kind of tail.
TEST_P(ReduceExtents, SumsAlongEachDim) {
  auto [outer, middle, inner] = GetParam();
  Elements x = randomElements(outer * middle * inner, 5);
  double tolerance = 1e-6 * static_cast<double>(outer + middle + inner);
  for (int64_t axis = 0; axis < 3; ++axis) {
    int64_t sizes[] = {outer, middle, inner};
    sizes[axis] = 1;
    Elements expected(sizes[0] * sizes[1] * sizes[2]);
    for (int64_t i = 0; i < outer; ++i)
      for (int64_t j = 0; j < middle; ++j)
        for (int64_t k = 0; k < inner; ++k) {
          int64_t at[] = {i, j, k};
          at[axis] = 0;
          expected[(at[0] * sizes[1] + at[1]) * sizes[2] + at[2]] +=
              x[(i * middle + j) * inner + k];
        }
    Elements actual =
        run(x, outer, middle, inner,
            formatv("reduce sum, %x0 axes [{0}] keep_dims", axis),
            formatv("tensor<{0}x{1}x{2}xf32>", sizes[0], sizes[1], sizes[2]));
    ASSERT_EQ(actual.size(), expected.size());
    for (size_t i = 0; i < actual.size(); ++i)
      EXPECT_NEAR(actual[i], expected[i], tolerance);
  }
}

INSTANTIATE_TEST_SUITE_P(All, ReduceExtents,
                         ::testing::Values(Extents{1, 1, 1}, Extents{2, 3, 5},
                                           Extents{3, 7, 8},
                                           Extents{5, 33, 100},
                                           Extents{1, 9, 1000},
                                           Extents{70, 40, 3}));

// Over no element: 0, 1, NaN, -inf, inf.
TEST(ReduceKernel, EmptyRows) {
  auto reduce = [](const char *kind) {
    return run({}, 1, 2, 0, formatv("reduce {0}, %x0 axes [2]", kind),
               "tensor<1x2xf32>")[0];
  };
  EXPECT_EQ(reduce("sum"), 0);
  EXPECT_EQ(reduce("product"), 1);
  EXPECT_TRUE(std::isnan(reduce("mean")));
  EXPECT_EQ(reduce("max"), -INFINITY);
  EXPECT_EQ(reduce("min"), INFINITY);
}

// Neither the rows nor the result has an element.
TEST(ReduceKernel, NoRows) {
  EXPECT_THAT(run({}, 0, 2, 3, "reduce sum, %x0 axes [2]", "tensor<0x2xf32>"),
              ElementsAre());
}

TEST(ReduceKernel, ExtremaPropagateNan) {
  Elements x(20, 1.0);
  x[13] = std::nan("");
  Elements result =
      run(x, 1, 2, 10, "reduce max, %x0 axes [2]", "tensor<1x2xf32>");
  EXPECT_EQ(result[0], 1);
  EXPECT_TRUE(std::isnan(result[1]));
}

// Halves are added in single precision.
TEST(ReduceKernel, SumsHalvesExactly) {
  Elements x(4096, 1.0);
  EXPECT_THAT(
      run(x, 1, 1, 4096, "reduce sum, %x0 axes [2]", "tensor<1x1xf16>", "f16"),
      ElementsAre(4096));
}

// The rounding errors of long sums stay small, along memory and across it.
TEST(ReduceKernel, LongSums) {
  Elements x(1000003, 0.1f);
  double expected = 0.1f * static_cast<double>(x.size());
  EXPECT_NEAR(
      run(x, 1, 1, 1000003, "reduce sum, %x0 axes [2]", "tensor<1x1x1xf32>")[0],
      expected, 5e-6 * expected);
  x.resize(125000 * 8);
  Elements across =
      run(x, 1, 125000, 8, "reduce sum, %x0 axes [1]", "tensor<1x1x8xf32>");
  EXPECT_THAT(across, Each(DoubleNear(0.1f * 125000, 5e-6 * 0.1f * 125000)));
  // Neighbouring dims that do not merge.
  Elements both =
      run(x, 1000, 8, 125, "reduce sum, %x0 axes [0, 2]", "tensor<1x8x1xf32>");
  EXPECT_THAT(both, Each(DoubleNear(0.1f * 125000, 5e-6 * 0.1f * 125000)));
}

TEST(ReduceKernel, PositionsOfExtrema) {
  Elements x = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 9};
  EXPECT_THAT(run(x, 1, 1, 12, "arg_reduce max, %x0 axis 2", "tensor<1x1xi64>"),
              ElementsAre(5));
  EXPECT_THAT(run(x, 1, 1, 12, "arg_reduce max, %x0 axis 2 select_last",
                  "tensor<1x1xi64>"),
              ElementsAre(11));
  EXPECT_THAT(run(x, 1, 3, 4, "arg_reduce min, %x0 axis 1", "tensor<1x4xi64>"),
              ElementsAre(0, 0, 1, 0));
}

TEST(ReduceKernel, CumulativeSums) {
  Elements x = {1, 2, 3, 4, 5, 6};
  auto sums = [&](const char *flags, int64_t axis) {
    return run(x, 1, 2, 3,
               formatv("cumulative_sum %x0 axis {0} {1}", axis, flags),
               "tensor<1x2x3xf32>");
  };
  EXPECT_THAT(sums("", 2), ElementsAre(1, 3, 6, 4, 9, 15));
  EXPECT_THAT(sums("", 1), ElementsAre(1, 2, 3, 5, 7, 9));
  EXPECT_THAT(sums("exclusive", 2), ElementsAre(0, 1, 3, 0, 4, 9));
  EXPECT_THAT(sums("reverse", 2), ElementsAre(6, 5, 3, 15, 11, 6));
}

// What stands before and after the reduction is computed with it.
TEST(ReduceKernel, PrologueAndEpilogue) {
  TemplateRunner runner;
  ASSERT_TRUE(runner.compile(
      {{"3x50xf32", "3xf32"},
       {},
       "%a = graph.mul %x0, %x0 : (tensor<3x50xf32>, tensor<3x50xf32>) -> "
       "tensor<3x50xf32>\n"
       "%b = graph.reduce mean, %a axes [1] : (tensor<3x50xf32>) -> "
       "tensor<3xf32>\n"
       "%r = graph.sub %b, %x1 : (tensor<3xf32>, tensor<3xf32>) -> "
       "tensor<3xf32>",
       "r",
       "tensor<3xf32>"}));
  EXPECT_EQ(runner.templateName, "reduce");
  runner.setOperand(0, Elements(150, 2.0));
  runner.setOperand(1, {1, 2, 3});
  EXPECT_THAT(runner.run(), ElementsAre(3, 2, 1));
}

} // namespace
