// Which operands a tensor is made of, seen through its own indices.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Codegen/Cpu/StridedSources.h"
#include "atc/Dialect/Graph/IR/Graph.h"
#include "atc/Dialect/Graph/IR/KernelSizes.h"
#include "atc/Target/TensorLayout.h"
#include "mlir/IR/AffineExpr.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::atc;
using namespace mlir::atc::cpu;

//===----------------------------------------------------------------------===//
// Linear expressions
//===----------------------------------------------------------------------===//

namespace {

/// constant + sum of factors[d] * d.
struct LinearExpr {
  AffineExpr constant;
  SmallVector<AffineExpr> factors;
};

} // namespace

static std::optional<LinearExpr> linearize(AffineExpr expr, unsigned dims) {
  LinearExpr result;
  AffineExpr zero = getAffineConstantExpr(0, expr.getContext());
  result.constant = zero;
  result.factors.assign(dims, zero);
  // Sums and products only nest a few levels deep.
  std::function<bool(AffineExpr, AffineExpr)> collect = [&](AffineExpr part,
                                                            AffineExpr factor) {
    if (auto dim = dyn_cast<AffineDimExpr>(part)) {
      result.factors[dim.getPosition()] =
          result.factors[dim.getPosition()] + factor;
      return true;
    }
    if (part.isSymbolicOrConstant()) {
      result.constant = result.constant + multiplySizes(factor, part);
      return true;
    }
    auto binary = dyn_cast<AffineBinaryOpExpr>(part);
    if (!binary)
      return false;
    if (part.getKind() == AffineExprKind::Add)
      return collect(binary.getLHS(), factor) &&
             collect(binary.getRHS(), factor);
    AffineExpr scale = binary.getRHS();
    return part.getKind() == AffineExprKind::Mul &&
           scale.isSymbolicOrConstant() &&
           collect(binary.getLHS(), multiplySizes(factor, scale));
  };
  if (!collect(expr, getAffineConstantExpr(1, expr.getContext())))
    return std::nullopt;
  return result;
}

//===----------------------------------------------------------------------===//
// Finding sources
//===----------------------------------------------------------------------===//

/// The layout of a reshape of an argument in the argument's buffer.
static std::optional<::atc::PhysicalLayout>
layoutOfReshape(graph::ReshapeOp reshape) {
  auto from = dyn_cast<RankedTensorType>(reshape.getX().getType());
  if (!isa<BlockArgument>(reshape.getX()) || !from ||
      !isa<RankedTensorType>(reshape.getType()))
    return std::nullopt;
  return reshapedLayout(getLayout(from), reshape);
}

static bool isSource(Value tensor) {
  if (isa<BlockArgument>(tensor))
    return true;
  if (auto constant = tensor.getDefiningOp<graph::ConstantOp>())
    return !isa<SplatElementsAttr>(constant.getValue());
  auto reshape = tensor.getDefiningOp<graph::ReshapeOp>();
  return reshape && layoutOfReshape(reshape);
}

/// The operands that an op's elements come from, one by one.
static bool isMapped(Operation *op) {
  return isa<graph::ScalarBodyInterface, graph::TransposeOp, graph::ReshapeOp,
             graph::ExpandOp, graph::SliceOp, graph::ReverseOp,
             graph::RelayoutOp>(op);
}

AffineMap mlir::atc::cpu::getKernelIdentityMap(Value tensor) {
  MLIRContext *context = tensor.getContext();
  SmallVector<AffineExpr> exprs;
  unsigned rank = cast<RankedTensorType>(tensor.getType()).getRank();
  for (unsigned dim = 0; dim < rank; ++dim)
    exprs.push_back(getAffineDimExpr(dim, context));
  return AffineMap::get(rank, graph::getKernelDimCount(tensor), exprs, context);
}

/// `map` behind `step`, both in the symbols of one kernel.
static AffineMap compose(AffineMap step, AffineMap map) {
  if (step.getNumSymbols() == 0 && map.getNumSymbols() == 0)
    return simplifyAffineMap(step.compose(map));
  SmallVector<AffineExpr> exprs;
  for (AffineExpr expr : step.getResults())
    exprs.push_back(expr.replaceDims(map.getResults()));
  return AffineMap::get(map.getNumDims(), map.getNumSymbols(), exprs,
                        map.getContext());
}

std::optional<SmallVector<StridedSource>>
mlir::atc::cpu::findStridedSources(ArrayRef<Value> tensors,
                                   ArrayRef<Value> bound) {
  SmallVector<StridedSource> roots;
  for (Value tensor : tensors)
    roots.push_back({tensor, getKernelIdentityMap(tensor)});
  return findStridedSources(roots, bound);
}

