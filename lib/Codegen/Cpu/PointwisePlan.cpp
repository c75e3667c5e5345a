// How a pointwise kernel iterates: dims in memory order, lanes, tiles.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Codegen/Cpu/PointwisePlan.h"
#include "atc/Target/TensorLayout.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::atc;
using namespace mlir::atc::cpu;

using Layout = ::atc::PhysicalLayout;

//===----------------------------------------------------------------------===//
// Loops in memory order
//===----------------------------------------------------------------------===//

/// One loop per physical dim of `type`; fills the strides of its own accesses.
static void addPhysicalDims(PointwiseNest &nest, RankedTensorType type,
                            LinearAccess &access) {
  Layout layout = getLayout(type);
  std::vector<int64_t> shape(type.getShape().begin(), type.getShape().end());
  std::vector<int64_t> physical = *layout.physicalShape(shape);
  SmallVector<int64_t> strides(physical.size(), 1);
  for (size_t i = physical.size(); i-- > 1;)
    strides[i - 1] = strides[i] * physical[i];
  access.strides = strides;
  access.base = layout.offset(shape, std::vector<int64_t>(shape.size(), 0));

  // The size of the next tile of a dim behind a position in the tile list.
  auto nextTile = [&](unsigned dim, size_t from) -> int64_t {
    for (size_t i = from; i < layout.tiles.size(); ++i)
      if (layout.tiles[i].dim == dim)
        return layout.tiles[i].size;
    return 1;
  };
  for (auto [position, dim] : llvm::enumerate(layout.permutation)) {
    int64_t factor = nextTile(dim, 0);
    // The halo is not written.
    int64_t size = factor == 1 ? shape[dim] : physical[position];
    nest.dims.push_back({size, dim, factor});
    if (physical[position] * factor > shape[dim] && factor > 1)
      nest.paddedDims.push_back(dim);
  }
  for (auto [number, tile] : llvm::enumerate(layout.tiles))
    nest.dims.push_back({physical[layout.permutation.size() + number], tile.dim,
                         nextTile(tile.dim, number + 1)});
}

/// Strides over logical dims as strides over loops.
static LinearAccess overLoops(const PointwiseNest &nest,
                              const LinearAccess &logical) {
  LinearAccess access;
  access.base = logical.base;
  for (const IterationDim &dim : nest.dims)
    access.strides.push_back(dim.factor * logical.strides[dim.logicalDim]);
  return access;
}

/// Removes loops of one iteration, and merges a loop with the next inner one
/// where every access continues in the same stride.
static void simplifyLoops(PointwiseNest &nest, bool mayMerge) {
  auto forAll = [&](function_ref<void(LinearAccess &)> body) {
    for (LinearAccess &access : nest.sourceAccesses)
      body(access);
    for (LinearAccess &access : nest.resultAccesses)
      body(access);
  };
  for (size_t i = 0; i < nest.dims.size();) {
    if (nest.dims[i].size != 1 || nest.dims.size() == 1) {
      ++i;
      continue;
    }
    nest.dims.erase(nest.dims.begin() + i);
    forAll([&](LinearAccess &access) {
      access.strides.erase(access.strides.begin() + i);
    });
  }
  for (size_t i = 0; mayMerge && i + 1 < nest.dims.size();) {
    int64_t inner = nest.dims[i + 1].size;
    bool merges = !nest.isPadded(i) && !nest.isPadded(i + 1);
    forAll([&](LinearAccess &access) {
      merges &= access.strides[i] == access.strides[i + 1] * inner;
    });
    if (!merges) {
      ++i;
      continue;
    }
    nest.dims[i + 1].size *= nest.dims[i].size;
    nest.dims.erase(nest.dims.begin() + i);
    forAll([&](LinearAccess &access) {
      access.strides.erase(access.strides.begin() + i);
    });
  }
}

/// Whether every tile of a dim divides the one that it splits, so that padding
/// only stands at the end of the dim.
static bool tilesNest(const Layout &layout) {
  for (auto [number, tile] : llvm::enumerate(layout.tiles))
    for (const Layout::Tile &inner :
         ArrayRef(layout.tiles).drop_front(number + 1))
      if (inner.dim == tile.dim && tile.size % inner.size != 0)
        return false;
  return true;
}

//===----------------------------------------------------------------------===//
// The region
//===----------------------------------------------------------------------===//

static unsigned computeBits(Type type) {
  Type element = computeType(getElementTypeOrSelf(type));
  return std::max(element.getIntOrFloatBitWidth(), 8u);
}

/// The width that lanes are counted in. One wide type among narrow ones (an
/// index, say) takes two registers per vector rather than halving all others.
static unsigned laneBits(Block &block) {
  unsigned widest = 8;
  bool hasSingle = false;
  auto visit = [&](Type type) {
    unsigned bits = computeBits(type);
    widest = std::max(widest, bits);
    hasSingle |= bits == 32;
  };
  for (Operation &op : block) {
    llvm::for_each(op.getOperandTypes(), visit);
    llvm::for_each(op.getResultTypes(), visit);
  }
  return widest == 64 && hasSingle ? 32 : widest;
}

int64_t PointwiseNest::elements() const {
  int64_t count = 1;
  for (const IterationDim &dim : dims)
    count *= dim.size;
  return count;
}

SmallVector<int64_t> PointwiseNest::sizes() const {
  return llvm::map_to_vector(dims,
                             [](const IterationDim &dim) { return dim.size; });
}

