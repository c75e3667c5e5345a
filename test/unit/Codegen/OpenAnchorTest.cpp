// Products, convolutions, pooling and attention over open sizes.
// SPDX-License-Identifier: Apache-2.0
#include "OpenKernel.h"
#include "gtest/gtest.h"

using namespace mlir::atc::test;

namespace {

// The batch repeats or not, as its sizes turn out; rows, columns and depth are
// open.
TEST(OpenAnchor, BatchedProduct) {
  expectSameAsStatic({{"$ax$bx$dxf32", "$ax$dx$cxf32"},
                      {},
                      "%r = graph.matmul %x0, %x1 : (tensor<$ax$bx$dxf32>, "
                      "tensor<$ax$dx$cxf32>) -> tensor<$ax$bx$cxf32>",
                      "r",
                      "tensor<$ax$bx$cxf32>"},
                     {{1, 1, 1, 1},
                      {2, 3, 5, 7},
                      {3, 17, 33, 9},
                      {0, 4, 4, 4},
                      {2, 4, 0, 4},
                      {1, 50, 70, 300}},
                     1e-5);
}

TEST(OpenAnchor, ProductWithBatchDecidedAtRunTime) {
  expectSameAsStatic(
      {{"$ax4x8xf32", "$bx8x9xf32"},
       {},
       "%r = graph.matmul %x0, %x1 : (tensor<$ax4x8xf32>, tensor<$bx8x9xf32>) "
       "-> tensor<$cx4x9xf32>",
       "r",
       "tensor<$cx4x9xf32>"},
      {{1, 1, 1}, {3, 1, 3}, {1, 3, 3}, {3, 3, 3}, {0, 1, 0}, {1, 0, 0}}, 1e-5);
}

// Scores of heads that lie side by side in the rows of their operands.
TEST(OpenAnchor, ScoresOfHeads) {
  expectSameAsStatic({{"$ax$bx32xf32", "$ax$cx32xf32"},
                      {},
                      "%q = graph.reshape %x0 : (tensor<$ax$bx32xf32>) -> "
                      "tensor<$ax$bx4x8xf32>\n"
                      "%u = graph.transpose %q [0, 2, 1, 3] : "
                      "(tensor<$ax$bx4x8xf32>) -> tensor<$ax4x$bx8xf32>\n"
                      "%k = graph.reshape %x1 : (tensor<$ax$cx32xf32>) -> "
                      "tensor<$ax$cx4x8xf32>\n"
                      "%v = graph.transpose %k [0, 2, 3, 1] : "
                      "(tensor<$ax$cx4x8xf32>) -> tensor<$ax4x8x$cxf32>\n"
                      "%r = graph.matmul %u, %v : (tensor<$ax4x$bx8xf32>, "
                      "tensor<$ax4x8x$cxf32>) -> tensor<$ax4x$bx$cxf32>",
                      "r",
                      "tensor<$ax4x$bx$cxf32>"},
                     {{1, 1, 1}, {2, 5, 9}, {1, 16, 40}, {0, 3, 3}}, 1e-5);
}

// Heads side by side again behind the product.
TEST(OpenAnchor, ProductIntoHeads) {
  expectSameAsStatic({{"$ax4x$bx$cxf32", "$ax4x$cx8xf32"},
                      {},
                      "%p = graph.matmul %x0, %x1 : (tensor<$ax4x$bx$cxf32>, "
                      "tensor<$ax4x$cx8xf32>) -> tensor<$ax4x$bx8xf32>\n"
                      "%t = graph.transpose %p [0, 2, 1, 3] : "
                      "(tensor<$ax4x$bx8xf32>) -> tensor<$ax$bx4x8xf32>\n"
                      "%r = graph.reshape %t : (tensor<$ax$bx4x8xf32>) -> "
                      "tensor<$ax$bx32xf32>",
                      "r",
                      "tensor<$ax$bx32xf32>"},
                     {{1, 1, 1}, {2, 5, 9}, {1, 16, 40}, {0, 3, 3}}, 1e-5);
}

TEST(OpenAnchor, DenseLayer) {
  expectSameAsStatic(
      {{"$ax$bx24xf32"},
       {"24x50xf32", "50xf32"},
       "%p = graph.matmul %x0, %w0 : (tensor<$ax$bx24xf32>, tensor<24x50xf32>) "
       "-> tensor<$ax$bx50xf32>\n"
       "%s = graph.add %p, %w1 : (tensor<$ax$bx50xf32>, tensor<50xf32>) -> "
       "tensor<$ax$bx50xf32>\n"
       "%r = graph.relu %s : (tensor<$ax$bx50xf32>) -> tensor<$ax$bx50xf32>",
       "r",
       "tensor<$ax$bx50xf32>"},
      {{1, 1}, {0, 3}, {2, 7}, {4, 33}}, 1e-5);
}

TEST(OpenAnchor, ConvolutionAndPooling) {
  std::vector<std::vector<int64_t>> sizes = {
      {1, 3, 3, 2, 2}, {2, 8, 7, 4, 4}, {1, 33, 20, 17, 10}, {0, 8, 8, 4, 4}};
  expectSameAsStatic({{"$ax3x$bx$cxf32"},
                      {"8x3x3x3xf32"},
                      "%p = graph.conv %x0, %w0 strides [2, 2] pads [1, 1, 1, "
                      "1] dilations [1, 1] groups 1 : (tensor<$ax3x$bx$cxf32>, "
                      "tensor<8x3x3x3xf32>) -> tensor<$ax8x$dx$exf32>\n"
                      "%r = graph.relu %p : (tensor<$ax8x$dx$exf32>) -> "
                      "tensor<$ax8x$dx$exf32>",
                      "r",
                      "tensor<$ax8x$dx$exf32>"},
                     sizes, 1e-5);
  expectSameAsStatic({{"$ax8x$bx$cxf32"},
                      {"8x1x3x3xf32"},
                      "%r = graph.conv %x0, %w0 strides [2, 2] pads [1, 1, 1, "
                      "1] dilations [1, 1] groups 8 : (tensor<$ax8x$bx$cxf32>, "
                      "tensor<8x1x3x3xf32>) -> tensor<$ax8x$dx$exf32>",
                      "r",
                      "tensor<$ax8x$dx$exf32>"},
                     sizes, 1e-5);
  for (std::string pool : {"max_pool", "avg_pool"})
    expectSameAsStatic(
        {{"$ax8x$bx$cxf32"},
         {},
         "%r = graph." + pool +
             " %x0 kernel [3, 3] strides [2, 2] pads [1, 1, 1, 1] dilations "
             "[1, 1] : (tensor<$ax8x$bx$cxf32>) -> tensor<$ax8x$dx$exf32>",
         "r",
         "tensor<$ax8x$dx$exf32>"},
        sizes, 1e-5);
}

TEST(OpenAnchor, TransposedConvolution) {
  expectSameAsStatic({{"$ax6x$bx$cxf32"},
                      {"6x4x2x2xf32"},
                      "%r = graph.conv_transpose %x0, %w0 strides [2, 2] pads "
                      "[0, 0, 0, 0] output_padding [0, 0] dilations [1, 1] "
                      "groups 1 : (tensor<$ax6x$bx$cxf32>, "
                      "tensor<6x4x2x2xf32>) -> tensor<$ax4x$dx$exf32>",
                      "r",
                      "tensor<$ax4x$dx$exf32>"},
                     {{1, 3, 3, 6, 6}, {2, 8, 7, 16, 14}, {1, 1, 20, 2, 40}},
                     1e-5);
}

// The mask has a row for all queries or one for each.
TEST(OpenAnchor, AttentionWithMask) {
  expectSameAsStatic(
      {{"$ax2x$bx16xf32", "$ax2x$cx16xf32", "$ax2x$cx16xf32", "$ax1x$dx$cxf32"},
       {},
       "%r = graph.attention %x0, %x1, %x2 mask %x3 scale 3.0e-01 : "
       "(tensor<$ax2x$bx16xf32>, tensor<$ax2x$cx16xf32>, "
       "tensor<$ax2x$cx16xf32>, tensor<$ax1x$dx$cxf32>) -> "
       "tensor<$ax2x$bx16xf32>",
       "r",
       "tensor<$ax2x$bx16xf32>"},
      {{1, 1, 1, 1}, {2, 5, 9, 1}, {2, 5, 9, 5}, {1, 40, 300, 1}, {0, 3, 3, 3}},
      1e-5);
}

} // namespace
