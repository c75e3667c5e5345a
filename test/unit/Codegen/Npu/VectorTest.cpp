// The template "vector": elementwise ops on every layout.
// SPDX-License-Identifier: Apache-2.0
#include "NpuKernelRunner.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace mlir::atc::test;

namespace {

void expectNear(const Elements &actual, const Elements &expected) {
  ASSERT_EQ(actual.size(), expected.size());
  for (size_t i = 0; i < actual.size(); ++i)
    ASSERT_NEAR(actual[i], expected[i], 1e-3 * (1 + std::fabs(expected[i])))
        << i;
}

TEST(Vector, AddOfOneShape) {
  constexpr int64_t count = 7 * 1000;
  NpuRegion region;
  region.operands = {"7x1000xf16", "7x1000xf16"};
  region.body = "%r = graph.add %x0, %x1 : (tensor<7x1000xf16>, "
                "tensor<7x1000xf16>) -> tensor<7x1000xf16>";
  region.yielded = "r";
  region.yieldedType = "tensor<7x1000xf16>";
  NpuKernelRunner runner;
  ASSERT_TRUE(runner.compile(region));
  EXPECT_EQ(runner.templateName, "vector");
  Elements a = randomElements(count, 1), b = randomElements(count, 2);
  ::atc::sim::Report report = runner.run({a, b});
  EXPECT_TRUE(report.clean()) << describe(report);
  Elements expected(count);
  for (int64_t i = 0; i < count; ++i)
    expected[i] = toHalf(a[i] + b[i]);
  EXPECT_EQ(runner.getResult(), expected);
}

// A chain is computed in f32: it is rounded once, at the end.
TEST(Vector, ChainWithConstantsRoundsOnce) {
  NpuRegion region;
  region.operands = {"333xf16", "333xf16"};
  region.body =
      "%c = graph.constant dense<3.0> : tensor<f16>\n"
      "%a = graph.mul %x0, %x1 : (tensor<333xf16>, tensor<333xf16>) -> "
      "tensor<333xf16>\n"
      "%b = graph.sigmoid %a : (tensor<333xf16>) -> tensor<333xf16>\n"
      "%r = graph.div %b, %c : (tensor<333xf16>, tensor<f16>) -> "
      "tensor<333xf16>";
  region.yielded = "r";
  region.yieldedType = "tensor<333xf16>";
  NpuKernelRunner runner;
  ASSERT_TRUE(runner.compile(region));
  Elements a = randomElements(333, 1), b = randomElements(333, 2);
  ::atc::sim::Report report = runner.run({a, b});
  EXPECT_TRUE(report.clean()) << describe(report);
  Elements expected(333);
  for (int64_t i = 0; i < 333; ++i)
    expected[i] = toHalf(1 / (1 + std::exp(-a[i] * b[i])) / 3);
  expectNear(runner.getResult(), expected);
}

TEST(Vector, CastWidensAndNarrows) {
  for (bool narrows : {false, true}) {
    std::string from = narrows ? "50x3xf32" : "50x3xf16";
    std::string to = narrows ? "50x3xf16" : "50x3xf32";
    NpuRegion region;
    region.operands = {from};
    region.body = std::string("%r = graph.cast %x0 to ") +
                  (narrows ? "f16" : "f32") + " : (tensor<" + from +
                  ">) -> tensor<" + to + ">";
    region.yielded = "r";
    region.yieldedType = "tensor<" + to + ">";
    NpuKernelRunner runner;
    ASSERT_TRUE(runner.compile(region));
    Elements a = randomElements(150, 1);
    ::atc::sim::Report report = runner.run({a});
    EXPECT_TRUE(report.clean()) << describe(report);
    EXPECT_EQ(runner.getResult(), a);
  }
}

TEST(Vector, CastInBetweenRounds) {
  NpuRegion region;
  region.operands = {"8xf32"};
  region.body =
      "%a = graph.cast %x0 to f16 : (tensor<8xf32>) -> tensor<8xf16>\n"
      "%r = graph.cast %a to f32 : (tensor<8xf16>) -> tensor<8xf32>";
  region.yielded = "r";
  region.yieldedType = "tensor<8xf32>";
  NpuKernelRunner runner;
  ASSERT_TRUE(runner.compile(region));
  Elements a = {0.1f, 1.0f / 3, 1e-7f, 2049, 5, -0.7f, 0, 1e5f}, expected;
  for (float value : a)
    expected.push_back(toHalf(value));
  ::atc::sim::Report report = runner.run({a});
  EXPECT_TRUE(report.clean()) << describe(report);
  EXPECT_EQ(runner.getResult(), expected);
}

struct LayoutCase {
  const char *name;
  std::vector<unsigned> operand, result;
};

class Relayout : public testing::TestWithParam<LayoutCase> {};

TEST_P(Relayout, MovesEveryElement) {
  NpuRegion region;
  region.operands = {"2x5x6x7xf16"};
  region.body = "%r = graph.relayout %x0 : (tensor<2x5x6x7xf16>) -> "
                "tensor<2x5x6x7xf16>";
  region.yielded = "r";
  region.yieldedType = "tensor<2x5x6x7xf16>";
  region.operandOrders = {GetParam().operand};
  region.resultOrder = GetParam().result;
  NpuKernelRunner runner;
  ASSERT_TRUE(runner.compile(region));
  Elements a = randomElements(2 * 5 * 6 * 7, 1);
  ::atc::sim::Report report = runner.run({a});
  EXPECT_TRUE(report.clean()) << describe(report);
  EXPECT_EQ(runner.getResult(), a);
}

INSTANTIATE_TEST_SUITE_P(
    Vector, Relayout,
    testing::Values(LayoutCase{"Same", {0, 1, 2, 3}, {0, 1, 2, 3}},
                    LayoutCase{"ChannelsLast", {0, 1, 2, 3}, {0, 2, 3, 1}},
                    LayoutCase{"ChannelsFirst", {0, 2, 3, 1}, {0, 1, 2, 3}},
                    LayoutCase{"Reversed", {0, 1, 2, 3}, {3, 2, 1, 0}}),
    [](const auto &info) { return info.param.name; });

// [2, 1, 3, 1] and [5, 1] against [2, 5, 3, 4] in several layouts.
TEST(Vector, BroadcastsAlongAnyDim) {
  NpuRegion region;
  region.operands = {"2x1x3x4xf16", "5x1x1xf16", "2x5x3x4xf16"};
  region.body = "%a = graph.mul %x2, %x0 : (tensor<2x5x3x4xf16>, "
                "tensor<2x1x3x4xf16>) -> tensor<2x5x3x4xf16>\n"
                "%r = graph.sub %a, %x1 : (tensor<2x5x3x4xf16>, "
                "tensor<5x1x1xf16>) -> tensor<2x5x3x4xf16>";
  region.yielded = "r";
  region.yieldedType = "tensor<2x5x3x4xf16>";
  Elements x0 = randomElements(24, 1), x1 = randomElements(5, 2);
  Elements x2 = randomElements(120, 3), expected(120);
  for (int64_t n = 0; n < 2; ++n)
    for (int64_t c = 0; c < 5; ++c)
      for (int64_t i = 0; i < 12; ++i)
        expected[(n * 5 + c) * 12 + i] =
            toHalf(x2[(n * 5 + c) * 12 + i] * x0[n * 12 + i] - x1[c]);
  for (std::vector<unsigned> order :
       {std::vector<unsigned>{0, 1, 2, 3}, {0, 2, 3, 1}}) {
    region.resultOrder = order;
    region.operandOrders = {{0, 1, 2, 3}, {0, 1, 2}, order};
    NpuKernelRunner runner;
    ASSERT_TRUE(runner.compile(region));
    ::atc::sim::Report report = runner.run({x0, x1, x2});
    EXPECT_TRUE(report.clean()) << describe(report);
    EXPECT_EQ(runner.getResult(), expected);
  }
}

TEST(Vector, LongChainsReuseTemporaries) {
  NpuRegion region;
  region.operands = {"100xf16"};
  std::string value = "x0";
  for (int i = 0; i < 200; ++i) {
    std::string next = "r" + std::to_string(i);
    region.body += "%" + next + " = graph." + (i % 2 ? "abs" : "neg") + " %" +
                   value + " : (tensor<100xf16>) -> tensor<100xf16>\n";
    value = next;
  }
  region.yielded = value;
  region.yieldedType = "tensor<100xf16>";
  NpuKernelRunner runner;
  ASSERT_TRUE(runner.compile(region));
  Elements a = randomElements(100, 1), expected;
  for (float element : a)
    expected.push_back(std::fabs(element));
  ::atc::sim::Report report = runner.run({a});
  EXPECT_TRUE(report.clean()) << describe(report);
  EXPECT_EQ(runner.getResult(), expected);
}

struct FunctionCase {
  const char *name;
  /// The op up to its operand's type.
  const char *op;
  double (*function)(double);
  /// Relative to max(|result|, floor): a sum that cancels has no more.
  double floor;
};

double geluByErf(double x) { return x / 2 * (1 + std::erf(x * M_SQRT1_2)); }
double geluByTanh(double x) {
  double inner = std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x);
  return x / 2 * (1 + std::tanh(inner));
}

