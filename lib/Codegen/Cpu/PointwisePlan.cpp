// How a pointwise kernel iterates: dims in memory order, lanes, tiles.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Codegen/Cpu/PointwisePlan.h"
#include "atc/Codegen/Cpu/NarrowTypes.h"
#include "atc/Dialect/Graph/IR/KernelSizes.h"
#include "atc/Target/TensorLayout.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::atc;
using namespace mlir::atc::cpu;

using Layout = ::atc::PhysicalLayout;

//===----------------------------------------------------------------------===//
// Loops in memory order
//===----------------------------------------------------------------------===//

/// One loop per physical dim of a tensor with tiles; fills the strides of its
/// own accesses.
static void addTiledDims(PointwiseNest &nest, RankedTensorType type,
                         LinearAccess &access) {
  MLIRContext *context = type.getContext();
  auto expr = [&](int64_t value) {
    return getAffineConstantExpr(value, context);
  };
  Layout layout = getLayout(type);
  std::vector<int64_t> shape(type.getShape().begin(), type.getShape().end());
  std::vector<int64_t> physical = *layout.physicalShape(shape);
  int64_t stride = 1;
  access.strides.assign(physical.size(), expr(1));
  for (size_t i = physical.size(); i-- > 1;) {
    stride *= physical[i];
    access.strides[i - 1] = expr(stride);
  }
  access.base =
      expr(layout.offset(shape, std::vector<int64_t>(shape.size(), 0)));

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
    bool isPadded = factor > 1 && physical[position] * factor > shape[dim];
    nest.dims.push_back({expr(size), dim, factor, isPadded ? shape[dim] : 0});
  }
  for (auto [number, tile] : llvm::enumerate(layout.tiles)) {
    int64_t factor = nextTile(tile.dim, number + 1);
    nest.dims.push_back({expr(physical[layout.permutation.size() + number]),
                         tile.dim, factor,
                         tile.size % factor != 0 ? tile.size : 0});
  }
}

/// One loop per dim of a tensor without tiles, in memory order.
static void addStridedDims(PointwiseNest &nest, Value tensor,
                           LinearAccess &access) {
  Layout layout = getLayout(cast<RankedTensorType>(tensor.getType()));
  AffineMap sizes = *graph::getKernelSizes(tensor);
  LinearAccess logical = *linearAccess(tensor);
  access.base = logical.base;
  for (unsigned dim : layout.permutation) {
    nest.dims.push_back({sizes.getResult(dim), dim, 1});
    access.strides.push_back(logical.strides[dim]);
  }
}

/// Strides over logical dims as strides over loops.
static LinearAccess overLoops(const PointwiseNest &nest,
                              const LinearAccess &logical) {
  LinearAccess access;
  access.base = logical.base;
  for (const IterationDim &dim : nest.dims)
    access.strides.push_back(logical.strides[dim.logicalDim] * dim.factor);
  return access;
}

/// Leaves the limit of a removed loop, which counted nothing, to the next loop
/// over the same dim from `first` on.
static void passLimit(PointwiseNest &nest, size_t first,
                      const IterationDim &removed) {
  if (!removed.limit)
    return;
  for (size_t i = first; i < nest.dims.size(); ++i) {
    IterationDim &dim = nest.dims[i];
    if (dim.logicalDim != removed.logicalDim)
      continue;
    dim.limit = dim.limit ? std::min(dim.limit, removed.limit) : removed.limit;
    return;
  }
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
    if (!isConstantSize(nest.dims[i].size, 1) || nest.dims.size() == 1) {
      ++i;
      continue;
    }
    IterationDim removed = nest.dims[i];
    nest.dims.erase(nest.dims.begin() + i);
    forAll([&](LinearAccess &access) {
      access.strides.erase(access.strides.begin() + i);
    });
    passLimit(nest, i, removed);
  }
  for (size_t i = 0; mayMerge && i + 1 < nest.dims.size();) {
    AffineExpr inner = nest.dims[i + 1].size;
    bool merges = !nest.isPadded(i) && !nest.isPadded(i + 1);
    forAll([&](LinearAccess &access) {
      merges &=
          access.strides[i] == multiplySizes(access.strides[i + 1], inner);
    });
    if (!merges) {
      ++i;
      continue;
    }
    nest.dims[i + 1].size = multiplySizes(inner, nest.dims[i].size);
    nest.dims.erase(nest.dims.begin() + i);
    forAll([&](LinearAccess &access) {
      access.strides.erase(access.strides.begin() + i);
    });
  }
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

double PointwiseNest::elements() const {
  double count = 1;
  for (const IterationDim &dim : dims)
    count *= typicalSize(dim.size);
  return count;
}

SmallVector<AffineExpr> PointwiseNest::sizes() const {
  return llvm::map_to_vector(dims,
                             [](const IterationDim &dim) { return dim.size; });
}

SmallVector<int64_t> mlir::atc::cpu::knownSizes(ArrayRef<AffineExpr> sizes) {
  return llvm::map_to_vector(sizes, [](AffineExpr size) {
    return getConstantSize(size).value_or(ShapedType::kDynamic);
  });
}