std::optional<SmallVector<StridedSource>>
mlir::atc::cpu::findStridedSources(ArrayRef<StridedSource> tensors,
                                   ArrayRef<Value> bound) {
  llvm::SetVector<std::pair<Value, AffineMap>> visited;
  for (const StridedSource &root : tensors)
    visited.insert({root.tensor, root.map});
  SmallVector<StridedSource> sources;
  llvm::DenseMap<Value, AffineMap> known;
  for (size_t i = 0; i < visited.size(); ++i) {
    auto [tensor, map] = visited[i];
    if (llvm::is_contained(bound, tensor))
      continue;
    if (isSource(tensor)) {
      auto [entry, isNew] = known.try_emplace(tensor, map);
      if (isNew)
        sources.push_back({tensor, map});
      else if (entry->second != map)
        return std::nullopt;
      continue;
    }
    Operation *op = tensor.getDefiningOp();
    if (isa<graph::ConstantOp>(op))
      continue;
    if (!isMapped(op))
      return std::nullopt;
    bool isElementwise = isa<graph::ScalarBodyInterface>(op);
    unsigned count = isElementwise ? op->getNumOperands() : 1;
    for (unsigned operand = 0; operand < count; ++operand) {
      FailureOr<AffineMap> step = getKernelOperandMap(op, operand);
      if (failed(step))
        return std::nullopt;
      AffineMap composed = compose(*step, map);
      for (AffineExpr expr : composed.getResults())
        if (!linearize(expr, composed.getNumDims()))
          return std::nullopt;
      visited.insert({op->getOperand(operand), composed});
    }
  }
  return sources;
}

//===----------------------------------------------------------------------===//
// Offsets
//===----------------------------------------------------------------------===//

/// The offsets of the elements of a tensor of given sizes.
static std::optional<LinearAccess>
layoutAccess(const ::atc::PhysicalLayout &layout, AffineMap sizes) {
  if (!layout.isStrided())
    return std::nullopt;
  MLIRContext *context = sizes.getContext();
  LinearAccess access;
  access.base = getAffineConstantExpr(0, context);
  access.strides.assign(sizes.getNumResults(), access.base);
  AffineExpr stride = getAffineConstantExpr(1, context);
  for (unsigned dim : llvm::reverse(layout.permutation)) {
    int64_t low = 0, high = 0;
    for (const ::atc::PhysicalLayout::Halo &halo : layout.halos)
      if (halo.dim == dim) {
        low = halo.low;
        high = halo.high;
      }
    access.strides[dim] = stride;
    access.base = access.base + stride * low;
    stride = multiplySizes(stride, sizes.getResult(dim) + (low + high));
  }
  return access;
}

std::optional<LinearAccess> mlir::atc::cpu::linearAccess(Value tensor) {
  std::optional<AffineMap> sizes = graph::getKernelSizes(tensor);
  if (!sizes)
    return std::nullopt;
  return layoutAccess(getLayout(cast<RankedTensorType>(tensor.getType())),
                      *sizes);
}

std::optional<LinearAccess>
mlir::atc::cpu::linearAccess(const StridedSource &source) {
  auto type = cast<RankedTensorType>(source.tensor.getType());
  std::optional<AffineMap> sizes = graph::getKernelSizes(source.tensor);
  if (!sizes)
    return std::nullopt;
  ::atc::PhysicalLayout layout = getLayout(type);
  if (auto reshape = source.tensor.getDefiningOp<graph::ReshapeOp>())
    layout = *layoutOfReshape(reshape);
  std::optional<LinearAccess> own = layoutAccess(layout, *sizes);
  if (!own)
    return std::nullopt;
  LinearAccess access;
  access.base = own->base;
  access.strides.assign(source.map.getNumDims(),
                        getAffineConstantExpr(0, type.getContext()));
  for (auto [dim, expr] : llvm::enumerate(source.map.getResults())) {
    LinearExpr linear = *linearize(expr, source.map.getNumDims());
    AffineExpr stride = own->strides[dim];
    access.base = access.base + multiplySizes(stride, linear.constant);
    for (auto [position, factor] : llvm::enumerate(linear.factors))
      access.strides[position] =
          access.strides[position] + multiplySizes(stride, factor);
  }
  return access;
}

std::optional<TensorView> mlir::atc::cpu::sourceView(RegionEmitter &region,
                                                     Value tensor) {
  if (const TensorView *view = region.getView(tensor))
    return *view;
  if (auto constant = tensor.getDefiningOp<graph::ConstantOp>())
    return region.viewOfConstant(constant);
  auto reshape = tensor.getDefiningOp<graph::ReshapeOp>();
  return reshape ? region.viewOfReshape(reshape) : std::nullopt;
}
