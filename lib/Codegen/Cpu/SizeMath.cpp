// Arithmetic on sizes and strides that may be known at run time only.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Codegen/Cpu/SizeMath.h"
#include "atc/Codegen/Cpu/TensorView.h"
#include "atc/Dialect/Graph/IR/Graph.h"
#include "atc/Dialect/Graph/IR/KernelSizes.h"
#include <cmath>

using namespace mlir;
using namespace mlir::atc;
using namespace mlir::atc::cpu;

std::optional<int64_t> mlir::atc::cpu::getConstantSize(AffineExpr size) {
  if (auto constant = dyn_cast<AffineConstantExpr>(size))
    return constant.getValue();
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// An order of expressions by their structure.
static int compare(AffineExpr lhs, AffineExpr rhs) {
  if (lhs == rhs)
    return 0;
  auto order = [](auto left, auto right) { return left < right ? -1 : 1; };
  if (lhs.getKind() != rhs.getKind())
    return order(static_cast<int>(lhs.getKind()),
                 static_cast<int>(rhs.getKind()));
  if (auto symbol = dyn_cast<AffineSymbolExpr>(lhs))
    return order(symbol.getPosition(),
                 cast<AffineSymbolExpr>(rhs).getPosition());
  if (auto dim = dyn_cast<AffineDimExpr>(lhs))
    return order(dim.getPosition(), cast<AffineDimExpr>(rhs).getPosition());
  if (auto constant = dyn_cast<AffineConstantExpr>(lhs))
    return order(constant.getValue(), cast<AffineConstantExpr>(rhs).getValue());
  auto left = cast<AffineBinaryOpExpr>(lhs);
  auto right = cast<AffineBinaryOpExpr>(rhs);
  if (int outer = compare(left.getLHS(), right.getLHS()))
    return outer;
  return compare(left.getRHS(), right.getRHS());
}

/// Splits a product into its constant and the other factors.
static void collectFactors(AffineExpr expr, int64_t &constant,
                           SmallVectorImpl<AffineExpr> &factors) {
  if (std::optional<int64_t> value = getConstantSize(expr)) {
    constant *= *value;
    return;
  }
  if (expr.getKind() == AffineExprKind::Mul) {
    auto product = cast<AffineBinaryOpExpr>(expr);
    collectFactors(product.getLHS(), constant, factors);
    collectFactors(product.getRHS(), constant, factors);
    return;
  }
  factors.push_back(expr);
}

AffineExpr mlir::atc::cpu::multiplySizes(AffineExpr lhs, AffineExpr rhs) {
  int64_t constant = 1;
  SmallVector<AffineExpr> factors;
  collectFactors(lhs, constant, factors);
  collectFactors(rhs, constant, factors);
  if (factors.empty() || constant == 0)
    return getAffineConstantExpr(constant, lhs.getContext());
  llvm::sort(factors, [](AffineExpr left, AffineExpr right) {
    return compare(left, right) < 0;
  });
  AffineExpr product = factors.front();
  for (AffineExpr factor : llvm::drop_begin(factors))
    product = product * factor;
  return product * constant;
}

AffineExpr mlir::atc::cpu::multiplySizes(ArrayRef<AffineExpr> sizes,
                                         MLIRContext *context) {
  AffineExpr product = getAffineConstantExpr(1, context);
  for (AffineExpr size : sizes)
    product = multiplySizes(product, size);
  return product;
}

AffineExpr mlir::atc::cpu::repeatFactor(AffineExpr size) {
  // 0/2, 1/3, 2/4, ..., rounded up; the divisor is never 0.
  return (size - 1).ceilDiv(size + 1);
}

/// What an open dim is taken for.
static constexpr double typicalDim = 64;

double mlir::atc::cpu::typicalSize(AffineExpr size) {
  if (std::optional<int64_t> constant = getConstantSize(size))
    return static_cast<double>(*constant);
  auto binary = dyn_cast<AffineBinaryOpExpr>(size);
  if (!binary)
    return typicalDim;
  double lhs = typicalSize(binary.getLHS()), rhs = typicalSize(binary.getRHS());
  switch (size.getKind()) {
  case AffineExprKind::Add:
    return lhs + rhs;
  case AffineExprKind::Mul:
    return lhs * rhs;
  case AffineExprKind::FloorDiv:
    return rhs == 0 ? 0 : std::floor(lhs / rhs);
  case AffineExprKind::CeilDiv:
    return rhs == 0 ? 0 : std::ceil(lhs / rhs);
  default:
    return rhs / 2;
  }
}

double mlir::atc::cpu::typicalElements(Value tensor) {
  double elements = 1;
  if (std::optional<AffineMap> sizes = graph::getKernelSizes(tensor))
    for (AffineExpr size : sizes->getResults())
      elements *= typicalSize(size);
  return elements;
}

double mlir::atc::cpu::typicalBytes(Value tensor) {
  Type element = storageType(getElementTypeOrSelf(tensor.getType()));
  return element.getIntOrFloatBitWidth() / 8.0 * typicalElements(tensor);
}

//===----------------------------------------------------------------------===//
// Reshapes
//===----------------------------------------------------------------------===//

/// Finds a group that begins at dims `i` and `j` and grows by `step`, 1 or -1,
/// towards the stops, which become its ends. False if it depends on open dims
/// where it ends.
static bool growGroup(ArrayRef<AffineExpr> from, ArrayRef<AffineExpr> to,
                      int64_t step, int64_t &i, int64_t &j, int64_t fromStop,
                      int64_t toStop) {
  AffineExpr left = from[i], right = to[j];
  i += step;
  j += step;
  while (left != right) {
    std::optional<int64_t> leftSize = getConstantSize(left);
    std::optional<int64_t> rightSize = getConstantSize(right);
    if (!leftSize || !rightSize)
      return false;
    if (*leftSize < *rightSize && i != fromStop) {
      left = multiplySizes(left, from[i]);
      i += step;
    } else if (j != toStop) {
      right = multiplySizes(right, to[j]);
      j += step;
    } else {
      // Only empty tensors do not come out even; nothing reads them.
      return true;
    }
  }
  return true;
}

/// Groups of what is left from dims `i` and `j` on: dims that end both shapes
/// and agree form groups, all others are one.
static void groupFromEnd(ArrayRef<AffineExpr> from, ArrayRef<AffineExpr> to,
                         int64_t i, int64_t j,
                         SmallVectorImpl<ReshapeGroup> &groups) {
  SmallVector<ReshapeGroup> tail;
  int64_t fromEnd = from.size(), toEnd = to.size();
  while (fromEnd > i && toEnd > j) {
    int64_t a = fromEnd - 1, b = toEnd - 1;
    if (!growGroup(from, to, -1, a, b, i - 1, j - 1))
      break;
    tail.push_back({static_cast<size_t>(a + 1), static_cast<size_t>(fromEnd),
                    static_cast<size_t>(b + 1), static_cast<size_t>(toEnd)});
    fromEnd = a + 1;
    toEnd = b + 1;
  }
  if (fromEnd > i && toEnd > j)
    groups.push_back({static_cast<size_t>(i), static_cast<size_t>(fromEnd),
                      static_cast<size_t>(j), static_cast<size_t>(toEnd)});
  llvm::append_range(groups, llvm::reverse(tail));
}

SmallVector<ReshapeGroup>
mlir::atc::cpu::groupReshape(ArrayRef<AffineExpr> from,
                             ArrayRef<AffineExpr> to) {
  SmallVector<ReshapeGroup> groups;
  int64_t i = 0, j = 0;
  int64_t fromSize = from.size(), toSize = to.size();
  while (i < fromSize && j < toSize) {
    // Dims of 1 come and go anywhere.
    if (isConstantSize(from[i], 1)) {
      ++i;
      continue;
    }
    if (isConstantSize(to[j], 1)) {
      ++j;
      continue;
    }
    int64_t a = i, b = j;
    if (!growGroup(from, to, 1, a, b, fromSize, toSize)) {
      groupFromEnd(from, to, i, j, groups);
      break;
    }
    groups.push_back({static_cast<size_t>(i), static_cast<size_t>(a),
                      static_cast<size_t>(j), static_cast<size_t>(b)});
    i = a;
    j = b;
  }
  return groups;
}

//===----------------------------------------------------------------------===//
// Index maps
//===----------------------------------------------------------------------===//

AffineMap mlir::atc::cpu::getKernelBroadcastMap(ArrayRef<AffineExpr> from,
                                                ArrayRef<AffineExpr> to,
                                                unsigned symbolCount,
                                                MLIRContext *context) {
  SmallVector<AffineExpr> exprs;
  size_t offset = to.size() - from.size();
  for (auto [position, size] : llvm::enumerate(from)) {
    AffineExpr index = getAffineDimExpr(offset + position, context);
    if (size == to[offset + position])
      exprs.push_back(index);
    else if (std::optional<int64_t> constant = getConstantSize(size))
      exprs.push_back(*constant == 1 ? getAffineConstantExpr(0, context)
                                     : index);
    else
      exprs.push_back(index * repeatFactor(size));
  }
  return AffineMap::get(to.size(), symbolCount, exprs, context);
}

/// A reshape that only adds and drops dims of 1.
static FailureOr<AffineMap> unitDimMap(AffineMap from, AffineMap to) {
  MLIRContext *context = to.getContext();
  SmallVector<unsigned> kept;
  for (auto [dim, size] : llvm::enumerate(to.getResults()))
    if (!isConstantSize(size, 1))
      kept.push_back(dim);
  SmallVector<AffineExpr> exprs;
  size_t next = 0;
  for (AffineExpr size : from.getResults()) {
    if (isConstantSize(size, 1)) {
      exprs.push_back(getAffineConstantExpr(0, context));
      continue;
    }
    if (next == kept.size() || to.getResult(kept[next]) != size)
      return failure();
    exprs.push_back(getAffineDimExpr(kept[next++], context));
  }
  if (next != kept.size())
    return failure();
  return AffineMap::get(to.getNumResults(), to.getNumSymbols(), exprs, context);
}

/// A map that treats dims one by one.
static AffineMap
dimwiseMap(AffineMap sizes,
           function_ref<AffineExpr(unsigned dim, AffineExpr index)> build) {
  SmallVector<AffineExpr> exprs;
  for (unsigned dim = 0; dim < sizes.getNumResults(); ++dim)
    exprs.push_back(build(dim, getAffineDimExpr(dim, sizes.getContext())));
  return AffineMap::get(sizes.getNumResults(), sizes.getNumSymbols(), exprs,
                        sizes.getContext());
}

FailureOr<AffineMap> mlir::atc::cpu::getKernelOperandMap(Operation *op,
                                                         unsigned operand) {
  auto maps = dyn_cast<graph::TileMapInterface>(op);
  if (!maps)
    return failure();
  auto isStatic = [](Value tensor) {
    return cast<RankedTensorType>(tensor.getType()).hasStaticShape();
  };
  if (isStatic(op->getOperand(operand)) && isStatic(op->getResult(0)))
    return maps.getOperandMap(operand);
  std::optional<AffineMap> from =
      graph::getKernelSizes(op->getOperand(operand));
  std::optional<AffineMap> to = graph::getKernelSizes(op->getResult(0));
  if (!from || !to)
    return failure();
  if (isa<graph::ScalarBodyInterface, graph::ExpandOp>(op))
    return from->getNumResults() > to->getNumResults()
               ? FailureOr<AffineMap>(failure())
               : getKernelBroadcastMap(from->getResults(), to->getResults(),
                                       to->getNumSymbols(), op->getContext());
  if (isa<graph::ReshapeOp>(op))
    return unitDimMap(*from, *to);
  if (auto reverse = dyn_cast<graph::ReverseOp>(op))
    return dimwiseMap(*to, [&](unsigned dim, AffineExpr index) {
      bool isReversed = llvm::is_contained(reverse.getAxes(), int64_t(dim));
      return isReversed ? from->getResult(dim) - 1 - index : index;
    });
  if (auto tile = dyn_cast<graph::TileOp>(op))
    return dimwiseMap(*to, [&](unsigned dim, AffineExpr index) {
      return tile.getRepeats()[dim] == 1 ? index : index % from->getResult(dim);
    });
  FailureOr<AffineMap> map = maps.getOperandMap(operand);
  if (failed(map))
    return failure();
  return AffineMap::get(map->getNumDims(), to->getNumSymbols(),
                        map->getResults(), op->getContext());
}
