// Movement of elements: reshape, transpose, concat, split, pad, ...
// SPDX-License-Identifier: Apache-2.0
#include "../NodeBinder.h"
#include "../OpTable.h"
#include "Families.h"

namespace mlir::atc::onnx {
namespace {

//===----------------------------------------------------------------------===//
// Shape changes
//===----------------------------------------------------------------------===//

void importIdentity(NodeBinder &node) { node.result(0, node.input(0)); }

/// In inference the input as it is, and a mask that keeps everything.
void importDropout(NodeBinder &node) {
  Value x = node.input(0);
  if (node.getVersion() >= 12) {
    node.ignore({"seed"});
    // Even in training, nothing is dropped at a ratio of 0.
    std::optional<SmallVector<double>> ratio =
        node.knownFloats(node.optionalInput(1));
    bool dropsNothing = ratio && ratio->size() == 1 && ratio->front() == 0;
    if (Value training = node.optionalInput(2); training && !dropsNothing) {
      DenseElementsAttr attr;
      if (!matchPattern(training, m_Constant(&attr)) || !attr.isSplat() ||
          attr.getSplatValue<bool>())
        return node.unsupported("training mode");
    }
  } else {
    node.ignore({"ratio"});
  }
  node.result(0, x);
  RankedTensorType type;
  if (node.isOutputUsed(1) && (type = node.rankedType(x))) {
    Type mask = node.getVersion() >= 10 ? Type(node.getBuilder().getI1Type())
                                        : type.getElementType();
    node.result(1, node.expandTo(node.scalar(1.0, mask),
                                 node.sizes(x, 0, type.getRank())));
  }
}

void importReshape(NodeBinder &node) {
  Value x = node.input(0), shape = node.input(1);
  bool allowZero = node.getVersion() >= 14 && node.boolean("allowzero", false);
  if (node.ok())
    node.result(0, node.reshapeAs(x, shape, allowZero));
}

void importFlatten(NodeBinder &node) {
  Value x = node.input(0);
  int64_t axis = node.integer("axis", 1);
  RankedTensorType type = node.rankedType(x);
  if (!node.ok())
    return;
  int64_t rank = type.getRank();
  if (axis < -rank || axis > rank)
    return node.invalid("axis " + Twine(axis) + " is outside of rank " +
                        Twine(rank));
  axis += axis < 0 ? rank : 0;
  node.result(0, node.reshape(x, {Size(x, 0, axis), Size(x, axis, rank)}));
}

/// The axes of Squeeze and Unsqueeze: an attribute, an input from 13 on.
std::optional<SmallVector<int64_t>> readAxes(NodeBinder &node) {
  if (node.getVersion() < 13)
    return node.integers("axes");
  Value axes = node.optionalInput(1);
  if (!axes)
    return std::nullopt;
  return node.constantIntegers(axes, "axes");
}

void importSqueeze(NodeBinder &node) {
  Value x = node.input(0);
  std::optional<SmallVector<int64_t>> axes = readAxes(node);
  RankedTensorType type = node.rankedType(x);
  if (!node.ok())
    return;
  if (axes)
    return node.result(0, node.squeeze(x, node.axes(*axes, type.getRank())));
  // All dims of size 1, so all must be known.
  if (!type.hasStaticShape())
    return node.unsupported("squeezing all of an unknown shape");
  SmallVector<int64_t> sizes;
  llvm::copy_if(type.getShape(), std::back_inserter(sizes),
                [](int64_t size) { return size != 1; });
  node.result(0, node.reshape(x, sizes));
}

void importUnsqueeze(NodeBinder &node) {
  Value x = node.input(0);
  std::optional<SmallVector<int64_t>> axes = readAxes(node);
  RankedTensorType type = node.rankedType(x);
  if (node.ok() && !axes)
    node.invalid("the axes are missing");
  if (!node.ok())
    return;
  int64_t rank = type.getRank() + static_cast<int64_t>(axes->size());
  SmallVector<int64_t> sorted = node.axes(*axes, rank);
  if (node.ok())
    node.result(0, node.unsqueeze(x, sorted));
}

void importExpand(NodeBinder &node) {
  Value x = node.input(0), shape = node.input(1);
  if (node.ok())
    node.result(0, node.expandTo(x, shape));
}

void importTranspose(NodeBinder &node) {
  Value x = node.input(0);
  std::optional<SmallVector<int64_t>> given = node.integers("perm");
  RankedTensorType type = node.rankedType(x);
  if (!node.ok())
    return;
  SmallVector<int64_t> permutation;
  if (given)
    for (int64_t axis : *given)
      permutation.push_back(node.axis(axis, type.getRank()));
  else
    permutation =
        llvm::to_vector(llvm::reverse(llvm::seq<int64_t>(0, type.getRank())));
  node.result(0, node.transpose(x, permutation));
}

//===----------------------------------------------------------------------===//
// Joining, repeating, padding
//===----------------------------------------------------------------------===//

void importConcat(NodeBinder &node) {
  SmallVector<Value> inputs = node.inputsFrom(0);
  int64_t axis = node.requiredInteger("axis");
  if (!node.ok())
    return;
  RankedTensorType type = node.rankedType(inputs.front());
  if (!node.ok())
    return;
  node.result(
      0, node.create<graph::ConcatOp>(inputs, node.axis(axis, type.getRank())));
}

void importTile(NodeBinder &node) {
  Value x = node.input(0), repeats = node.input(1);
  if (!node.ok())
    return;
  if (std::optional<SmallVector<int64_t>> known = node.knownIntegers(repeats))
    return node.result(0, node.create<graph::TileOp>(x, *known));
  node.result(0, node.create<graph::TileDynamicOp>(x, repeats));
}

/// Larger amounts make no sense and could overflow.
constexpr int64_t kMaxPad = int64_t(1) << 31;

graph::PadMode readPadMode(NodeBinder &node) {
  using graph::PadMode;
  if (node.getVersion() < 19)
    return node.choice<PadMode>("mode", "constant",
                                {{"constant", PadMode::constant},
                                 {"reflect", PadMode::reflect},
                                 {"edge", PadMode::edge}});
  return node.choice<PadMode>("mode", "constant",
                              {{"constant", PadMode::constant},
                               {"reflect", PadMode::reflect},
                               {"edge", PadMode::edge},
                               {"wrap", PadMode::wrap}});
}

/// Takes negative amounts off before the rest is padded: what is cut away does
/// not count when a mode repeats elements. Constants need no such care.
Value cutNegativePads(NodeBinder &node, Value x, MutableArrayRef<int64_t> low,
                      MutableArrayRef<int64_t> high) {
  auto type = cast<RankedTensorType>(x.getType());
  SmallVector<int64_t> starts, limits, steps(type.getRank(), 1);
  for (auto [size, begin, end] : llvm::zip_equal(type.getShape(), low, high)) {
    if (end < 0 && ShapedType::isDynamic(size)) {
      node.unsupported("negative pads of a dimension of unknown size");
      return {};
    }
    if (begin < -kMaxPad || end < -kMaxPad) {
      node.invalid("pads of " + Twine(begin) + " and " + Twine(end));
      return {};
    }
    starts.push_back(std::max<int64_t>(-begin, 0));
    limits.push_back(end < 0 ? std::max<int64_t>(size + end, 0)
                             : std::numeric_limits<int64_t>::max());
    begin = std::max<int64_t>(begin, 0);
    end = std::max<int64_t>(end, 0);
  }
  return node.create<graph::SliceOp>(x, starts, limits, steps);
}

/// Pads by known amounts: the lows of all `axes`, then the highs.
void buildPad(NodeBinder &node, Value x, ArrayRef<int64_t> pads, Value value,
              ArrayRef<int64_t> axes, graph::PadMode mode) {
  RankedTensorType type = node.rankedType(x);
  if (!node.ok())
    return;
  if (pads.size() != 2 * axes.size())
    return node.invalid(Twine(pads.size()) + " pads for " + Twine(axes.size()) +
                        " axes");
  SmallVector<int64_t> low(type.getRank(), 0), high(type.getRank(), 0);
  for (size_t i = 0; i < axes.size(); ++i) {
    low[axes[i]] = pads[i];
    high[axes[i]] = pads[axes.size() + i];
  }
  auto isNegative = [](int64_t amount) { return amount < 0; };
  if (mode != graph::PadMode::constant &&
      (llvm::any_of(low, isNegative) || llvm::any_of(high, isNegative)))
    x = cutNegativePads(node, x, low, high);
  node.result(0, node.create<graph::PadOp>(x, value, low, high, mode));
}

void importPad2(NodeBinder &node) {
  Value x = node.input(0);
  std::optional<SmallVector<int64_t>> pads = node.integers("pads");
  Value value = node.scalarLike(node.real("value", 0.0), x);
  graph::PadMode mode = readPadMode(node);
  RankedTensorType type = node.rankedType(x);
  if (node.ok() && !pads)
    node.invalid("attribute 'pads' is missing");
  if (node.ok())
    buildPad(node, x, *pads, value,
             llvm::to_vector(llvm::seq<int64_t>(0, type.getRank())), mode);
}

void importPad11(NodeBinder &node) {
  Value x = node.input(0), pads = node.input(1);
  Value value = node.optionalInput(2);
  if (!value)
    value = node.scalarLike(0.0, x);
  graph::PadMode mode = readPadMode(node);
  RankedTensorType type = node.rankedType(x);
  if (!node.ok())
    return;
  SmallVector<int64_t> axes =
      llvm::to_vector(llvm::seq<int64_t>(0, type.getRank()));
  if (Value given = node.optionalInput(3)) {
    axes = node.constantIntegers(given, "axes");
    // Their order is that of the pads.
    node.axes(axes, type.getRank());
    for (int64_t &axis : axes)
      axis = node.axis(axis, type.getRank());
  }
  if (!node.ok())
    return;
  if (std::optional<SmallVector<int64_t>> known = node.knownIntegers(pads))
    return buildPad(node, x, *known, value, axes, mode);
  node.result(0, node.create<graph::PadDynamicOp>(x, pads, value, axes, mode));
}

//===----------------------------------------------------------------------===//
// Depth and space
//===----------------------------------------------------------------------===//

/// The blocks' size and whether the input is an image.
int64_t readBlock(NodeBinder &node, Value x) {
  int64_t block = node.requiredInteger("blocksize");
  RankedTensorType type = node.rankedType(x);
  if (!node.ok())
    return 1;
  if (block < 1 || block > 1024)
    node.invalid("attribute 'blocksize' holds " + Twine(block));
  else if (type.getRank() != 4)
    node.invalid("input of rank " + Twine(type.getRank()) + " instead of 4");
  return block;
}

void importDepthToSpace(NodeBinder &node) {
  Value x = node.input(0);
  int64_t block = readBlock(node, x);
  bool columnFirst =
      node.getVersion() >= 11 &&
      node.choice<bool>("mode", "DCR", {{"DCR", false}, {"CRD", true}});
  if (!node.ok())
    return;
  int64_t channels = cast<RankedTensorType>(x.getType()).getDimSize(1);
  if (ShapedType::isDynamic(channels))
    return node.unsupported("an unknown number of channels");
  if (channels % (block * block) != 0)
    return node.invalid(Twine(channels) + " channels for blocks of " +
                        Twine(block));
  Size depth = channels / (block * block);
  Size n(x, 0), h(x, 2), w(x, 3);
  Value split =
      columnFirst ? node.reshape(x, {n, depth, Size(block), Size(block), h, w})
                  : node.reshape(x, {n, Size(block), Size(block), depth, h, w});
  Value moved = columnFirst ? node.transpose(split, {0, 1, 4, 2, 5, 3})
                            : node.transpose(split, {0, 3, 4, 1, 5, 2});
  node.result(0, node.reshape(moved, {Size(moved, 0), Size(moved, 1),
                                      Size(moved, 2, 4), Size(moved, 4, 6)}));
}

void importSpaceToDepth(NodeBinder &node) {
  Value x = node.input(0);
  int64_t block = readBlock(node, x);
  // The inverse of both orders of DepthToSpace.
  bool columnFirst =
      node.getVersion() >= 28 &&
      node.choice<bool>("mode", "DCR", {{"DCR", false}, {"CRD", true}});
  if (!node.ok())
    return;
  auto type = cast<RankedTensorType>(x.getType());
  SmallVector<Size> blocks;
  for (int64_t axis : {2, 3}) {
    int64_t size = type.getDimSize(axis);
    if (ShapedType::isDynamic(size))
      blocks.push_back(Size::computed(node.create<graph::DivOp>(
          node.sizes(x, axis, axis + 1), node.integerList({block}))));
    else if (size % block != 0)
      return node.invalid("size " + Twine(size) + " for blocks of " +
                          Twine(block));
    else
      blocks.push_back(size / block);
  }
  Value split = node.reshape(x, {Size(x, 0), Size(x, 1), blocks[0], Size(block),
                                 blocks[1], Size(block)});
  Value moved = columnFirst ? node.transpose(split, {0, 1, 3, 5, 2, 4})
                            : node.transpose(split, {0, 3, 5, 1, 2, 4});
  node.result(0, node.reshape(moved, {Size(moved, 0), Size(moved, 1, 4),
                                      Size(moved, 4), Size(moved, 5)}));
}

} // namespace

void registerMovementOps(OpTable &table) {
  table.on("Concat", {4, 11, 13}, importConcat);
  table.on("DepthToSpace", {1, 11, 13, 28}, importDepthToSpace);
  table.on("Dropout", {7, 10, 12, 13, 22}, importDropout);
  table.on("Expand", {8, 13}, importExpand);
  table.on("Flatten", {1, 9, 11, 13, 21, 23, 24, 25}, importFlatten);
  table.on("Identity", {1, 13, 14, 16, 19, 21, 23, 24, 25}, importIdentity);
  table.on("Pad", {2}, importPad2);
  table.on("Pad", {11, 13, 18, 19, 21, 23, 24, 25}, importPad11);
  table.on("Reshape", {5, 13, 14, 19, 21, 23, 24, 25}, importReshape);
  table.on("SpaceToDepth", {1, 13, 28}, importSpaceToDepth);
  table.on("Squeeze", {1, 11, 13, 21, 23, 24, 25}, importSqueeze);
  table.on("Tile", {6, 13}, importTile);
  table.on("Transpose", {1, 13, 21, 23, 24, 25}, importTranspose);
  table.on("Unsqueeze", {1, 11, 13, 21, 23, 24, 25}, importUnsqueeze);
}

} // namespace mlir::atc::onnx
