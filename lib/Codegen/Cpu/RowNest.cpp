// How a kernel iterates that combines elements along some dims.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Codegen/Cpu/RowNest.h"
#include "atc/Dialect/Graph/IR/KernelSizes.h"
#include "atc/Target/TensorLayout.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::atc;
using namespace mlir::atc::cpu;

AffineExpr RowNest::rowSize() const {
  SmallVector<AffineExpr> sizes = llvm::map_to_vector(
      row, [](const IterationDim &dim) { return dim.size; });
  return multiplySizes(sizes, sizes.front().getContext());
}

SmallVector<AffineExpr> RowNest::keptSizes() const {
  return llvm::map_to_vector(kept,
                             [](const IterationDim &dim) { return dim.size; });
}

bool RowNest::isOpenAlongLanes() const {
  return !getConstantSize(isVertical ? kept.back().size : row.back().size);
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

namespace {

class RowAnalysis {
public:
  RowAnalysis(const RowProblem &problem) : problem(problem) {
    nest.kept = problem.kept;
    nest.row = problem.row;
  }
  RowNest run();

private:
  bool analyse(RowTensors &tensors, ArrayRef<Value> bound);
  bool analyseResults();
  void forAllAccesses(function_ref<void(LinearAccess &)> body);
  LinearAccess overLoops(const LinearAccess &logical);

  void orderLoops();
  /// Moves loop `from` (kept loops first) to position `to` of the same kind.
  void moveLoop(size_t from, size_t to);
  void dropUnitLoops();
  void mergeLoops(SmallVector<IterationDim> &dims, size_t offset);
  void chooseDirection();

  const RowProblem &problem;
  RowNest nest;
};

} // namespace

LinearAccess RowAnalysis::overLoops(const LinearAccess &logical) {
  LinearAccess access;
  access.base = logical.base;
  for (const IterationDim &dim :
       llvm::concat<IterationDim>(nest.kept, nest.row))
    access.strides.push_back(logical.strides[dim.logicalDim] * dim.factor);
  return access;
}

bool RowAnalysis::analyse(RowTensors &tensors, ArrayRef<Value> bound) {
  auto sources = findStridedSources(tensors.tensors, bound);
  if (!sources)
    return false;
  tensors.sources = std::move(*sources);
  for (const StridedSource &source : tensors.sources) {
    std::optional<LinearAccess> access = linearAccess(source);
    if (!access)
      return false;
    tensors.accesses.push_back(overLoops(*access));
  }
  return true;
}

bool RowAnalysis::analyseResults() {
  Value anchor = problem.anchor->getResult(0);
  if (!analyse(nest.results, anchor))
    return false;
  for (Value result : problem.results) {
    std::optional<LinearAccess> access = linearAccess(result);
    // An epilogue that moves elements needs their logical index.
    if (!access || !graph::haveSameKernelSizes(result, anchor))
      return false;
    nest.resultAccesses.push_back(overLoops(*access));
  }
  return true;
}

/// Whether ops between the anchor and `result` leave every element in place.
static bool staysInPlace(Value anchor, Value result) {
  llvm::SetVector<Value> pending;
  pending.insert(result);
  for (size_t i = 0; i < pending.size(); ++i) {
    Operation *op = pending[i].getDefiningOp();
    if (!op || pending[i] == anchor)
      continue;
    if (!isa<graph::ScalarBodyInterface>(op)) {
      // Movement is fine as long as the anchor is not behind it.
      llvm::SetVector<Value> behind;
      behind.insert(op->operand_begin(), op->operand_end());
      for (size_t j = 0; j < behind.size(); ++j) {
        if (behind[j] == anchor)
          return false;
        if (Operation *producer = behind[j].getDefiningOp())
          behind.insert(producer->operand_begin(), producer->operand_end());
      }
      continue;
    }
    pending.insert(op->operand_begin(), op->operand_end());
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

void RowAnalysis::forAllAccesses(function_ref<void(LinearAccess &)> body) {
  for (RowTensors *tensors : {&nest.input, &nest.parameters, &nest.results})
    for (LinearAccess &access : tensors->accesses)
      body(access);
  for (LinearAccess &access : nest.resultAccesses)
    body(access);
}

void RowAnalysis::moveLoop(size_t from, size_t to) {
  auto move = [&](auto &list, size_t offset) {
    auto moved = list[from - offset];
    list.erase(list.begin() + (from - offset));
    list.insert(list.begin() + (to - offset), moved);
  };
  if (from < nest.kept.size())
    move(nest.kept, 0);
  else
    move(nest.row, nest.kept.size());
  forAllAccesses([&](LinearAccess &access) { move(access.strides, 0); });
}

/// Loops in the order of memory: large strides outside. The input's largest
/// source decides; without one, the logical order stays.
void RowAnalysis::orderLoops() {
  if (!nest.isLinear || nest.input.accesses.empty())
    return;
  auto strideOf = [&](size_t loop) {
    double stride = 0;
    for (LinearAccess &access : nest.input.accesses)
      stride = std::max(stride, std::abs(typicalSize(access.strides[loop])));
    return stride;
  };
  // Insertion sort: there are few loops, and moves must reach all accesses.
  auto sort = [&](size_t begin, size_t end) {
    for (size_t i = begin + 1; i < end; ++i)
      for (size_t j = i; j > begin && strideOf(j - 1) < strideOf(j); --j)
        moveLoop(j, j - 1);
  };
  sort(0, nest.kept.size());
  sort(nest.kept.size(), nest.kept.size() + nest.row.size());
}

void RowAnalysis::dropUnitLoops() {
  auto drop = [&](SmallVector<IterationDim> &dims, size_t offset) {
    for (size_t i = 0; i < dims.size();) {
      if (!isConstantSize(dims[i].size, 1)) {
        ++i;
        continue;
      }
      dims.erase(dims.begin() + i);
      forAllAccesses([&](LinearAccess &access) {
        access.strides.erase(access.strides.begin() + offset + i);
      });
    }
  };
  drop(nest.kept, 0);
  drop(nest.row, nest.kept.size());
}

void RowAnalysis::mergeLoops(SmallVector<IterationDim> &dims, size_t offset) {
  for (size_t i = 0; i + 1 < dims.size();) {
    bool merges = true;
    forAllAccesses([&](LinearAccess &access) {
      merges &= access.strides[offset + i] ==
                multiplySizes(access.strides[offset + i + 1], dims[i + 1].size);
    });
    if (!merges) {
      ++i;
      continue;
    }
    dims[i + 1].size = multiplySizes(dims[i + 1].size, dims[i].size);
    dims.erase(dims.begin() + i);
    forAllAccesses([&](LinearAccess &access) {
      access.strides.erase(access.strides.begin() + offset + i);
    });
  }
}

/// Vectors follow the loop along which most accesses are contiguous.
void RowAnalysis::chooseDirection() {
  size_t loops = nest.kept.size() + nest.row.size();
  SmallVector<int64_t> votes(loops, 0);
  if (nest.isLinear) {
    forAllAccesses([&](LinearAccess &access) {
      for (size_t loop = 0; loop < loops; ++loop)
        votes[loop] += isConstantSize(access.strides[loop], 1) ||
                       isConstantSize(access.strides[loop], -1);
    });
  } else if (loops > 0) {
    // The last logical dim that has a loop.
    size_t last = 0;
    auto dimOf = [&](size_t loop) {
      return loop < nest.kept.size() ? nest.kept[loop]
                                     : nest.row[loop - nest.kept.size()];
    };
    for (size_t loop = 1; loop < loops; ++loop)
      if (std::pair(dimOf(loop).logicalDim, -dimOf(loop).factor) >
          std::pair(dimOf(last).logicalDim, -dimOf(last).factor))
        last = loop;
    votes[last] = 1;
  }
  size_t best = nest.kept.size();
  for (size_t loop = 0; loop < loops; ++loop)
    if (best >= loops || votes[loop] > votes[best])
      best = loop;
  if (loops > 0 && best < loops) {
    nest.isVertical = best < nest.kept.size();
    moveLoop(best, nest.isVertical ? nest.kept.size() - 1 : loops - 1);
  }
}

RowNest RowAnalysis::run() {
  AffineMap identity = getKernelIdentityMap(problem.input);
  nest.input.tensors.push_back({problem.input, identity});
  nest.parameters.tensors = problem.parameters;
  for (Value result : problem.results)
    nest.results.tensors.push_back({result, identity});
  Value anchor = problem.anchor->getResult(0);
  nest.isLinear = analyse(nest.input, {}) && analyse(nest.parameters, {}) &&
                  llvm::all_of(problem.results,
                               [&](Value result) {
                                 return staysInPlace(anchor, result);
                               }) &&
                  analyseResults();
  if (!nest.isLinear) {
    for (RowTensors *tensors : {&nest.input, &nest.parameters, &nest.results}) {
      tensors->sources.clear();
      tensors->accesses.clear();
    }
    nest.resultAccesses.clear();
  }
  dropUnitLoops();
  orderLoops();
  // Results of one element per row need the logical index of kept loops.
  if (nest.isLinear) {
    mergeLoops(nest.row, nest.kept.size());
    if (!problem.results.empty())
      mergeLoops(nest.kept, 0);
  }
  chooseDirection();
  // A kernel has at least one loop of each kind.
  MLIRContext *context = problem.anchor->getContext();
  auto ensure = [&](SmallVector<IterationDim> &dims, size_t position) {
    if (!dims.empty())
      return;
    dims.push_back({getAffineConstantExpr(1, context), 0, 0});
    forAllAccesses([&](LinearAccess &access) {
      access.strides.insert(access.strides.begin() + position,
                            getAffineConstantExpr(0, context));
    });
  };
  ensure(nest.kept, 0);
  ensure(nest.row, nest.kept.size());
  nest.computeBits =
      std::max(computeType(getElementTypeOrSelf(problem.input.getType()))
                   .getIntOrFloatBitWidth(),
               8u);
  for (Operation &op : *problem.anchor->getBlock()) {
    if (&op == problem.anchor)
      break;
    nest.prologueOps += !isa<graph::ConstantOp>(op);
  }
  return std::move(nest);
}

RowNest RowNest::create(const RowProblem &problem) {
  return RowAnalysis(problem).run();
}

//===----------------------------------------------------------------------===//
// Choosing
//===----------------------------------------------------------------------===//

RowSchedule RowSchedule::choose(const RowNest &nest, const CpuDescription &cpu,
                                int64_t maximumUnroll) {
  RowSchedule schedule;
  schedule.lanes = cpu.vectorBytes * 8 / nest.computeBits;
  AffineExpr along =
      nest.isVertical ? nest.kept.back().size : nest.row.back().size;
  if (std::optional<int64_t> size = getConstantSize(along)) {
    auto fitting = static_cast<int64_t>(
        llvm::bit_floor(static_cast<uint64_t>(std::max<int64_t>(*size, 1))));
    schedule.lanes = std::min(schedule.lanes, fitting);
    int64_t vectors = *size / schedule.lanes;
    while (schedule.unroll * 2 <= std::min(maximumUnroll, vectors))
      schedule.unroll *= 2;
  } else if (!nest.isVertical) {
    schedule.unroll = maximumUnroll;
  }
  schedule.chooseTiles(nest);
  return schedule;
}

void RowSchedule::chooseTiles(const RowNest &nest) {
  SmallVector<int64_t> alignment(nest.kept.size(), 1);
  if (nest.isVertical)
    alignment.back() = lanes * unroll;
  unsigned last = nest.kept.size() - 1;
  SmallVector<int64_t> sizes = knownSizes(nest.keptSizes());
  double rowWork = std::max(typicalSize(nest.rowSize()), 1.0);
  if (llvm::is_contained(sizes, ShapedType::kDynamic)) {
    tiles = TileSplit::chooseOpen(sizes, alignment, last, rowWork);
    return;
  }
  double rows = 1;
  for (int64_t size : sizes)
    rows *= static_cast<double>(size);
  tiles = TileSplit::choose(sizes, alignment, last, rows * rowWork);
}

RowSchedule RowSchedule::fromConfig(graph::ConfigAttr config) {
  RowSchedule schedule;
  schedule.lanes = config.getParam("lanes", 1);
  schedule.unroll = config.getParam("unroll", 1);
  schedule.tiles = TileSplit::fromConfig(config);
  return schedule;
}

void RowSchedule::addParams(Builder &builder, NamedAttrList &params) const {
  params.set("lanes", builder.getI64IntegerAttr(lanes));
  params.set("unroll", builder.getI64IntegerAttr(unroll));
  tiles.addParams(builder, params);
}
