// The template of scattered updates.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Codegen/Cpu/Scatter.h"
#include "atc/Codegen/Cpu/AnchoredKernel.h"
#include "atc/Codegen/Cpu/CoordinateBuilder.h"
#include "atc/Codegen/Cpu/KernelLaunch.h"
#include "atc/Codegen/Cpu/RowTemplate.h"
#include "atc/Codegen/Cpu/TileSplit.h"
#include "atc/Dialect/Graph/IR/KernelSizes.h"
#include "atc/Dialect/Graph/IR/ScalarBody.h"

using namespace mlir;
using namespace mlir::atc;
using namespace mlir::atc::cpu;

//===----------------------------------------------------------------------===//
// The anchor
//===----------------------------------------------------------------------===//

namespace {

/// The two scatter ops as one: what they have in common.
struct ScatterProblem {
  Operation *anchor = nullptr;
  Value x, indices, updates;
  graph::ScatterReduction reduction = graph::ScatterReduction::none;
  /// scatter_elements: the dim of `x` that the indices are for.
  unsigned axis = 0;
  /// scatter_nd: dims of `updates` in front of a slice's, and the number of
  /// dims of `x` that a tuple names.
  unsigned prefix = 0, tupleLength = 0;

  bool hasTuples() const { return isa<graph::ScatterNDOp>(anchor); }
  AffineMap sizes() const { return *graph::getKernelSizes(x); }
  AffineMap updatesSizes() const { return *graph::getKernelSizes(updates); }
  Type elementType() const { return getElementTypeOrSelf(x.getType()); }
  /// Neighbouring elements along the last dim of `updates` go to neighbouring
  /// elements of the result.
  bool hasSlices() const {
    return hasTuples() && updatesSizes().getNumResults() > prefix;
  }

  static std::optional<ScatterProblem> match(Block &block, std::string &reason);
};

} // namespace

std::optional<ScatterProblem> ScatterProblem::match(Block &block,
                                                    std::string &reason) {
  ScatterProblem problem;
  problem.anchor = findRowAnchor(
      block,
      [](Operation *op) {
        return isa<graph::ScatterElementsOp, graph::ScatterNDOp>(op);
      },
      reason);
  if (!problem.anchor)
    return std::nullopt;
  auto yielded = block.getTerminator()->getOperands();
  if (yielded.size() != 1 || yielded[0] != problem.anchor->getResult(0)) {
    reason = "an op follows the updates";
    return std::nullopt;
  }
  problem.x = problem.anchor->getOperand(0);
  problem.indices = problem.anchor->getOperand(1);
  problem.updates = problem.anchor->getOperand(2);
  if (auto elements = dyn_cast<graph::ScatterElementsOp>(problem.anchor)) {
    problem.axis = elements.getAxis();
    problem.reduction = elements.getReduction();
  } else {
    auto indices = cast<RankedTensorType>(problem.indices.getType());
    problem.prefix = indices.getRank() - 1;
    problem.tupleLength = indices.getDimSize(problem.prefix);
    problem.reduction = cast<graph::ScatterNDOp>(problem.anchor).getReduction();
  }
  graph::NumberKind kind = graph::getNumberKind(problem.elementType());
  if (kind == graph::NumberKind::None ||
      (kind == graph::NumberKind::Bool &&
       problem.reduction != graph::ScatterReduction::none)) {
    reason = "updates of this element type do not combine";
    return std::nullopt;
  }
  return problem;
}

//===----------------------------------------------------------------------===//
// Code
//===----------------------------------------------------------------------===//

static graph::ReductionKind reductionKind(graph::ScatterReduction reduction) {
  switch (reduction) {
  case graph::ScatterReduction::add:
    return graph::ReductionKind::sum;
  case graph::ScatterReduction::mul:
    return graph::ReductionKind::product;
  case graph::ScatterReduction::max:
    return graph::ReductionKind::max;
  case graph::ScatterReduction::min:
    return graph::ReductionKind::min;
  case graph::ScatterReduction::none:
    break;
  }
  llvm_unreachable("nothing to combine");
}

namespace {

/// Emits one launch.
class ScatterLoops {
public:
  ScatterLoops(func::FuncOp kernel, unsigned number,
               const ScatterProblem &problem, const CpuDescription &cpu)
      : problem(problem), launch(KernelLaunch::create(kernel, number, cpu)),
        builder(*launch.builder), region(*launch.region), loc(kernel.getLoc()),
        index(builder, loc) {}

