// Tests for attention: lengths, masks, blocks of keys, views of heads.
// SPDX-License-Identifier: Apache-2.0
#include "TemplateRunner.h"
#include "llvm/Support/FormatVariadic.h"
#include <algorithm>
#include <cmath>
#include <gmock/gmock.h>

using namespace mlir::atc::test;
using llvm::formatv;

namespace {

struct AttentionCase {
  std::string name;
  int64_t heads, queries, keys, depth, values;
  /// Shape of the mask with heads, queries, keys or 1; empty for none.
  std::vector<int64_t> mask;
};

Elements attend(const AttentionCase &test, const Elements &q, const Elements &k,
                const Elements &v, const Elements &mask, double scale) {
  Elements result;
  auto maskAt = [&](int64_t h, int64_t s, int64_t t) {
    int64_t offset = 0;
    const int64_t index[] = {h, s, t};
    for (size_t dim = 0; dim < test.mask.size(); ++dim) {
      int64_t at = index[3 - test.mask.size() + dim];
      offset = offset * test.mask[dim] + (test.mask[dim] == 1 ? 0 : at);
    }
    return test.mask.empty() ? 0.0 : mask[offset];
  };
  for (int64_t h = 0; h < test.heads; ++h)
    for (int64_t s = 0; s < test.queries; ++s) {
      std::vector<double> weights;
      for (int64_t t = 0; t < test.keys; ++t) {
        double score = 0;
        for (int64_t d = 0; d < test.depth; ++d)
          score += q[(h * test.queries + s) * test.depth + d] *
                   k[(h * test.keys + t) * test.depth + d];
        weights.push_back(score * scale + maskAt(h, s, t));
      }
      double largest = *std::max_element(weights.begin(), weights.end());
      double total = 0;
      for (double &weight : weights)
        total += weight = std::exp(weight - largest);
      for (int64_t e = 0; e < test.values; ++e) {
        double sum = 0;
        for (int64_t t = 0; t < test.keys; ++t)
          sum += weights[t] / total * v[(h * test.keys + t) * test.values + e];
        result.push_back(sum);
      }
    }
  return result;
}

void expectNear(const Elements &actual, const Elements &expected,
                double tolerance) {
  ASSERT_EQ(actual.size(), expected.size());
  for (size_t i = 0; i < actual.size(); ++i)
    ASSERT_NEAR(actual[i], expected[i], tolerance) << "at element " << i;
}

class Attentions : public ::testing::TestWithParam<AttentionCase> {};

TEST_P(Attentions, MatchTheDefinition) {
  const AttentionCase &test = GetParam();
  std::string q =
      formatv("{0}x{1}x{2}xf32", test.heads, test.queries, test.depth);
  std::string k = formatv("{0}x{1}x{2}xf32", test.heads, test.keys, test.depth);
  std::string v =
      formatv("{0}x{1}x{2}xf32", test.heads, test.keys, test.values);
  std::string result =
      formatv("tensor<{0}x{1}x{2}xf32>", test.heads, test.queries, test.values);
  std::vector<std::string> operands = {q, k, v};
  std::string maskText, maskType;
  int64_t maskCount = 1;
  if (!test.mask.empty()) {
    std::string type;
    for (int64_t size : test.mask) {
      type += std::to_string(size) + "x";
      maskCount *= size;
    }
    operands.push_back(type + "f32");
    maskText = " mask %x3";
    maskType = ", tensor<" + type + "f32>";
  }
  TemplateRunner runner;
  ASSERT_TRUE(runner.compile(
      {operands,
       {},
       formatv("%r = graph.attention %x0, %x1, %x2{0} scale 3.000000e-01 : "
               "(tensor<{1}>, tensor<{2}>, tensor<{3}>{4}) -> {5}",
               maskText, q, k, v, maskType, result),
       "r",
       result}));
  EXPECT_EQ(runner.templateName, "attention");
  Elements qs = randomElements(test.heads * test.queries * test.depth, 1);
  Elements ks = randomElements(test.heads * test.keys * test.depth, 2);
  Elements vs = randomElements(test.heads * test.keys * test.values, 3);
  Elements mask = randomElements(maskCount, 4);
  // Some keys are hidden, among them all of a block.
  for (size_t i = 0; i < mask.size(); ++i)
    if (i % 5 == 3 || (test.keys > 300 && i % test.keys < 270))
      mask[i] = i % 2 ? -HUGE_VAL : -1e30;
  runner.setOperand(0, qs);
  runner.setOperand(1, ks);
  runner.setOperand(2, vs);
  if (!test.mask.empty())
    runner.setOperand(3, mask);
  Elements whole = runner.run();
  expectNear(whole, attend(test, qs, ks, vs, mask, 0.3), 3e-6);
  EXPECT_EQ(runner.run({}, 3), whole);
}

std::string nameOf(const ::testing::TestParamInfo<AttentionCase> &info) {
  return info.param.name;
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, Attentions,
    ::testing::Values(AttentionCase{"Square", 3, 32, 32, 64, 64, {}},
                      AttentionCase{"Tails", 2, 19, 21, 33, 35, {}},
                      AttentionCase{"OneQuery", 2, 1, 50, 16, 16, {}},
                      AttentionCase{"OneKey", 1, 7, 1, 8, 8, {}},
                      AttentionCase{"LongRows", 1, 200, 24, 8, 24, {}},
                      AttentionCase{"Blocks", 1, 23, 700, 16, 20, {}},
                      AttentionCase{"FullMask", 2, 9, 24, 8, 8, {2, 9, 24}},
                      AttentionCase{"KeyMask", 2, 9, 24, 8, 8, {1, 1, 24}},
                      AttentionCase{"CausalMask", 2, 9, 19, 8, 8, {9, 19}},
                      AttentionCase{"HeadMask", 2, 9, 19, 8, 8, {2, 1, 1}},
                      AttentionCase{
                          "BlockMask", 1, 13, 600, 8, 8, {1, 1, 600}}),
    nameOf);

// Heads that lie side by side in one row are views, in and out.
TEST(Attention, HeadsAsViews) {
  TemplateRunner runner;
  ASSERT_TRUE(runner.compile(
      {{"20x48xf32", "20x48xf32", "20x48xf32"},
       {},
       R"(%a = graph.reshape %x0 : (tensor<20x48xf32>) -> tensor<20x3x16xf32>
          %q = graph.transpose %a [1, 0, 2] : (tensor<20x3x16xf32>) -> tensor<3x20x16xf32>
          %b = graph.reshape %x1 : (tensor<20x48xf32>) -> tensor<20x3x16xf32>
          %k = graph.transpose %b [1, 0, 2] : (tensor<20x3x16xf32>) -> tensor<3x20x16xf32>
          %c = graph.reshape %x2 : (tensor<20x48xf32>) -> tensor<20x3x16xf32>
          %v = graph.transpose %c [1, 0, 2] : (tensor<20x3x16xf32>) -> tensor<3x20x16xf32>
          %o = graph.attention %q, %k, %v scale 3.000000e-01 : (tensor<3x20x16xf32>, tensor<3x20x16xf32>, tensor<3x20x16xf32>) -> tensor<3x20x16xf32>
          %t = graph.transpose %o [1, 0, 2] : (tensor<3x20x16xf32>) -> tensor<20x3x16xf32>
          %r = graph.reshape %t : (tensor<20x3x16xf32>) -> tensor<20x48xf32>)",
       "r",
       "tensor<20x48xf32>"}));
  auto splitHeads = [](const Elements &rows) {
    Elements heads(rows.size());
    for (size_t i = 0; i < rows.size(); ++i)
      heads[(i % 48 / 16 * 20 + i / 48) * 16 + i % 16] = rows[i];
    return heads;
  };
  Elements q = randomElements(960, 1), k = randomElements(960, 2);
  Elements v = randomElements(960, 3);
  runner.setOperand(0, q);
  runner.setOperand(1, k);
  runner.setOperand(2, v);
  AttentionCase test{"", 3, 20, 20, 16, 16, {}};
  Elements expected =
      attend(test, splitHeads(q), splitHeads(k), splitHeads(v), {}, 0.3);
  expectNear(splitHeads(runner.run()), expected, 3e-6);
}

