// Tests for elementary functions of f32 against the C library in double.
// SPDX-License-Identifier: Apache-2.0
#include "KernelRunner.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>

using namespace mlir::atc::test;

namespace {

/// Floats in their order, as integers: neighbours differ by one.
int64_t order(float value) {
  int32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits < 0 ? -static_cast<int64_t>(bits & 0x7FFFFFFF) : bits;
}

struct Function {
  const char *name;
  double (*reference)(double);
  int64_t ulps;
};

class FloatMathFunction : public ::testing::TestWithParam<Function> {};

// A regular sample of all bit patterns, negative ones, denormals, infinities
// and NaN included.
TEST_P(FloatMathFunction, IsAccurateEverywhere) {
  Function function = GetParam();
  KernelRunner runner;
  std::string text = llvm::formatv(R"mlir(
    func.func @f(%x: memref<?xf32>, %y: memref<?xf32>, %scratch: memref<?xi8>,
                 %begin: index, %end: index)
        attributes {{buffer_bases = array<i64: 0, 0>} {{
      %c8 = arith.constant 8 : index
      scf.for %i = %begin to %end step %c8 {{
        %v = vector.load %x[%i] : memref<?xf32>, vector<8xf32>
        %w = math.{0} %v : vector<8xf32>
        vector.store %w, %y[%i] : memref<?xf32>, vector<8xf32>
      }
      return
    })mlir",
                                   function.name);
  ASSERT_TRUE(runner.compileLaunches(text));
  constexpr uint32_t stride = 9973;
  std::vector<float> x, y;
  for (uint64_t bits = 0; bits < (uint64_t(1) << 32); bits += stride) {
    auto pattern = static_cast<uint32_t>(bits);
    float value;
    memcpy(&value, &pattern, sizeof value);
    x.push_back(value);
  }
  for (float special : {0.0f, -0.0f, 1.0f, -1.0f, INFINITY, -INFINITY, NAN})
    x.push_back(special);
  x.resize(x.size() / 8 * 8 + 8);
  y.resize(x.size());
  runner.run("f", {x.data(), y.data()}, {}, 0, x.size());
  for (size_t i = 0; i < x.size(); ++i) {
    auto expected = static_cast<float>(function.reference(x[i]));
    if (std::isnan(expected)) {
      EXPECT_TRUE(std::isnan(y[i])) << "at " << x[i] << " got " << y[i];
      continue;
    }
    EXPECT_LE(std::llabs(order(y[i]) - order(expected)), function.ulps)
        << "at " << x[i] << " got " << y[i] << ", not " << expected;
    EXPECT_EQ(std::signbit(y[i]), std::signbit(expected)) << "at " << x[i];
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, FloatMathFunction,
    ::testing::Values(
        Function{"exp", std::exp, 1}, Function{"exp2", std::exp2, 1},
        Function{"expm1", std::expm1, 2}, Function{"log", std::log, 1},
        Function{"log2", std::log2, 1}, Function{"log10", std::log10, 1},
        Function{"log1p", std::log1p, 2}, Function{"tanh", std::tanh, 2},
        Function{"sinh", std::sinh, 2}, Function{"cosh", std::cosh, 2},
        Function{"erf", std::erf, 2}, Function{"sin", std::sin, 1},
        Function{"round", std::round, 0}),
    [](const auto &info) { return std::string(info.param.name); });

/// Runs a function of one vector from `from` to `to`.
template <typename From, typename To>
std::vector<To> convert(const char *op, const char *from, const char *to,
                        std::vector<From> values) {
  KernelRunner runner;
  std::string text = llvm::formatv(R"mlir(
    func.func @f(%x: memref<?x{1}>, %y: memref<?x{2}>, %scratch: memref<?xi8>,
                 %begin: index, %end: index)
        attributes {{buffer_bases = array<i64: 0, 0>} {{
      %c1 = arith.constant 1 : index
      scf.for %i = %begin to %end step %c1 {{
        %v = memref.load %x[%i] : memref<?x{1}>
        %w = {0} %v : {1} to {2}
        memref.store %w, %y[%i] : memref<?x{2}>
      }
      return
    })mlir",
                                   op, from, to);
  EXPECT_TRUE(runner.compileLaunches(text));
  std::vector<To> results(values.size());
  runner.run("f", {values.data(), results.data()}, {}, 0, values.size());
  return results;
}

// bf16 rounds to nearest even, keeps NaN, and overflows to infinity.
TEST(FloatConversion, ToBf16RoundsToNearestEven) {
  EXPECT_EQ(
      (convert<float, uint16_t>(
          "arith.truncf", "f32", "bf16",
          {1.0f, 1.00390625f, 1.01171875f, 3.4e38f, -0.0f, INFINITY})),
      (std::vector<uint16_t>{0x3F80, 0x3F80, 0x3F82, 0x7F80, 0x8000, 0x7F80}));
  uint16_t nan =
      convert<float, uint16_t>("arith.truncf", "f32", "bf16", {NAN})[0];
  EXPECT_GT(nan & 0x7FFF, 0x7F80);
}

// From double the result is rounded once: through f32, 1 + 2^-11 + 2^-40 would
// become the tie 1 + 2^-11 and then 1.
TEST(FloatConversion, DoubleToHalfRoundsOnce) {
  double justAbove = 1.0 + std::ldexp(1.0, -11) + std::ldexp(1.0, -40);
  double tie = 1.0 + std::ldexp(1.0, -11);
  EXPECT_EQ((convert<double, uint16_t>("arith.truncf", "f64", "f16",
                                       {justAbove, tie, 65520.0, -1e300})),
            (std::vector<uint16_t>{0x3C01, 0x3C00, 0x7C00, 0xFC00}));
}

/// x op y for each pair.
std::vector<int32_t> divide(const char *op, std::vector<int32_t> lhs,
                            std::vector<int32_t> rhs) {
  KernelRunner runner;
  std::string text = llvm::formatv(R"mlir(
    func.func @f(%x: memref<?xi32>, %y: memref<?xi32>, %z: memref<?xi32>,
                 %scratch: memref<?xi8>, %begin: index, %end: index)
        attributes {{buffer_bases = array<i64: 0, 0, 0>} {{
      %c1 = arith.constant 1 : index
      scf.for %i = %begin to %end step %c1 {{
        %a = memref.load %x[%i] : memref<?xi32>
        %b = memref.load %y[%i] : memref<?xi32>
        %c = {0} %a, %b : i32
        memref.store %c, %z[%i] : memref<?xi32>
      }
      return
    })mlir",
                                   op);
  EXPECT_TRUE(runner.compileLaunches(text));
  std::vector<int32_t> results(lhs.size());
  runner.run("f", {lhs.data(), rhs.data(), results.data()}, {}, 0, lhs.size());
  return results;
}

// Division by zero and of the smallest number by -1 would raise a signal.
TEST(IntegerDivision, NeverTraps) {
  std::vector<int32_t> lhs = {7, -7, 5, INT32_MIN, 0};
  std::vector<int32_t> rhs = {2, 2, 0, -1, 0};
  EXPECT_EQ(divide("arith.divsi", lhs, rhs),
            (std::vector<int32_t>{3, -3, 0, INT32_MIN, 0}));
  EXPECT_EQ(divide("arith.remsi", lhs, rhs),
            (std::vector<int32_t>{1, -1, 0, 0, 0}));
  EXPECT_EQ(divide("arith.floordivsi", lhs, rhs),
            (std::vector<int32_t>{3, -4, 0, INT32_MIN, 0}));
  EXPECT_EQ(divide("math.ipowi", {3, -2, 2, -1, 0}, {4, 3, -1, -3, 0}),
            (std::vector<int32_t>{81, -8, 0, -1, 1}));
}

} // namespace
