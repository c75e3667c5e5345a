// The arithmetic that a kernel stands for.
// SPDX-License-Identifier: Apache-2.0
#include "OperationCount.h"
#include "atc/Dialect/Graph/IR/Graph.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::atc;

static ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

static int64_t elements(Value value) {
  return llvm::product_of(shapeOf(value));
}

static int64_t countOperations(Operation *op) {
  // Results of a pool, and of anything that computes each element once.
  auto perResult = [&](int64_t count) {
    return elements(op->getResult(0)) * count;
  };
  return TypeSwitch<Operation *, int64_t>(op)
      .Case([&](graph::ConvOp conv) {
        return perResult(2 *
                         llvm::product_of(shapeOf(conv.getW()).drop_front()));
      })
      .Case([&](graph::ConvWinogradOp conv) {
        return perResult(2 * 9 * shapeOf(conv.getX())[1]);
      })
      .Case([](graph::ConvTransposeOp conv) {
        return elements(conv.getX()) *
               (2 * llvm::product_of(shapeOf(conv.getW()).drop_front()));
      })
      .Case([&](graph::MatMulOp matmul) {
        ArrayRef<int64_t> left = shapeOf(matmul.getLhs());
        return perResult(
            2 * left[left.size() - (matmul.getTransposeLhs() ? 2 : 1)]);
      })
      .Case([](graph::AttentionOp attention) {
        // Two products for each pair of a query and a key.
        int64_t depth =
            shapeOf(attention.getQ()).back() + shapeOf(attention.getV()).back();
        ArrayRef<int64_t> queries = shapeOf(attention.getQ()).drop_back();
        return llvm::product_of(queries) *
               shapeOf(attention.getK()).drop_back().back() * 2 * depth;
      })
      .Case<graph::MaxPoolOp, graph::AvgPoolOp>([&](auto pool) {
        return perResult(llvm::product_of(pool.getKernel()));
      })
      .Case<graph::ReduceOp, graph::ArgReduceOp, graph::CumulativeSumOp,
            graph::SoftmaxOp, graph::LogSoftmaxOp, graph::LayerNormOp,
            graph::RmsNormOp, graph::InstanceNormOp, graph::GroupNormOp,
            graph::LrnOp>(
          [](Operation *row) { return elements(row->getOperand(0)); })
      .Case([&](graph::ScalarBodyInterface) { return perResult(1); })
      .Default(int64_t{0});
}

int64_t mlir::atc::countOperations(func::FuncOp kernel) {
  int64_t count = 0;
  for (Operation &op : kernel.front().without_terminator())
    count += ::countOperations(&op);
  return count;
}