TEST(Attention, HalfPrecision) {
  TemplateRunner runner;
  std::string type = "tensor<2x10x16xf16>";
  ASSERT_TRUE(runner.compile(
      {{"2x10x16xf16", "2x10x16xf16", "2x10x16xf16"},
       {},
       "%r = graph.attention %x0, %x1, %x2 scale 3.000000e-01 : (" + type +
           ", " + type + ", " + type + ") -> " + type,
       "r",
       type}));
  Elements operands[3];
  for (unsigned i = 0; i < 3; ++i) {
    operands[i] = randomElements(320, i);
    for (double &element : operands[i])
      element = std::round(element * 512) / 512;
    runner.setOperand(i, operands[i]);
  }
  AttentionCase test{"", 2, 10, 10, 16, 16, {}};
  expectNear(runner.run(),
             attend(test, operands[0], operands[1], operands[2], {}, 0.3),
             1e-3);
}

// Lengths that only the run knows, up to a single query.
TEST(Attention, DynamicLengths) {
  for (auto [queries, keys] :
       std::initializer_list<std::pair<int64_t, int64_t>>{
           {1, 300}, {7, 7}, {40, 15}}) {
    TemplateRunner runner;
    TemplateOptions options;
    options.dims = {queries, keys};
    ASSERT_TRUE(runner.compile(
        {{"2x?x16xf32", "2x?x16xf32", "2x?x16xf32"},
         {},
         "%r = graph.attention %x0, %x1, %x2 scale 3.000000e-01 : "
         "(tensor<2x?x16xf32>, tensor<2x?x16xf32>, tensor<2x?x16xf32>) -> "
         "tensor<2x?x16xf32>",
         "r",
         "tensor<2x?x16xf32>",
         "affine_map<()[s, t] -> (2, s, 16)>, affine_map<()[s, t] -> (2, t, "
         "16)>, "
         "affine_map<()[s, t] -> (2, t, 16)>, affine_map<()[s, t] -> (2, s, "
         "16)>"},
        options));
    Elements q = randomElements(2 * queries * 16, 1);
    Elements k = randomElements(2 * keys * 16, 2);
    Elements v = randomElements(2 * keys * 16, 3);
    runner.setOperand(0, q, {2, queries, 16});
    runner.setOperand(1, k, {2, keys, 16});
    runner.setOperand(2, v, {2, keys, 16});
    AttentionCase test{"", 2, queries, keys, 16, 16, {}};
    expectNear(runner.run({2, queries, 16}, 2), attend(test, q, k, v, {}, 0.3),
               3e-6);
  }
}

} // namespace
