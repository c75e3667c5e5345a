// Tests for elementwise, movement and packing kernels.
// SPDX-License-Identifier: Apache-2.0
#include "TemplateRunner.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>
#include <gmock/gmock.h>
#include <numeric>

using namespace mlir::atc::test;
using ::testing::ElementsAre;
using ::testing::Pointwise;

namespace {

using Shape = std::vector<int64_t>;

int64_t count(const Shape &shape) {
  return std::accumulate(shape.begin(), shape.end(), int64_t(1),
                         std::multiplies<>());
}

std::string tensor(const Shape &shape, const char *element = "f32") {
  std::string text = "tensor<";
  for (int64_t size : shape)
    text += std::to_string(size) + "x";
  return text + element + ">";
}

/// The same without "tensor<...>".
std::string body(const Shape &shape, const char *element = "f32") {
  std::string text = tensor(shape, element);
  return text.substr(7, text.size() - 8);
}

/// Compiles a region of one op and runs it; the same bits are expected for any
/// division of the grid.
Elements run(const std::vector<std::pair<Shape, Elements>> &operands,
             const std::string &op, const Shape &result,
             const char *element = "f32", const char *resultElement = nullptr) {
  TemplateRunner runner;
  TemplateRunner::Region region;
  std::string types;
  for (const auto &[shape, elements] : operands) {
    region.operands.push_back(body(shape, element));
    types += (types.empty() ? "" : ", ") + tensor(shape, element);
  }
  region.yieldedType = tensor(result, resultElement ? resultElement : element);
  region.yielded = "r";
  region.body = llvm::formatv("%r = graph.{0} : ({1}) -> {2}", op, types,
                              region.yieldedType);
  EXPECT_TRUE(runner.compile(region));
  EXPECT_EQ(runner.templateName, "pointwise");
  for (auto [number, operand] : llvm::enumerate(operands))
    runner.setOperand(number, operand.second);
  Elements whole = runner.run();
  EXPECT_EQ(runner.run({}, 3), whole);
  return whole;
}

Elements iota(int64_t size) {
  Elements elements(size);
  std::iota(elements.begin(), elements.end(), 0.0);
  return elements;
}

class PointwiseShapes : public ::testing::TestWithParam<Shape> {};

// Scalars, empty tensors, sizes below, at and above a vector.
TEST_P(PointwiseShapes, Adds) {
  Shape shape = GetParam();
  Elements x = randomElements(count(shape), 1),
           y = randomElements(count(shape), 2);
  Elements expected(x.size());
  for (size_t i = 0; i < x.size(); ++i)
    expected[i] = static_cast<float>(x[i]) + static_cast<float>(y[i]);
  EXPECT_EQ(run({{shape, x}, {shape, y}}, "add %x0, %x1", shape), expected);
}

INSTANTIATE_TEST_SUITE_P(All, PointwiseShapes,
                         ::testing::Values(Shape{}, Shape{1}, Shape{3},
                                           Shape{8}, Shape{9}, Shape{3, 5},
                                           Shape{2, 3, 4, 5}, Shape{0, 4},
                                           Shape{4, 0}, Shape{100001}));

// NumPy's broadcasting: dims of 1 and missing dims repeat.
TEST(PointwiseKernel, Broadcasts) {
  Elements x = iota(6), y = {10, 20, 30}, z = {100, 200};
  EXPECT_THAT(run({{{2, 3}, x}, {{3}, y}}, "add %x0, %x1", {2, 3}),
              ElementsAre(10, 21, 32, 13, 24, 35));
  EXPECT_THAT(run({{{3}, y}, {{2, 1}, z}}, "add %x0, %x1", {2, 3}),
              ElementsAre(110, 120, 130, 210, 220, 230));
}

// Booleans are bytes in buffers; comparisons of NaN are false.
TEST(PointwiseKernel, StoresBooleansAsBytes) {
  double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(run({{{4}, {1, 2, nan, 4}}, {{4}, {1, 1, nan, 5}}},
                  "compare lt, %x0, %x1", {4}, "f32", "i1"),
              ElementsAre(0, 0, 0, 1));
}

// Halves are computed in single precision: the sum is rounded once.
TEST(PointwiseKernel, ComputesHalvesInSinglePrecision) {
  TemplateRunner runner;
  ASSERT_TRUE(runner.compile({{"1xf16"},
                              {},
                              "%a = graph.add %x0, %x0 : (tensor<1xf16>, "
                              "tensor<1xf16>) -> tensor<1xf16>\n"
                              "%r = graph.sub %a, %x0 : (tensor<1xf16>, "
                              "tensor<1xf16>) -> tensor<1xf16>",
                              "r",
                              "tensor<1xf16>"}));
  // 2 * 40000 overflows a half.
  runner.setOperand(0, {40000});
  EXPECT_THAT(runner.run(), ElementsAre(40000));
}

TEST(PointwiseKernel, Transposes) {
  // Both dims beyond a square of vectors, and not multiples of it.
  for (auto [rows, columns] : {std::pair(3, 4), {8, 8}, {19, 37}, {64, 24}}) {
    Elements x = iota(rows * columns), expected(x.size());
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = 0; j < columns; ++j)
        expected[j * rows + i] = x[i * columns + j];
    EXPECT_EQ(
        run({{{rows, columns}, x}}, "transpose %x0 [1, 0]", {columns, rows}),
        expected);
  }
}

