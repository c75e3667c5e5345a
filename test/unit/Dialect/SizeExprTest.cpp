// Laws of size expressions.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Dialect/Graph/IR/SizeExpr.h"
#include "atc/Dialect/Graph/IR/Graph.h"
#include "mlir/Parser/Parser.h"
#include <gtest/gtest.h>

using namespace mlir;
using namespace mlir::atc::graph;

namespace {

class SizeExprTest : public ::testing::Test {
protected:
  SizeExprTest() {
    context.loadDialect<GraphDialect, func::FuncDialect>();
    module = parseSourceString<ModuleOp>(
        R"(func.func private @f(%x: tensor<?x?xf32> {graph.dims = ["n", ""]},
                                %y: tensor<?x7xf32> {graph.dims = ["n", ""]}) {
             return
           })",
        &context);
    function = *module->getOps<func::FuncOp>().begin();
    sizes = std::make_unique<SizeContext>(function);
    n = sizes->getDim(function.getArgument(0), 0);
    m = sizes->getDim(function.getArgument(0), 1);
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  func::FuncOp function;
  std::unique_ptr<SizeContext> sizes;
  SizeExpr n, m;
};

TEST_F(SizeExprTest, DimsOfOneNameAreOne) {
  EXPECT_EQ(sizes->getDim(function.getArgument(1), 0), n);
  EXPECT_NE(n, m);
  EXPECT_EQ(sizes->getDim(function.getArgument(1), 1), SizeExpr(7));
}

TEST_F(SizeExprTest, SumsAndProductsAreCanonical) {
  EXPECT_EQ(n + m, m + n);
  EXPECT_EQ((n + 1) * m, m + n * m);
  EXPECT_EQ(n - n, SizeExpr(0));
  EXPECT_EQ((n + m) - m, n);
}

TEST_F(SizeExprTest, QuotientsTakeOutWhatDivides) {
  EXPECT_EQ((n * m * 768).floorDiv(m * 768), n);
  EXPECT_EQ((n * 4 + 3).floorDiv(2), n * 2 + 1);
  EXPECT_EQ((n * 4 + 3).ceilDiv(2), n * 2 + 2);
  EXPECT_EQ((n + 5).floorDiv(2), (n + 1).floorDiv(2) + 2);
  EXPECT_EQ((n - 1).floorDiv(2) + 1, (n + 1).floorDiv(2));
  EXPECT_NE(n.floorDiv(2) * 2, n);
}

TEST_F(SizeExprTest, ExtremaFollowFromSigns) {
  EXPECT_EQ(n.min(n + 2), n);
  EXPECT_EQ(n.min(maxInputDim), n);
  EXPECT_NE((n * m).min(maxInputDim), n * m);
  EXPECT_EQ((n * m).min(std::numeric_limits<int64_t>::max()), n * m);
  EXPECT_EQ(n.max(0), n);
  EXPECT_EQ((n - 3).max(0).max(0), (n - 3).max(0));
  EXPECT_NE((n - 3).max(0), n - 3);
  EXPECT_EQ(n.min(m), m.min(n));
}

TEST_F(SizeExprTest, ExtremaAbsorb) {
  EXPECT_EQ((n - 1).max(0).min(n - 1), n - 1);
  EXPECT_EQ((n - 1).min(m).max(m), m);
  EXPECT_EQ((n - maxInputDim - 1).max(-1), SizeExpr(-1));
  EXPECT_NE((n - maxInputDim).max(-1), SizeExpr(-1));
}

// What windows without padding take off, one behind the other.
TEST_F(SizeExprTest, MaximaOfMaximaAreOne) {
  EXPECT_EQ(((n - 2).max(0) - 3).max(0), (n - 5).max(0));
  EXPECT_NE(((n - 2).max(0) + 3).max(0), (n + 1).max(0));
  EXPECT_EQ(((n - 2).max(0) + 3).max(0), (n - 2).max(0) + 3);
  EXPECT_NE(((n - 5).max(m) - 2).max(0), (n - 7).max(0));
}

TEST_F(SizeExprTest, BroadcastsPreferWhatTheyKnow) {
  EXPECT_EQ(n.broadcast(1), n);
  EXPECT_EQ(n.broadcast(5), SizeExpr(5));
  EXPECT_EQ(n.broadcast(n.min(512)), n);
  EXPECT_EQ(n.broadcast(m), m.broadcast(n));
}

TEST_F(SizeExprTest, UnknownSizesStayApart) {
  SizeExpr unknown = sizes->createUnknown();
  EXPECT_NE(unknown, sizes->createUnknown());
  EXPECT_FALSE((unknown + n).isKnown());
  EXPECT_TRUE((n * m).isKnown());
}

// What SizeBuilder builds is read back as the same expression.
TEST_F(SizeExprTest, ValuesAreReadBack) {
  context.loadDialect<arith::ArithDialect>();
  OpBuilder builder(&context);
  builder.setInsertionPointToStart(&function.front());
  SizeBuilder values(builder, function.getLoc(),
                     [&](unsigned argument, unsigned axis) -> Value {
                       return DimOp::create(
                           builder, function.getLoc(), builder.getIndexType(),
                           function.getArgument(argument), axis);
                     });
  for (SizeExpr size : {n, n * m + 3, (n + 1).floorDiv(2), n.ceilDiv(m),
                        (n - 3).max(0), n.min(m), n.broadcast(m), SizeExpr(9)})
    EXPECT_EQ(sizes->fromValue(values.buildValue(size)), size);
}

// Operands are shared: a walk over all paths to them would not end.
TEST_F(SizeExprTest, SharedOperandsAreCheap) {
  SizeExpr size = n;
  for (int level = 0; level < 100; ++level)
    size = size.floorDiv(2) * size.floorDiv(3);
  EXPECT_TRUE(size.isKnown());
  EXPECT_TRUE(size.isNonNegative());
}

TEST_F(SizeExprTest, DeepExpressionsAreUnknown) {
  SizeExpr size = n;
  for (unsigned level = 1; level < SizeExpr::maxDepth; ++level)
    size = (size + 1).floorDiv(2);
  EXPECT_TRUE(size.isKnown());
  EXPECT_FALSE(size.floorDiv(2).isKnown());
}

// Numbers that do not fit stay apart, too, rather than wrapping around.
TEST_F(SizeExprTest, LargeCoefficientsDoNotWrap) {
  SizeExpr large = n * (int64_t(1) << 62);
  EXPECT_NE(large * 4, SizeExpr(0));
  EXPECT_EQ(large * 4, large * 4);
}

} // namespace