class VectorFunction : public testing::TestWithParam<FunctionCase> {};

TEST_P(VectorFunction, IsExactToSinglePrecision) {
  Elements x = {0.0f,   -0.0f,   1e-20f,   -1e-8f,
                100.0f, -100.0f, INFINITY, -INFINITY};
  for (int i = -600; i <= 600; ++i)
    x.push_back(static_cast<float>(i) / 64);
  std::string type = "tensor<" + std::to_string(x.size()) + "xf32>";
  NpuRegion region;
  region.operands = {std::to_string(x.size()) + "xf32"};
  region.body = "%r = graph." + std::string(GetParam().op) + " : (" + type +
                ") -> " + type;
  region.yielded = "r";
  region.yieldedType = type;
  NpuKernelRunner runner;
  ASSERT_TRUE(runner.compile(region));
  ::atc::sim::Report report = runner.run({x});
  EXPECT_TRUE(report.clean()) << describe(report);
  Elements results = runner.getResult();
  for (size_t i = 0; i < x.size(); ++i) {
    if (std::isinf(x[i]) && GetParam().floor > 0)
      continue; // 0 times infinity
    double expected = GetParam().function(x[i]);
    double scale = std::max(std::fabs(expected), GetParam().floor);
    EXPECT_LE(std::fabs(results[i] - expected), 1e-6 * scale + 1e-37)
        << GetParam().name << " of " << x[i];
  }
}