  LogicalResult copy(const TileSplit &tiles, int64_t lanes);
  LogicalResult update(int64_t lanes);

private:
  /// A loop over [low, high) with the insertion point inside.
  Value loop(OpFoldResult low, OpFoldResult high, int64_t step = 1);
  /// The point of `lanes` elements from `position` on along the last dim, which
  /// ends at `high`.
  VectorPoint pointAt(ArrayRef<OpFoldResult> position, int64_t lanes,
                      OpFoldResult high, bool isWhole);
  /// Where the updates at `point` go.
  FailureOr<VectorPoint> target(const VectorPoint &point);

  const ScatterProblem &problem;
  KernelLaunch launch;
  OpBuilder &builder;
  RegionEmitter &region;
  Location loc;
  IndexBuilder index;
};

} // namespace

Value ScatterLoops::loop(OpFoldResult low, OpFoldResult high, int64_t step) {
  auto loop = scf::ForOp::create(builder, loc, index.value(low),
                                 index.value(high), index.value(step));
  builder.setInsertionPointToStart(loop.getBody());
  return loop.getInductionVar();
}

VectorPoint ScatterLoops::pointAt(ArrayRef<OpFoldResult> position,
                                  int64_t lanes, OpFoldResult high,
                                  bool isWhole) {
  Value active;
  if (!isWhole)
    active = index.value(
        index.min(index.sub(high, position.back()), index.constant(lanes)));
  return VectorPoint::along(position, position.size() - 1, lanes,
                            /*divisor=*/lanes, active);
}

LogicalResult ScatterLoops::copy(const TileSplit &tiles, int64_t lanes) {
  AffineMap map = problem.sizes();
  SmallVector<OpFoldResult> sizes;
  for (AffineExpr size : map.getResults())
    sizes.push_back(region.evaluate(size));
  OpFoldResult tile = launch.createTileLoop().getInductionVar();
  TileSplit::Place place = tiles.locate(index, sizes, tile);
  SmallVector<OpFoldResult> position(place.outer);
  OpFoldResult high;
  for (size_t dim = tiles.split; dim < sizes.size(); ++dim) {
    bool isSplit = dim == static_cast<size_t>(tiles.split);
    high = isSplit ? place.high : sizes[dim];
    position.push_back(loop(isSplit ? place.low : index.constant(0), high,
                            dim + 1 == sizes.size() ? lanes : 1));
  }
  VectorPoint point = pointAt(position, lanes, high,
                              map.getResults().back().isMultipleOf(lanes));
  FailureOr<Value> value = region.value(problem.x, point);
  if (failed(value))
    return failure();
  region.store(launch.results.front(), point, *value);
  launch.finish();
  return success();
}

FailureOr<VectorPoint> ScatterLoops::target(const VectorPoint &point) {
  ArrayRef<Coordinate> all = point.coordinates;
  if (!problem.hasTuples()) {
    FailureOr<Coordinate> place = region.indexCoordinate(
        problem.indices, point, region.sizeOf(problem.x, problem.axis));
    if (failed(place))
      return failure();
    VectorPoint target = point;
    target.coordinates[problem.axis] = *place;
    return target;
  }
  CoordinateBuilder coordinates(builder, loc, point.lanes);
  SmallVector<Coordinate, 6> target;
  for (unsigned dim = 0; dim < problem.tupleLength; ++dim) {
    SmallVector<Coordinate, 6> tuple(all.take_front(problem.prefix));
    tuple.push_back(coordinates.constant(dim));
    FailureOr<Coordinate> place =
        region.indexCoordinate(problem.indices, point.with(std::move(tuple)),
                               region.sizeOf(problem.x, dim));
    if (failed(place))
      return failure();
    target.push_back(*place);
  }
  llvm::append_range(target, all.drop_front(problem.prefix));
  return point.with(std::move(target));
}

LogicalResult ScatterLoops::update(int64_t lanes) {
  launch.createTileLoop();
  AffineMap map = problem.updatesSizes();
  SmallVector<OpFoldResult> position, sizes;
  for (AffineExpr size : map.getResults())
    sizes.push_back(region.evaluate(size));
  for (auto [dim, size] : llvm::enumerate(sizes))
    position.push_back(
        loop(index.constant(0), size, dim + 1 == sizes.size() ? lanes : 1));
  VectorPoint point =
      sizes.empty() ? VectorPoint::scalar({})
                    : pointAt(position, lanes, sizes.back(),
                              map.getResults().back().isMultipleOf(lanes));
  FailureOr<Value> value = region.value(problem.updates, point);
  FailureOr<VectorPoint> where = target(point);
  if (failed(value) || failed(where))
    return failure();
  const TensorView &result = launch.results.front();
  if (problem.reduction != graph::ScatterReduction::none)
    value =
        graph::buildReduction(builder, loc, reductionKind(problem.reduction),
                              graph::getNumberKind(problem.elementType()),
                              region.load(result, *where), *value);
  region.store(result, *where, *value);
  launch.finish();
  return success();
}