TEST(PointwiseKernel, Slices) {
  EXPECT_THAT(run({{{2, 6}, iota(12)}},
                  "slice %x0 starts [1, 1] limits [2, 9223372036854775807] "
                  "steps [1, 2]",
                  {1, 3}),
              ElementsAre(7, 9, 11));
}

TEST(PointwiseKernel, Reverses) {
  EXPECT_THAT(run({{{2, 3}, iota(6)}}, "reverse %x0 axes [1]", {2, 3}),
              ElementsAre(2, 1, 0, 5, 4, 3));
}

TEST(PointwiseKernel, Concatenates) {
  // Vectors cross from one operand into the next.
  Elements x = iota(20), y = iota(6), expected;
  for (int64_t row = 0; row < 2; ++row) {
    expected.insert(expected.end(), x.begin() + row * 10,
                    x.begin() + (row + 1) * 10);
    expected.insert(expected.end(), y.begin() + row * 3,
                    y.begin() + (row + 1) * 3);
  }
  EXPECT_EQ(run({{{2, 10}, x}, {{2, 3}, y}}, "concat %x0, %x1 axis 1", {2, 13}),
            expected);
}

TEST(PointwiseKernel, Pads) {
  auto pad = [](const char *mode) {
    return run({{{3}, {1, 2, 3}}, {{}, {9}}},
               std::string("pad %x0, %x1 low [2] high [1] mode ") + mode, {6});
  };
  EXPECT_THAT(pad("constant"), ElementsAre(9, 9, 1, 2, 3, 9));
  EXPECT_THAT(pad("reflect"), ElementsAre(3, 2, 1, 2, 3, 2));
  EXPECT_THAT(pad("edge"), ElementsAre(1, 1, 1, 2, 3, 3));
  EXPECT_THAT(pad("wrap"), ElementsAre(2, 3, 1, 2, 3, 1));
}

// Negative indices count from the end; an index outside reads the nearest
// element rather than foreign memory.
TEST(PointwiseKernel, GathersWithinBounds) {
  TemplateRunner runner;
  ASSERT_TRUE(runner.compile({{"4x2xf32", "4xi64"},
                              {},
                              "%r = graph.gather %x0, %x1 axis 0 : "
                              "(tensor<4x2xf32>, tensor<4xi64>) -> "
                              "tensor<4x2xf32>",
                              "r",
                              "tensor<4x2xf32>"}));
  runner.setOperand(0, iota(8));
  runner.setOperand(1, {2, -1, 3, -4});
  EXPECT_THAT(runner.run(), ElementsAre(4, 5, 6, 7, 6, 7, 0, 1));
  EXPECT_FALSE(runner.reportedFault());
  // Others are told, and read nothing outside of the operand.
  runner.setOperand(1, {2, -1, 1000000, -1000000});
  runner.run();
  EXPECT_TRUE(runner.reportedFault());
}

TEST(PointwiseKernel, ResizesLinearly) {
  EXPECT_THAT(run({{{1, 2}, {0, 4}}},
                  "resize %x0 scales [1.0, 2.0] sizes [-1, -1] mode linear "
                  "coordinate_transform half_pixel nearest_rounding floor "
                  "cubic_coefficient -7.500000e-01 extrapolation_value 0.0",
                  {1, 4}),
              ElementsAre(0, 1, 3, 4));
}

struct Packing {
  const char *layout;
  /// Tiles of dims 0 and 1, and the order of the outer parts.
  int64_t rowTile, columnTile;
  bool transposesOuter;
};

class PackedLayouts : public ::testing::TestWithParam<Packing> {};

// A packed result holds every element at its place and zeros beyond the tensor.
TEST_P(PackedLayouts, HoldElementsAndZeros) {
  Packing packing = GetParam();
  constexpr int64_t rows = 37, columns = 29;
  TemplateRunner runner;
  std::string type =
      llvm::formatv("tensor<{0}x{1}xf32, {2}>", rows, columns, packing.layout);
  ASSERT_TRUE(runner.compile(
      {{"37x29xf32"},
       {},
       "%r = graph.relayout %x0 : (tensor<37x29xf32>) -> " + type,
       "r",
       type}));
  Elements x = randomElements(rows * columns, 3);
  runner.setOperand(0, x);
  EXPECT_EQ(runner.run(), x);
  EXPECT_TRUE(runner.haloStaysZero());
}

INSTANTIATE_TEST_SUITE_P(
    All, PackedLayouts,
    ::testing::Values(
        Packing{"#graph.layout<perm = [0, 1], tile = [[0, 32], [1, 16]]>", 32,
                16, false},
        Packing{"#graph.layout<perm = [1, 0], tile = [[0, 16], [1, 16]]>", 16,
                16, true},
        Packing{"#graph.layout<perm = [0, 1], tile = [[1, 8]]>", 1, 8, false},
        Packing{"#graph.layout<perm = [1, 0], tile = [[1, 32], [0, 4], [1, "
                "8]]>",
                4, 32, true},
        // Filters of groups of 5 channels: vectors end with the group.
        Packing{"#graph.layout<perm = [0, 1], tile = [[0, 5], [0, 8]]>", 5, 1,
                false},
        Packing{"#graph.layout<perm = [1, 0], tile = [[0, 11], [0, 4]]>", 11, 1,
                true}));

} // namespace