std::optional<PointwiseNest> PointwiseNest::create(Block &block,
                                                   std::string &reason) {
  for (Operation &op : block.without_terminator())
    if (!isPointwise(&op, reason))
      return std::nullopt;
  SmallVector<Value> results(block.getTerminator()->getOperands());
  if (results.empty())
    return std::nullopt;
  SmallVector<RankedTensorType> types;
  for (Value result : results)
    types.push_back(cast<RankedTensorType>(result.getType()));
  for (auto [number, type] : llvm::enumerate(types)) {
    if (!type.hasStaticShape()) {
      reason = "shapes that are only known at run time";
      return std::nullopt;
    }
    Layout layout = getLayout(type);
    std::vector<int64_t> shape(type.getShape().begin(), type.getShape().end());
    if (!tilesNest(layout) || !layout.physicalElements(shape)) {
      reason = "a layout that no buffer has";
      return std::nullopt;
    }
    bool isTiled = !layout.isStrided();
    if (type.getShape() != types[0].getShape() || (isTiled && number > 0)) {
      reason = "results of different shapes or packed results beside others";
      return std::nullopt;
    }
  }

  PointwiseNest nest;
  LinearAccess first;
  addPhysicalDims(nest, types[0], first);
  nest.resultAccesses.push_back(first);
  for (RankedTensorType type : llvm::drop_begin(types))
    nest.resultAccesses.push_back(overLoops(nest, *linearAccess(type)));
  nest.computeBits = laneBits(block);
  if (auto sources = findStridedSources(results)) {
    nest.isLinear = true;
    nest.sources = std::move(*sources);
    for (const StridedSource &source : nest.sources) {
      std::optional<LinearAccess> access = linearAccess(source);
      if (!access) {
        nest.isLinear = false;
        break;
      }
      nest.sourceAccesses.push_back(overLoops(nest, *access));
    }
  }
  if (!nest.isLinear) {
    nest.sources.clear();
    nest.sourceAccesses.clear();
  }
  if (nest.dims.empty()) {
    // A scalar is computed once.
    nest.dims.push_back({1, 0, 1});
    for (LinearAccess &access : nest.sourceAccesses)
      access.strides.push_back(0);
    for (LinearAccess &access : nest.resultAccesses)
      access.strides.push_back(0);
  }
  simplifyLoops(nest, nest.isLinear);
  return nest;
}

//===----------------------------------------------------------------------===//
// Choosing
//===----------------------------------------------------------------------===//

/// The loop along which an operand that strides through memory along the lanes
/// is contiguous; that of the operand with most elements.
static int64_t chooseBlock(const PointwiseNest &nest, int64_t lanes) {
  int64_t lane = nest.dims.size() - 1, block = -1;
  if (lanes < 4 || nest.dims[lane].size < lanes || nest.isPadded(lane))
    return -1;
  for (const LinearAccess &access : nest.sourceAccesses) {
    if (std::abs(access.strides[lane]) <= 1)
      continue;
    for (int64_t dim = 0; dim < lane; ++dim)
      if (access.strides[dim] == 1 && nest.dims[dim].size >= lanes &&
          !nest.isPadded(dim) &&
          (block < 0 || nest.dims[dim].size > nest.dims[block].size))
        block = dim;
  }
  return block;
}

/// Lanes along the innermost loop. Ranges shorter than a register take the
/// largest power of two in them; the last vector of a range overlaps the one
/// before it, except inside tiles.
static int64_t chooseLanes(const PointwiseNest &nest,
                           const CpuDescription &cpu) {
  const IterationDim &inner = nest.dims.back();
  int64_t lanes = cpu.vectorBytes * 8 / nest.computeBits;
  int64_t fitting =
      llvm::bit_floor(static_cast<uint64_t>(std::max<int64_t>(inner.size, 1)));
  lanes = std::min(lanes, fitting);
  if (nest.isPadded(nest.dims.size() - 1))
    while (inner.size % lanes != 0)
      lanes /= 2;
  return std::max<int64_t>(lanes, 1);
}

PointwiseSchedule PointwiseSchedule::choose(const PointwiseNest &nest,
                                            const CpuDescription &cpu) {
  PointwiseSchedule schedule;
  schedule.lanes = chooseLanes(nest, cpu);
  schedule.block =
      nest.isLinear ? chooseBlock(nest, schedule.lanes) : int64_t(-1);
  unsigned lane = nest.dims.size() - 1;
  SmallVector<int64_t> alignment(nest.dims.size(), 1);
  alignment[lane] = schedule.lanes;
  if (schedule.block >= 0)
    alignment[schedule.block] = schedule.lanes;
  schedule.tiles = TileSplit::choose(
      nest.sizes(), alignment,
      schedule.block >= 0 ? static_cast<unsigned>(schedule.block) : lane,
      static_cast<double>(nest.elements()));
  return schedule;
}

PointwiseSchedule PointwiseSchedule::fromConfig(graph::ConfigAttr config) {
  PointwiseSchedule schedule;
  schedule.lanes = config.getParam("lanes", 1);
  schedule.block = config.getParam("block", -1);
  schedule.tiles = TileSplit::fromConfig(config);
  return schedule;
}

DictionaryAttr PointwiseSchedule::toParams(MLIRContext *context) const {
  Builder builder(context);
  NamedAttrList params;
  params.set("lanes", builder.getI64IntegerAttr(lanes));
  if (block >= 0)
    params.set("block", builder.getI64IntegerAttr(block));
  tiles.addParams(builder, params);
  return params.getDictionary(context);
}