/// Whether kernels can write results of these layouts side by side.
static bool haveSupportedLayouts(ArrayRef<Value> results, std::string &reason) {
  for (auto [number, result] : llvm::enumerate(results)) {
    auto type = cast<RankedTensorType>(result.getType());
    Layout layout = getLayout(type);
    std::vector<int64_t> shape(type.getShape().begin(), type.getShape().end());
    bool isTiled = !layout.isStrided();
    if ((isTiled && !type.hasStaticShape()) ||
        (type.hasStaticShape() && !layout.physicalElements(shape))) {
      reason = "a layout that no buffer has";
      return false;
    }
    // Threads would write into the same bytes; only static sizes are kept from
    // being divided among them.
    if (isPacked(type.getElementType()) && !type.hasStaticShape()) {
      reason = "elements of less than a byte in a result of open size";
      return false;
    }
    if (!graph::haveSameKernelSizes(result, results[0]) ||
        (isTiled && number > 0)) {
      reason = "results of different shapes or packed results beside others";
      return false;
    }
  }
  return true;
}

std::optional<PointwiseNest> PointwiseNest::create(Block &block,
                                                   std::string &reason) {
  for (Operation &op : block.without_terminator())
    if (!isKernelPointwise(&op, reason))
      return std::nullopt;
  SmallVector<Value> results(block.getTerminator()->getOperands());
  if (results.empty())
    return std::nullopt;
  for (Value result : results)
    if (!graph::getKernelSizes(result)) {
      reason = "shapes that are only known at run time";
      return std::nullopt;
    }
  if (!haveSupportedLayouts(results, reason))
    return std::nullopt;

  PointwiseNest nest;
  LinearAccess first;
  auto firstType = cast<RankedTensorType>(results[0].getType());
  if (getLayout(firstType).isStrided())
    addStridedDims(nest, results[0], first);
  else
    addTiledDims(nest, firstType, first);
  nest.resultAccesses.push_back(first);
  for (Value result : llvm::drop_begin(results))
    nest.resultAccesses.push_back(overLoops(nest, *linearAccess(result)));
  nest.computeBits = laneBits(block);
  nest.hasPackedResult = llvm::any_of(results, [](Value result) {
    return isPacked(getElementTypeOrSelf(result));
  });
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
    MLIRContext *context = firstType.getContext();
    AffineExpr zero = getAffineConstantExpr(0, context);
    nest.dims.push_back({getAffineConstantExpr(1, context), 0, 1});
    for (LinearAccess &access : nest.sourceAccesses)
      access.strides.push_back(zero);
    for (LinearAccess &access : nest.resultAccesses)
      access.strides.push_back(zero);
  }
  simplifyLoops(nest, nest.isLinear);
  return nest;
}

//===----------------------------------------------------------------------===//
// Choosing
//===----------------------------------------------------------------------===//

/// Whether an access leaves gaps between, or turns around, neighbours of a
/// loop; a stride that is not known may be 0 or 1.
static bool isStrided(const LinearAccess &access, size_t loop) {
  std::optional<int64_t> stride = getConstantSize(access.strides[loop]);
  return stride ? std::abs(*stride) > 1 : typicalSize(access.strides[loop]) > 1;
}

bool mlir::atc::cpu::isGatheredAlong(const LinearAccess &access, size_t block,
                                     size_t lane) {
  return isConstantSize(access.strides[block], 1) && isStrided(access, lane);
}

/// The loop along which an operand that strides through memory along the lanes
/// is contiguous; that of the operand with most elements. An open loop counts
/// as a long one.
static int64_t chooseBlock(const PointwiseNest &nest, int64_t lanes) {
  int64_t lane = nest.dims.size() - 1, block = -1;
  auto isShort = [&](int64_t dim) {
    std::optional<int64_t> size = getConstantSize(nest.dims[dim].size);
    return size && *size < lanes;
  };
  if (lanes < 4 || isShort(lane) || nest.isPadded(lane))
    return -1;
  for (const LinearAccess &access : nest.sourceAccesses)
    for (int64_t dim = 0; dim < lane; ++dim)
      if (isGatheredAlong(access, dim, lane) && !isShort(dim) &&
          !nest.isPadded(dim) &&
          (block < 0 || typicalSize(nest.dims[dim].size) >
                            typicalSize(nest.dims[block].size)))
        block = dim;
  return block;
}

/// Lanes along the innermost loop. Ranges shorter than a register take the
/// largest power of two in them; the last vector of a range overlaps the one
/// before it, except inside tiles.
static int64_t chooseLanes(const PointwiseNest &nest,
                           const CpuDescription &cpu) {
  int64_t lanes = cpu.vectorBytes * 8 / nest.computeBits;
  std::optional<int64_t> size = getConstantSize(nest.dims.back().size);
  if (!size)
    return lanes;
  int64_t fitting =
      llvm::bit_floor(static_cast<uint64_t>(std::max<int64_t>(*size, 1)));
  lanes = std::min(lanes, fitting);
  if (nest.isPadded(nest.dims.size() - 1))
    while (*size % lanes != 0)
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
  unsigned last =
      schedule.block >= 0 ? static_cast<unsigned>(schedule.block) : lane;
  SmallVector<int64_t> sizes = knownSizes(nest.sizes());
  if (!llvm::is_contained(sizes, ShapedType::kDynamic)) {
    // Bytes of packed results are not divided among threads.
    schedule.tiles = TileSplit::choose(
        sizes, alignment, last, nest.hasPackedResult ? 0.0 : nest.elements());
    return schedule;
  }
  double inner = 1;
  for (const IterationDim &dim : ArrayRef(nest.dims).drop_front(last + 1))
    inner *= typicalSize(dim.size);
  schedule.tiles = TileSplit::chooseOpen(sizes, alignment, last, inner);
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