//===----------------------------------------------------------------------===//
// The template
//===----------------------------------------------------------------------===//

namespace {

class ScatterTemplate final : public Template {
public:
  StringRef getName() const override { return "scatter"; }

  void addCandidates(graph::KernelOp kernel, const CpuDescription &cpu,
                     SmallVectorImpl<KernelCandidate> &candidates,
                     std::string &reason) const override {
    std::optional<ScatterProblem> problem =
        ScatterProblem::match(kernel.getBodyBlock(), reason);
    if (!problem)
      return;
    KernelCandidate candidate;
    candidate.name = getName();
    candidate.operands.assign(kernel.getArgs().size(),
                              LayoutRequest::strided());
    candidate.results.push_back(
        LayoutRequest::innermostDim(problem->sizes().getNumResults() - 1));
    double copied = typicalElements(problem->x);
    double written = typicalElements(problem->updates);
    double bytes = storageType(problem->elementType()).getIntOrFloatBitWidth() /
                   8.0 * (2 * copied + 3 * written);
    candidate.cost = bytes / cpu.gigabytesPerSecond;
    candidates.push_back(std::move(candidate));
  }

  FailureOr<graph::ConfigAttr>
  configure(graph::KernelOp kernel, StringRef candidate,
            const CpuDescription &cpu) const override;
  LogicalResult lower(func::FuncOp kernel,
                      const CpuDescription &cpu) const override;
};

} // namespace

FailureOr<graph::ConfigAttr>
ScatterTemplate::configure(graph::KernelOp kernel, StringRef candidate,
                           const CpuDescription &cpu) const {
  std::string reason;
  std::optional<ScatterProblem> problem =
      ScatterProblem::match(kernel.getBodyBlock(), reason);
  if (!problem)
    return kernel.emitOpError("does not fit its template: ") << reason;
  AffineMap map = problem->sizes();
  SmallVector<int64_t> sizes = knownSizes(map.getResults());
  int64_t lanes = cpu.lanes(computeType(problem->elementType()));
  SmallVector<int64_t> alignment(sizes.size(), 1);
  alignment.back() = lanes;
  TileSplit tiles =
      llvm::is_contained(sizes, ShapedType::kDynamic)
          ? TileSplit::chooseOpen(sizes, alignment, sizes.size() - 1, 1)
          : TileSplit::choose(sizes, alignment, sizes.size() - 1,
                              llvm::product_of(sizes));
  Builder builder(kernel.getContext());
  NamedAttrList params;
  tiles.addParams(builder, params);
  params.set("lanes", builder.getI64IntegerAttr(lanes));
  unsigned dimCount = kernel.getDims().size();
  AffineMap copies =
      tiles.countMap(map.getResults(), dimCount, kernel.getContext());
  AffineMap single = AffineMap::get(
      0, dimCount, getAffineConstantExpr(1, kernel.getContext()));
  return graph::ConfigAttr::get(builder.getStringAttr(getName()),
                                {copies, single},
                                /*scratch=*/0, /*workspace=*/{}, /*inplace=*/{},
                                params.getDictionary(kernel.getContext()));
}

LogicalResult ScatterTemplate::lower(func::FuncOp kernel,
                                     const CpuDescription &cpu) const {
  std::string reason;
  std::optional<ScatterProblem> problem =
      ScatterProblem::match(kernel.front(), reason);
  if (!problem)
    return kernel.emitOpError("does not fit its template: ") << reason;
  auto config = kernel->getAttrOfType<graph::ConfigAttr>(configAttrName);
  int64_t lanes = config.getParam("lanes", 1);
  if (failed(ScatterLoops(kernel, 0, *problem, cpu)
                 .copy(TileSplit::fromConfig(config), lanes)))
    return failure();
  return ScatterLoops(kernel, 1, *problem, cpu)
      .update(problem->hasSlices() ? lanes : 1);
}

const Template &mlir::atc::cpu::scatterTemplate() {
  static const ScatterTemplate instance;
  return instance;
}
