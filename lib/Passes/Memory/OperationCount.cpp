// The arithmetic that a kernel stands for.
// SPDX-License-Identifier: Apache-2.0
#include "OperationCount.h"
#include "atc/Dialect/Graph/IR/Graph.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::atc;
using graph::SizeExpr;

namespace {

/// Counts with the sizes that one launch gives to a kernel.
class OperationCounter {
public:
  OperationCounter(func::FuncOp kernel, ArrayRef<SizeExpr> dims,
                   graph::SizeContext &context)
      : dims(dims), context(context) {
    auto shapes = kernel->getAttrOfType<ArrayAttr>("graph.shapes");
    for (BlockArgument argument : kernel.getArguments())
      if (shapes && isa<RankedTensorType>(argument.getType()))
        sizes[argument] = evaluate(shapes[argument.getArgNumber()]);
  }

  SizeExpr count(Operation *op);

private:
  using Sizes = SmallVector<SizeExpr, 4>;

  Sizes evaluate(Attribute map) {
    return llvm::to_vector<4>(llvm::map_range(
        cast<AffineMapAttr>(map).getValue().getResults(),
        [&](AffineExpr expr) { return context.evaluate(expr, dims); }));
  }
  Sizes sizesOf(Value value);
  SizeExpr elements(Value value) { return product(sizesOf(value)); }
  static SizeExpr product(ArrayRef<SizeExpr> factors) {
    SizeExpr result = 1;
    for (SizeExpr factor : factors)
      result = result * factor;
    return result;
  }

  ArrayRef<SizeExpr> dims;
  graph::SizeContext &context;
  DenseMap<Value, Sizes> sizes;
};

} // namespace

OperationCounter::Sizes OperationCounter::sizesOf(Value value) {
  auto [entry, isNew] = sizes.try_emplace(value);
  if (!isNew)
    return entry->second;
  auto type = cast<RankedTensorType>(value.getType());
  Operation *op = value.getDefiningOp();
  auto maps =
      op ? op->getAttrOfType<ArrayAttr>(graph::GraphDialect::getSizesAttrName())
         : ArrayAttr();
  if (maps && !type.hasStaticShape())
    return entry->second =
               evaluate(maps[cast<OpResult>(value).getResultNumber()]);
  // A size that nobody tells counts once: this is an estimate.
  for (int64_t size : type.getShape())
    entry->second.push_back(ShapedType::isDynamic(size) ? 1 : size);
  return entry->second;
}

SizeExpr OperationCounter::count(Operation *op) {
  // Results of a pool, and of anything that computes each element once.
  auto perResult = [&](SizeExpr count) {
    return elements(op->getResult(0)) * count;
  };
  return TypeSwitch<Operation *, SizeExpr>(op)
      .Case([&](graph::ConvOp conv) {
        Sizes w = sizesOf(conv.getW());
        return perResult(product(ArrayRef(w).drop_front()) * 2);
      })
      .Case([&](graph::ConvWinogradOp conv) {
        return perResult(sizesOf(conv.getX())[1] * (2 * 9));
      })
      .Case([&](graph::ConvTransposeOp conv) {
        Sizes w = sizesOf(conv.getW());
        return elements(conv.getX()) * (product(ArrayRef(w).drop_front()) * 2);
      })
      .Case([&](graph::MatMulOp matmul) {
        Sizes left = sizesOf(matmul.getLhs());
        return perResult(
            left[left.size() - (matmul.getTransposeLhs() ? 2 : 1)] * 2);
      })
      .Case([&](graph::AttentionOp attention) {
        // Two products for each pair of a query and a key.
        Sizes q = sizesOf(attention.getQ()), k = sizesOf(attention.getK());
        SizeExpr depth = q.back() + sizesOf(attention.getV()).back();
        return product(ArrayRef(q).drop_back()) * k[k.size() - 2] * depth * 2;
      })
      .Case<graph::MaxPoolOp, graph::AvgPoolOp>([&](auto pool) {
        return perResult(llvm::product_of(pool.getKernel()));
      })
      .Case<graph::ReduceOp, graph::ArgReduceOp, graph::CumulativeSumOp,
            graph::SoftmaxOp, graph::LogSoftmaxOp, graph::LayerNormOp,
            graph::RmsNormOp, graph::InstanceNormOp, graph::GroupNormOp,
            graph::LrnOp>(
          [&](Operation *row) { return elements(row->getOperand(0)); })
      .Case([&](graph::ScalarBodyInterface) { return perResult(1); })
      .Default(SizeExpr(int64_t{0}));
}

SizeExpr mlir::atc::countOperations(func::FuncOp kernel,
                                    ArrayRef<SizeExpr> dims,
                                    graph::SizeContext &context) {
  OperationCounter counter(kernel, dims, context);
  SizeExpr count = 0;
  for (Operation &op : kernel.front().without_terminator())
    count = count + counter.count(&op);
  return count;
}
