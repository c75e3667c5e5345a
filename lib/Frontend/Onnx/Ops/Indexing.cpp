// Slices, gathers and scatters.
// SPDX-License-Identifier: Apache-2.0
#include "../NodeBinder.h"
#include "../OpTable.h"
#include "Families.h"

namespace mlir::atc::onnx {
namespace {

static constexpr int64_t kEnd = std::numeric_limits<int64_t>::max();

//===----------------------------------------------------------------------===//
// Slice
//===----------------------------------------------------------------------===//

/// One axis of a slice in the form of graph.slice: ascending, non-negative.
struct SliceRange {
  int64_t start = 0, limit = kEnd, step = 1;
  bool reversed = false;
};

/// Clamps the bounds as ONNX does. Fails where that needs an unknown size.
std::optional<SliceRange> resolveRange(int64_t start, int64_t end, int64_t step,
                                       int64_t size) {
  if (ShapedType::isDynamic(size)) {
    if (step < 0 || start < 0 || end < 0)
      return std::nullopt;
    return SliceRange{start, end, step, false};
  }
  // A step beyond the size picks one element; smaller ones cannot overflow.
  step =
      std::clamp(step, -std::max<int64_t>(size, 1), std::max<int64_t>(size, 1));
  auto fromEnd = [&](int64_t bound) {
    return bound < 0 ? bound + size : bound;
  };
  if (step > 0)
    return SliceRange{std::clamp<int64_t>(fromEnd(start), 0, size),
                      std::clamp<int64_t>(fromEnd(end), 0, size), step, false};
  if (size == 0)
    return SliceRange{0, 0, 1, false};
  int64_t first = std::clamp<int64_t>(fromEnd(start), 0, size - 1);
  int64_t stop = std::clamp<int64_t>(fromEnd(end), -1, size - 1);
  if (first <= stop)
    return SliceRange{0, 0, 1, false};
  // The elements first, first + step, ... above stop, from the last upwards.
  int64_t count = (first - stop - 1) / -step + 1;
  return SliceRange{first + (count - 1) * step, first + 1, -step, true};
}

/// A slice with known bounds.
std::optional<Value> buildStaticSlice(NodeBinder &node, Value x,
                                      ArrayRef<int64_t> axes,
                                      ArrayRef<int64_t> starts,
                                      ArrayRef<int64_t> ends,
                                      ArrayRef<int64_t> steps) {
  RankedTensorType type = node.rankedType(x);
  if (!node.ok())
    return Value();
  SmallVector<SliceRange> ranges(type.getRank());
  for (size_t i = 0; i < axes.size(); ++i) {
    std::optional<SliceRange> range =
        resolveRange(starts[i], ends[i], steps[i], type.getDimSize(axes[i]));
    if (!range)
      return std::nullopt;
    ranges[axes[i]] = *range;
  }
  SmallVector<int64_t> low, high, stride, reversed;
  for (auto [axis, range] : llvm::enumerate(ranges)) {
    low.push_back(range.start);
    high.push_back(range.limit);
    stride.push_back(range.step);
    if (range.reversed)
      reversed.push_back(axis);
  }
  Value slice = node.create<graph::SliceOp>(x, low, high, stride);
  return reversed.empty() ? slice
                          : node.create<graph::ReverseOp>(slice, reversed);
}

/// Bounds are inputs.
void importSlice10(NodeBinder &node) {
  Value x = node.input(0), starts = node.input(1), ends = node.input(2);
  Value steps = node.optionalInput(4);
  RankedTensorType type = node.rankedType(x);
  RankedTensorType startsType = node.rankedType(starts);
  if (!node.ok())
    return;
  SmallVector<int64_t> axes;
  if (Value given = node.optionalInput(3))
    axes = node.constantIntegers(given, "axes");
  else if (startsType.getRank() == 1 && !startsType.isDynamicDim(0))
    axes = llvm::to_vector(llvm::seq<int64_t>(0, startsType.getDimSize(0)));
  else
    node.unsupported("an unknown number of axes");
  node.axes(axes, type.getRank());
  for (int64_t &axis : axes)
    axis = node.axis(axis, type.getRank());
  if (!node.ok())
    return;

  std::optional<SmallVector<int64_t>> knownStarts = node.knownIntegers(starts);
  std::optional<SmallVector<int64_t>> knownEnds = node.knownIntegers(ends);
  std::optional<SmallVector<int64_t>> knownSteps =
      steps ? node.knownIntegers(steps) : SmallVector<int64_t>(axes.size(), 1);
  if (knownStarts && knownEnds && knownSteps) {
    if (knownStarts->size() != axes.size() ||
        knownEnds->size() != axes.size() || knownSteps->size() != axes.size())
      return node.invalid("starts, ends, axes and steps differ in length");
    if (llvm::is_contained(*knownSteps, 0))
      return node.invalid("a step of 0");
    std::optional<Value> slice =
        buildStaticSlice(node, x, axes, *knownStarts, *knownEnds, *knownSteps);
    if (slice)
      return node.result(0, *slice);
  }
  node.result(0,
              node.create<graph::SliceDynamicOp>(x, starts, ends, steps, axes));
}

/// Bounds are attributes.
void importSlice1(NodeBinder &node) {
  Value x = node.input(0);
  std::optional<SmallVector<int64_t>> starts = node.integers("starts");
  std::optional<SmallVector<int64_t>> ends = node.integers("ends");
  std::optional<SmallVector<int64_t>> axes = node.integers("axes");
  RankedTensorType type = node.rankedType(x);
  if (!node.ok())
    return;
  if (!starts || !ends || starts->size() != ends->size())
    return node.invalid("starts and ends differ in length");
  if (!axes)
    axes = llvm::to_vector(llvm::seq<int64_t>(0, starts->size()));
  if (axes->size() != starts->size())
    return node.invalid("starts and axes differ in length");
  node.axes(*axes, type.getRank());
  for (int64_t &axis : *axes)
    axis = node.axis(axis, type.getRank());
  if (!node.ok())
    return;
  SmallVector<int64_t> steps(axes->size(), 1);
  std::optional<Value> slice =
      buildStaticSlice(node, x, *axes, *starts, *ends, steps);
  node.result(0, slice ? *slice
                       : node.create<graph::SliceDynamicOp>(
                             x, node.integerList(*starts),
                             node.integerList(*ends), Value(), *axes));
}

//===----------------------------------------------------------------------===//
// Split
//===----------------------------------------------------------------------===//

/// Consecutive parts of known sizes.
void buildSplit(NodeBinder &node, Value x, int64_t axis,
                ArrayRef<int64_t> sizes) {
  RankedTensorType type = node.rankedType(x);
  if (!node.ok())
    return;
  if (sizes.size() != node.getNumOutputs())
    return node.invalid(Twine(sizes.size()) + " sizes for " +
                        Twine(node.getNumOutputs()) + " outputs");
  SmallVector<int64_t> starts(type.getRank(), 0), limits(type.getRank(), kEnd),
      steps(type.getRank(), 1);
  int64_t total = 0;
  for (auto [index, size] : llvm::enumerate(sizes)) {
    if (size < 0 || size > kEnd - total)
      return node.invalid("a part of size " + Twine(size));
    starts[axis] = total;
    total += size;
    limits[axis] = total;
    node.result(index, node.create<graph::SliceOp>(x, starts, limits, steps));
  }
  if (!type.isDynamicDim(axis) && total != type.getDimSize(axis))
    node.invalid("parts of size " + Twine(total) + " of a dimension of size " +
                 Twine(type.getDimSize(axis)));
}

/// Equal parts of a dim of unknown size.
void buildDynamicSplit(NodeBinder &node, Value x, int64_t axis) {
  int64_t count = node.getNumOutputs();
  Value size = node.create<graph::AddOp>(node.sizes(x, axis, axis + 1),
                                         node.integerList({count - 1}));
  Value part = node.create<graph::DivOp>(size, node.integerList({count}));
  for (int64_t i = 0; i < count; ++i) {
    Value start = node.create<graph::MulOp>(part, node.integerList({i}));
    Value end = node.create<graph::AddOp>(start, part);
    node.result(i, node.create<graph::SliceDynamicOp>(x, start, end, Value(),
                                                      ArrayRef<int64_t>{axis}));
  }
}

void importSplit(NodeBinder &node) {
  Value x = node.input(0);
  int64_t axis = node.integer("axis", 0);
  RankedTensorType type = node.rankedType(x);
  if (!node.ok())
    return;
  axis = node.axis(axis, type.getRank());
  std::optional<SmallVector<int64_t>> sizes;
  if (node.getVersion() < 13)
    sizes = node.integers("split");
  else if (Value given = node.optionalInput(1))
    sizes = node.constantIntegers(given, "sizes of parts");
  int64_t count = node.getNumOutputs();
  if (node.getVersion() >= 18 && node.hasAttribute("num_outputs")) {
    int64_t asked = node.requiredInteger("num_outputs");
    if (sizes)
      node.invalid("both sizes and 'num_outputs' are given");
    else if (asked != count)
      node.invalid("attribute 'num_outputs' holds " + Twine(asked) +
                   ", the "
                   "node has " +
                   Twine(count) + " outputs");
  }
  if (!node.ok() || count == 0)
    return;
  if (sizes)
    return buildSplit(node, x, axis, *sizes);
  int64_t size = type.getDimSize(axis);
  if (ShapedType::isDynamic(size))
    return buildDynamicSplit(node, x, axis);
  // Equal parts; from 18 on the last may be smaller.
  if (node.getVersion() < 18 && size % count != 0)
    return node.invalid("a dimension of size " + Twine(size) + " in " +
                        Twine(count) + " equal parts");
  int64_t part = (size + count - 1) / count;
  SmallVector<int64_t> parts;
  for (int64_t rest = size; static_cast<int64_t>(parts.size()) < count;) {
    parts.push_back(std::min(part, rest));
    rest -= parts.back();
  }
  buildSplit(node, x, axis, parts);
}

//===----------------------------------------------------------------------===//
// Gather and scatter
//===----------------------------------------------------------------------===//

/// Refuses indices that are known to lie outside of a dim. `stride` tells which
/// of the list count for it: every stride-th one from `first` on.
void checkIndices(NodeBinder &node, Value indices, int64_t size,
                  int64_t first = 0, int64_t stride = 1) {
  if (!node.ok() || ShapedType::isDynamic(size))
    return;
  DenseIntElementsAttr known;
  if (!matchPattern(indices, m_Constant(&known)) || known.empty())
    return;
  auto check = [&](const APInt &index) {
    int64_t value = index.getSExtValue();
    if (value < -size || value >= size)
      node.invalid("index " + Twine(value) +
                   " is outside of a dimension of "
                   "size " +
                   Twine(size));
  };
  // Equal for all, which may be many.
  if (known.isSplat())
    return check(known.getSplatValue<APInt>());
  int64_t position = 0;
  for (const APInt &index : known.getValues<APInt>())
    if (position++ % stride == first)
      check(index);
}

template <typename OpTy>
void importGather(NodeBinder &node) {
  Value x = node.input(0), indices = node.input(1);
  int64_t axis = node.integer("axis", 0);
  RankedTensorType type = node.rankedType(x);
  if (!node.ok())
    return;
  axis = node.axis(axis, type.getRank());
  if (!node.ok())
    return;
  checkIndices(node, indices, type.getDimSize(axis));
  node.result(0, node.create<OpTy>(x, indices, axis));
}

/// Refuses tuples into the dims from `first` on that are known to lie outside.
void checkTuples(NodeBinder &node, Value x, Value indices, int64_t first) {
  RankedTensorType type = node.rankedType(x);
  RankedTensorType indexType = node.rankedType(indices);
  if (!node.ok() || indexType.getRank() == 0)
    return;
  int64_t length = indexType.getShape().back();
  if (ShapedType::isDynamic(length) || first + length > type.getRank())
    return;
  for (int64_t i = 0; i < length; ++i)
    checkIndices(node, indices, type.getDimSize(first + i), i, length);
}

void importGatherND(NodeBinder &node) {
  Value x = node.input(0), indices = node.input(1);
  int64_t batchDims =
      node.getVersion() >= 12 ? node.integer("batch_dims", 0) : 0;
  if (batchDims < 0)
    node.invalid("attribute 'batch_dims' holds " + Twine(batchDims));
  checkTuples(node, x, indices, batchDims);
  node.result(0, node.create<graph::GatherNDOp>(x, indices, batchDims));
}

graph::ScatterReduction readReduction(NodeBinder &node) {
  using graph::ScatterReduction;
  if (node.getVersion() < 16)
    return ScatterReduction::none;
  if (node.getVersion() < 18)
    return node.choice<ScatterReduction>("reduction", "none",
                                         {{"none", ScatterReduction::none},
                                          {"add", ScatterReduction::add},
                                          {"mul", ScatterReduction::mul}});
  return node.choice<ScatterReduction>("reduction", "none",
                                       {{"none", ScatterReduction::none},
                                        {"add", ScatterReduction::add},
                                        {"mul", ScatterReduction::mul},
                                        {"max", ScatterReduction::max},
                                        {"min", ScatterReduction::min}});
}

void importScatterElements(NodeBinder &node) {
  Value x = node.input(0), indices = node.input(1), updates = node.input(2);
  int64_t axis = node.integer("axis", 0);
  graph::ScatterReduction reduction = readReduction(node);
  RankedTensorType type = node.rankedType(x);
  if (!node.ok())
    return;
  axis = node.axis(axis, type.getRank());
  if (!node.ok())
    return;
  checkIndices(node, indices, type.getDimSize(axis));
  node.result(0, node.create<graph::ScatterElementsOp>(x, indices, updates,
                                                       axis, reduction));
}

void importScatterND(NodeBinder &node) {
  Value x = node.input(0), indices = node.input(1), updates = node.input(2);
  graph::ScatterReduction reduction = readReduction(node);
  checkTuples(node, x, indices, 0);
  node.result(0,
              node.create<graph::ScatterNDOp>(x, indices, updates, reduction));
}

/// The only element of a tensor, as a tensor of rank 0.
Value toScalar(NodeBinder &node, Value value) {
  return node.reshape(value, ArrayRef<int64_t>());
}

void importOneHot(NodeBinder &node) {
  Value indices = node.input(0), depth = node.input(1), values = node.input(2);
  int64_t axis = node.integer("axis", -1);
  RankedTensorType type = node.rankedType(indices);
  if (!node.ok())
    return;
  axis = node.axis(axis, type.getRank() + 1);
  Type i64 = node.getBuilder().getI64Type();
  RankedTensorType pairType = node.rankedType(values);
  if (node.ok() && (pairType.getRank() != 1 ||
                    (!pairType.isDynamicDim(0) && pairType.getDimSize(0) != 2)))
    node.invalid("the values are not two");
  if (std::optional<SmallVector<int64_t>> known = node.knownIntegers(depth);
      known && known->size() == 1 && known->front() < 0)
    node.invalid("a depth of " + Twine(known->front()));
  // Before 11 negative indices are out of range.
  if (node.getVersion() < 11) {
    Value zero = node.scalarLike(0.0, indices);
    Value negative = node.create<graph::CompareOp>(graph::ComparePredicate::lt,
                                                   indices, zero);
    Value outside = node.cast(toScalar(node, depth), type.getElementType());
    indices = node.create<graph::SelectOp>(negative, outside, indices);
  }
  auto pick = [&](int64_t index) {
    return toScalar(
        node, node.create<graph::SliceOp>(values, ArrayRef<int64_t>{index},
                                          ArrayRef<int64_t>{index + 1},
                                          ArrayRef<int64_t>{1}));
  };
  Value off = pick(0), on = pick(1);
  node.result(
      0, node.create<graph::OneHotOp>(
             indices, node.cast(toScalar(node, depth), i64), on, off, axis));
}

} // namespace

void registerIndexingOps(OpTable &table) {
  table.on("Gather", {1, 11, 13}, importGather<graph::GatherOp>);
  table.on("GatherElements", {11, 13}, importGather<graph::GatherElementsOp>);
  table.on("GatherND", {11, 12, 13}, importGatherND);
  table.on("OneHot", {9, 11, 28}, importOneHot);
  table.on("Scatter", {9}, importScatterElements);
  table.on("ScatterElements", {11, 13, 16, 18}, importScatterElements);
  table.on("ScatterND", {11, 13, 16, 18}, importScatterND);
  table.on("Slice", {1}, importSlice1);
  table.on("Slice", {10, 11, 13}, importSlice10);
  table.on("Split", {2, 11, 13, 18}, importSplit);
}

} // namespace mlir::atc::onnx
