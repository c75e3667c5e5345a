// Which operands a tensor is made of, seen through its own indices.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Codegen/Cpu/StridedSources.h"
#include "atc/Dialect/Graph/IR/Graph.h"
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
  int64_t constant = 0;
  SmallVector<int64_t> factors;
};

} // namespace

static std::optional<LinearExpr> linearize(AffineExpr expr, unsigned dims) {
  LinearExpr result;
  result.factors.assign(dims, 0);
  // Sums and products only nest a few levels deep.
  std::function<bool(AffineExpr, int64_t)> collect = [&](AffineExpr part,
                                                         int64_t factor) {
    if (auto dim = dyn_cast<AffineDimExpr>(part)) {
      result.factors[dim.getPosition()] += factor;
      return true;
    }
    if (auto constant = dyn_cast<AffineConstantExpr>(part)) {
      result.constant += factor * constant.getValue();
      return true;
    }
    auto binary = dyn_cast<AffineBinaryOpExpr>(part);
    if (!binary)
      return false;
    if (part.getKind() == AffineExprKind::Add)
      return collect(binary.getLHS(), factor) &&
             collect(binary.getRHS(), factor);
    auto scale = dyn_cast<AffineConstantExpr>(binary.getRHS());
    return part.getKind() == AffineExprKind::Mul && scale &&
           collect(binary.getLHS(), factor * scale.getValue());
  };
  if (!collect(expr, 1))
    return std::nullopt;
  return result;
}

//===----------------------------------------------------------------------===//
// Finding sources
//===----------------------------------------------------------------------===//

/// The layout in which a reshape's result lies in its operand's buffer, if the
/// operand is an argument and strides can express it.
static std::optional<::atc::PhysicalLayout>
reshapedLayout(graph::ReshapeOp reshape) {
  auto from = dyn_cast<RankedTensorType>(reshape.getX().getType());
  auto to = dyn_cast<RankedTensorType>(reshape.getType());
  if (!isa<BlockArgument>(reshape.getX()) || !from || !to ||
      !from.hasStaticShape() || !to.hasStaticShape())
    return std::nullopt;
  return layoutThroughReshape(getLayout(from), from.getShape(), to.getShape());
}

static bool isSource(Value tensor) {
  if (isa<BlockArgument>(tensor))
    return true;
  if (auto constant = tensor.getDefiningOp<graph::ConstantOp>())
    return !isa<SplatElementsAttr>(constant.getValue());
  auto reshape = tensor.getDefiningOp<graph::ReshapeOp>();
  return reshape && reshapedLayout(reshape);
}

/// The operands that an op's elements come from, one by one.
static bool isMapped(Operation *op) {
  return isa<graph::ScalarBodyInterface, graph::TransposeOp, graph::ReshapeOp,
             graph::ExpandOp, graph::SliceOp, graph::ReverseOp,
             graph::RelayoutOp>(op);
}

std::optional<SmallVector<StridedSource>>
mlir::atc::cpu::findStridedSources(ArrayRef<Value> tensors,
                                   ArrayRef<Value> bound) {
  SmallVector<StridedSource> roots;
  for (Value tensor : tensors)
    roots.push_back(
        {tensor, AffineMap::getMultiDimIdentityMap(
                     cast<RankedTensorType>(tensor.getType()).getRank(),
                     tensor.getContext())});
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
    auto maps = dyn_cast<graph::TileMapInterface>(op);
    if (!maps || !isMapped(op))
      return std::nullopt;
    bool isElementwise = isa<graph::ScalarBodyInterface>(op);
    unsigned count = isElementwise ? op->getNumOperands() : 1;
    for (unsigned operand = 0; operand < count; ++operand) {
      FailureOr<AffineMap> step = maps.getOperandMap(operand);
      if (failed(step))
        return std::nullopt;
      AffineMap composed = simplifyAffineMap(step->compose(map));
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

std::optional<LinearAccess>
mlir::atc::cpu::linearAccess(RankedTensorType type) {
  ::atc::PhysicalLayout layout = getLayout(type);
  if (!type.hasStaticShape() || !layout.isStrided())
    return std::nullopt;
  std::vector<int64_t> shape(type.getShape().begin(), type.getShape().end());
  ::atc::PhysicalLayout::Strides strides = layout.strides(shape);
  return LinearAccess{
      strides.base,
      SmallVector<int64_t>(strides.strides.begin(), strides.strides.end())};
}

std::optional<LinearAccess>
mlir::atc::cpu::linearAccess(const StridedSource &source) {
  auto type = cast<RankedTensorType>(source.tensor.getType());
  if (auto reshape = source.tensor.getDefiningOp<graph::ReshapeOp>())
    type = withLayout(
        RankedTensorType::get(type.getShape(), type.getElementType()),
        *reshapedLayout(reshape));
  std::optional<LinearAccess> own = linearAccess(type);
  if (!own)
    return std::nullopt;
  LinearAccess access;
  access.base = own->base;
  access.strides.assign(source.map.getNumDims(), 0);
  for (auto [dim, expr] : llvm::enumerate(source.map.getResults())) {
    LinearExpr linear = *linearize(expr, source.map.getNumDims());
    access.base += own->strides[dim] * linear.constant;
    for (auto [position, factor] : llvm::enumerate(linear.factors))
      access.strides[position] += own->strides[dim] * factor;
  }
  return access;
}

TensorView mlir::atc::cpu::viewThrough(IndexBuilder &index,
                                       const TensorView &view, AffineMap map,
                                       ArrayRef<OpFoldResult> sizes) {
  TensorView result;
  result.buffer = view.buffer;
  result.base = view.base;
  result.sizes.assign(sizes.begin(), sizes.end());
  result.strides.assign(map.getNumDims(), index.constant(0));
  for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
    LinearExpr linear = *linearize(expr, map.getNumDims());
    result.base =
        index.add(result.base, index.mul(view.strides[dim], linear.constant));
    for (auto [position, factor] : llvm::enumerate(linear.factors))
      if (factor != 0)
        result.strides[position] = index.add(
            result.strides[position], index.mul(view.strides[dim], factor));
  }
  SmallVector<int64_t> shape;
  for (OpFoldResult size : sizes)
    shape.push_back(
        IndexBuilder::getConstant(size).value_or(ShapedType::kDynamic));
  result.type = RankedTensorType::get(shape, view.type.getElementType());
  result.layout = ::atc::PhysicalLayout::rowMajor(shape.size());
  return result;
}

std::optional<TensorView> mlir::atc::cpu::sourceView(RegionEmitter &region,
                                                     Value tensor) {
  if (const TensorView *view = region.getView(tensor))
    return *view;
  if (auto constant = tensor.getDefiningOp<graph::ConstantOp>())
    return region.viewOfConstant(constant);
  auto reshape = tensor.getDefiningOp<graph::ReshapeOp>();
  const TensorView *source = reshape ? region.getView(reshape.getX()) : nullptr;
  std::optional<::atc::PhysicalLayout> layout =
      reshape ? reshapedLayout(reshape) : std::nullopt;
  if (!source || !layout)
    return std::nullopt;
  auto type = cast<RankedTensorType>(reshape.getType());
  return TensorView::create(
      region.getIndex(), source->buffer,
      withLayout(RankedTensorType::get(type.getShape(), type.getElementType()),
                 *layout));
}