INSTANTIATE_TEST_SUITE_P(
    Vector, VectorFunction,
    testing::Values(FunctionCase{"Tanh", "tanh %x0", std::tanh, 0},
                    FunctionCase{"Erf", "erf %x0", std::erf, 0},
                    FunctionCase{"GeluByErf", "gelu %x0", geluByErf, 5},
                    FunctionCase{"GeluByTanh", "gelu %x0 approximate",
                                 geluByTanh, 5}),
    [](const auto &info) { return info.param.name; });

TEST(Vector, NanPassesThroughExpandedFunctions) {
  for (const char *op : {"tanh", "erf", "gelu", "sigmoid"}) {
    NpuRegion region;
    region.operands = {"2xf16"};
    region.body = "%r = graph." + std::string(op) +
                  " %x0 : (tensor<2xf16>) -> tensor<2xf16>";
    region.yielded = "r";
    region.yieldedType = "tensor<2xf16>";
    NpuKernelRunner runner;
    ASSERT_TRUE(runner.compile(region));
    EXPECT_TRUE(runner.run({{NAN, 0}}).clean());
    EXPECT_TRUE(std::isnan(runner.getResult()[0])) << op;
    EXPECT_FALSE(std::isnan(runner.getResult()[1])) << op;
  }
}

TEST(Vector, UnsupportedOpsAreRefusedWithAReason) {
  NpuRegion region;
  region.operands = {"4xf16"};
  region.body = "%r = graph.sin %x0 : (tensor<4xf16>) -> tensor<4xf16>";
  region.yielded = "r";
  region.yieldedType = "tensor<4xf16>";
  NpuKernelRunner runner;
  EXPECT_FALSE(runner.compile(region));
  EXPECT_EQ(runner.reason, "'graph.sin' has no NPU kernel yet");
}

} // namespace
