// Kernels that combine elements along dims whose sizes are open.
// SPDX-License-Identifier: Apache-2.0
#include "OpenKernel.h"
#include "gtest/gtest.h"

using namespace mlir::atc::test;

namespace {

using SizeList = std::vector<std::vector<int64_t>>;

SizeList planes() {
  return {{1, 1}, {0, 5}, {1, 7},   {3, 8},    {7, 9},
          {8, 3}, {9, 1}, {16, 33}, {70, 129}, {2, 9000}};
}

TEST(OpenRow, SoftmaxOverOpenRows) {
  expectSameAsStatic({{"$ax$bxf32"},
                      {},
                      "%r = graph.softmax %x0 axis 1 : (tensor<$ax$bxf32>) -> "
                      "tensor<$ax$bxf32>",
                      "r",
                      "tensor<$ax$bxf32>"},
                     planes(), 1e-6, "row");
}

// Vectors hold neighbouring rows, the last one fewer of them.
TEST(OpenRow, SoftmaxOverOuterDim) {
  expectSameAsStatic({{"$ax$bxf32"},
                      {},
                      "%r = graph.softmax %x0 axis 0 : (tensor<$ax$bxf32>) -> "
                      "tensor<$ax$bxf32>",
                      "r",
                      "tensor<$ax$bxf32>"},
                     {{1, 1}, {3, 8}, {7, 9}, {33, 16}, {9, 5}, {1200, 11}},
                     1e-6, "row");
}

TEST(OpenRow, LogSoftmaxBehindOps) {
  expectSameAsStatic(
      {{"$ax$bxf32", "$ax$bxf32"},
       {},
       "%s = graph.add %x0, %x1 : (tensor<$ax$bxf32>, tensor<$ax$bxf32>) -> "
       "tensor<$ax$bxf32>\n"
       "%t = graph.tanh %s : (tensor<$ax$bxf32>) -> tensor<$ax$bxf32>\n"
       "%r = graph.log_softmax %t axis 1 : (tensor<$ax$bxf32>) -> "
       "tensor<$ax$bxf32>",
       "r",
       "tensor<$ax$bxf32>"},
      planes(), 1e-5, "row");
}

// Scores with a mask that may have a row for each query or one for all.
TEST(OpenRow, MaskedSoftmax) {
  expectSameAsStatic({{"$ax2x$bx$bxf32", "$cx1x$dx$bxf32"},
                      {},
                      "%s = graph.add %x0, %x1 : (tensor<$ax2x$bx$bxf32>, "
                      "tensor<$cx1x$dx$bxf32>) -> tensor<$ax2x$bx$bxf32>\n"
                      "%r = graph.softmax %s axis 3 : (tensor<$ax2x$bx$bxf32>) "
                      "-> tensor<$ax2x$bx$bxf32>",
                      "r",
                      "tensor<$ax2x$bx$bxf32>"},
                     {{1, 5, 1, 5}, {3, 9, 1, 1}, {3, 9, 3, 1}, {2, 16, 2, 16}},
                     1e-6, "row");
}

TEST(OpenRow, LayerNormOverKnownRows) {
  expectSameAsStatic({{"$ax$bx24xf32", "24xf32", "24xf32"},
                      {},
                      "%r = graph.layer_norm %x0 scale %x1 bias %x2 axis 2 "
                      "epsilon 1.0e-05 : (tensor<$ax$bx24xf32>, "
                      "tensor<24xf32>, tensor<24xf32>) -> tensor<$ax$bx24xf32>",
                      "r",
                      "tensor<$ax$bx24xf32>"},
                     planes(), 1e-5, "row");
}

TEST(OpenRow, LayerNormOverOpenRows) {
  expectSameAsStatic({{"$ax$bxf32", "$bxf32", "$bxf32"},
                      {},
                      "%r = graph.layer_norm %x0 scale %x1 bias %x2 axis 1 "
                      "epsilon 1.0e-05 : (tensor<$ax$bxf32>, tensor<$bxf32>, "
                      "tensor<$bxf32>) -> tensor<$ax$bxf32>",
                      "r",
                      "tensor<$ax$bxf32>"},
                     {{3, 8}, {7, 9}, {8, 3}, {16, 33}, {5, 129}, {2, 9000}},
                     1e-4, "row");
}

TEST(OpenRow, InstanceNorm) {
  expectSameAsStatic({{"$ax6x$bx$cxf32", "6xf32", "6xf32"},
                      {},
                      "%r = graph.instance_norm %x0, %x1, %x2 epsilon 1.0e-05 "
                      ": (tensor<$ax6x$bx$cxf32>, tensor<6xf32>, "
                      "tensor<6xf32>) -> tensor<$ax6x$bx$cxf32>",
                      "r",
                      "tensor<$ax6x$bx$cxf32>"},
                     {{1, 3, 4}, {2, 8, 8}, {0, 3, 3}, {3, 5, 13}, {1, 70, 80}},
                     1e-4, "row");
}

TEST(OpenRow, GroupNorm) {
  expectSameAsStatic({{"$ax6x$bx$cxf32", "6xf32", "6xf32"},
                      {},
                      "%r = graph.group_norm %x0, %x1, %x2 groups 2 epsilon "
                      "1.0e-05 : (tensor<$ax6x$bx$cxf32>, tensor<6xf32>, "
                      "tensor<6xf32>) -> tensor<$ax6x$bx$cxf32>",
                      "r",
                      "tensor<$ax6x$bx$cxf32>"},
                     {{1, 3, 4}, {2, 8, 8}, {0, 3, 3}, {3, 5, 13}}, 1e-4,
                     "row");
}

TEST(OpenRow, Reductions) {
  for (std::string kind : {"sum", "mean", "max"})
    for (std::string axes : {"[0]", "[1]", "[2]", "[1, 2]", "[0, 1, 2]"}) {
      SCOPED_TRACE(kind + " of " + axes);
      bool first = axes.find('0') != std::string::npos;
      bool second = axes.find('1') != std::string::npos;
      bool third = axes.find('2') != std::string::npos;
      std::string result = std::string(first ? "1" : "$a") + "x" +
                           (second ? "1" : "$b") + "x" + (third ? "1" : "$c") +
                           "xf32";
      expectSameAsStatic(
          {{"$ax$bx$cxf32"},
           {},
           "%r = graph.reduce " + kind + ", %x0 axes " + axes +
               " keep_dims : (tensor<$ax$bx$cxf32>) -> tensor<" + result + ">",
           "r",
           "tensor<" + result + ">"},
          {{2, 3, 5}, {1, 1, 1}, {4, 9, 16}, {3, 40, 7}}, 1e-5, "reduce");
    }
}

TEST(OpenRow, ReductionOfLongRows) {
  expectSameAsStatic(
      {{"$axf32"},
       {},
       "%r = graph.reduce sum, %x0 axes [0] : (tensor<$axf32>) -> tensor<f32>",
       "r",
       "tensor<f32>"},
      {{0}, {1}, {15}, {33}, {100000}}, 1e-5, "reduce");
}

TEST(OpenRow, PositionsOfExtrema) {
  for (std::string axis : {"0", "1"}) {
    std::string result = axis == "0" ? "1x$b" : "$ax1";
    expectSameAsStatic(
        {{"$ax$bxf32"},
         {},
         "%r = graph.arg_reduce max, %x0 axis " + axis +
             " keep_dims : (tensor<$ax$bxf32>) -> tensor<" + result + "xi64>",
         "r",
         "tensor<" + result + "xi64>"},
        {{3, 8}, {7, 9}, {8, 3}, {1, 1}, {16, 33}, {2, 9000}}, 0, "reduce");
  }
}

TEST(OpenRow, CumulativeSums) {
  for (std::string axis : {"0", "1"})
    for (std::string how : {"", " exclusive reverse"})
      expectSameAsStatic({{"$ax$bxf32"},
                          {},
                          "%r = graph.cumulative_sum %x0 axis " + axis + how +
                              " : (tensor<$ax$bxf32>) -> tensor<$ax$bxf32>",
                          "r",
                          "tensor<$ax$bxf32>"},
                         {{3, 8}, {7, 9}, {8, 3}, {1, 1}, {16, 33}, {0, 4}},
                         1e-5, "scan");
}

} // namespace
