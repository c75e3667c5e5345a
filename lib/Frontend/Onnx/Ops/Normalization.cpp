// Normalizations and softmax.
// SPDX-License-Identifier: Apache-2.0
#include "../NodeBinder.h"
#include "../OpTable.h"
#include "Families.h"

namespace mlir::atc::onnx {
namespace {

using graph::ReductionKind;

//===----------------------------------------------------------------------===//
// Softmax
//===----------------------------------------------------------------------===//

/// Applies `build` along the last dim of `x` seen as a matrix: the dims before
/// `axis` are its rows. What softmax meant before operator set 13.
template <typename Build>
Value applyFlattened(NodeBinder &node, Value x, int64_t axis, Build build) {
  RankedTensorType type = node.rankedType(x);
  if (!node.ok())
    return {};
  int64_t rank = type.getRank();
  if (axis == rank - 1)
    return build(x, axis);
  Value matrix = node.reshape(x, {Size(x, 0, axis), Size(x, axis, rank)});
  Value result = build(matrix, 1);
  SmallVector<Size> sizes;
  for (int64_t i = 0; i < rank; ++i)
    sizes.push_back({x, i});
  return node.reshape(result, sizes);
}

template <typename Build>
void importAlongAxis(NodeBinder &node, Build build) {
  Value x = node.input(0);
  bool flattens = node.getVersion() < 13;
  int64_t axis = node.integer("axis", flattens ? 1 : -1);
  RankedTensorType type = node.rankedType(x);
  if (!node.ok())
    return;
  // The old default may lie behind the last dim: then each element is a row.
  if (flattens && type.getRank() == 1 && axis == 1)
    return node.unsupported("an axis behind the last dimension");
  axis = node.axis(axis, type.getRank());
  if (!node.ok())
    return;
  node.result(0,
              flattens ? applyFlattened(node, x, axis, build) : build(x, axis));
}

template <typename OpTy>
void importSoftmax(NodeBinder &node) {
  importAlongAxis(
      node, [&](Value x, int64_t axis) { return node.create<OpTy>(x, axis); });
}

/// 1 at the first largest element, 0 elsewhere.
void importHardmax(NodeBinder &node) {
  importAlongAxis(node, [&](Value x, int64_t axis) -> Value {
    Value index = node.create<graph::ArgReduceOp>(graph::Extremum::max, x, axis,
                                                  false, false);
    Value depth =
        node.reshape(node.sizes(x, axis, axis + 1), ArrayRef<int64_t>());
    return node.create<graph::OneHotOp>(index, depth, node.scalarLike(1.0, x),
                                        node.scalarLike(0.0, x), axis);
  });
}

//===----------------------------------------------------------------------===//
// Stored statistics
//===----------------------------------------------------------------------===//

/// `x` in the type in which means are taken: at least single precision.
Value getStatisticsInput(NodeBinder &node, Value x) {
  if (!node.ok())
    return {};
  Type type = getElementTypeOrSelf(x.getType());
  return type.isF64() ? x : node.cast(x, node.getBuilder().getF32Type());
}

/// Parameters per element instead of per channel.
Value buildElementwiseBatchNorm(NodeBinder &node, ArrayRef<Value> inputs,
                                double epsilon) {
  Value variance =
      node.create<graph::AddOp>(inputs[4], node.scalarLike(epsilon, inputs[4]));
  Value scaled =
      node.create<graph::DivOp>(node.create<graph::SubOp>(inputs[0], inputs[3]),
                                node.create<graph::SqrtOp>(variance));
  return node.create<graph::AddOp>(node.create<graph::MulOp>(scaled, inputs[1]),
                                   inputs[2]);
}

/// Statistics of the batch, which also move the running ones.
void buildTrainingBatchNorm(NodeBinder &node, ArrayRef<Value> inputs,
                            double epsilon, double momentum) {
  Value x = inputs[0];
  RankedTensorType type = node.rankedType(x);
  if (!node.ok())
    return;
  if (type.getRank() < 2)
    return node.invalid("input of rank " + Twine(type.getRank()));
  SmallVector<int64_t> axes{0};
  for (int64_t axis = 2; axis < type.getRank(); ++axis)
    axes.push_back(axis);
  Value wide = getStatisticsInput(node, x);
  Value mean =
      node.create<graph::ReduceOp>(ReductionKind::mean, wide, axes, true);
  Value centered = node.create<graph::SubOp>(wide, mean);
  Value variance = node.create<graph::ReduceOp>(
      ReductionKind::mean, node.create<graph::MulOp>(centered, centered), axes,
      true);
  Type element = type.getElementType();
  mean = node.squeeze(mean, axes);
  variance = node.squeeze(variance, axes);
  node.result(0, node.create<graph::BatchNormOp>(
                     x, inputs[1], inputs[2], node.cast(mean, element),
                     node.cast(variance, element), epsilon));
  auto move = [&](Value running, Value current) -> Value {
    if (!node.ok())
      return {};
    Type kind = getElementTypeOrSelf(running.getType());
    Value from = node.cast(running, getElementTypeOrSelf(current.getType()));
    Value kept =
        node.create<graph::MulOp>(from, node.scalarLike(momentum, from));
    Value added = node.create<graph::MulOp>(
        current, node.scalarLike(1 - momentum, current));
    return node.cast(node.create<graph::AddOp>(kept, added), kind);
  };
  if (node.isOutputUsed(1))
    node.result(1, move(inputs[3], mean));
  if (node.isOutputUsed(2))
    node.result(2, move(inputs[4], variance));
}

void importBatchNormalization(NodeBinder &node) {
  SmallVector<Value> inputs = node.inputsFrom(0);
  double epsilon = node.real("epsilon", 1e-5f);
  bool spatial = node.getVersion() >= 9 || node.boolean("spatial", true);
  double momentum = node.real("momentum", 0.9f);
  bool isTraining =
      node.getVersion() >= 14 && node.boolean("training_mode", false);
  if (node.ok() && inputs.size() != 5)
    node.invalid(Twine(inputs.size()) + " inputs instead of 5");
  if (!node.ok())
    return;
  if (isTraining)
    return buildTrainingBatchNorm(node, inputs, epsilon, momentum);
  if (!spatial)
    return node.result(0, buildElementwiseBatchNorm(node, inputs, epsilon));
  node.result(0,
              node.create<graph::BatchNormOp>(inputs[0], inputs[1], inputs[2],
                                              inputs[3], inputs[4], epsilon));
}

void importLRN(NodeBinder &node) {
  Value x = node.input(0);
  int64_t size = node.requiredInteger("size");
  double alpha = node.real("alpha", 1e-4f);
  double beta = node.real("beta", 0.75);
  double bias = node.real("bias", 1.0);
  if (size < 1)
    node.invalid("attribute 'size' holds " + Twine(size));
  node.result(0, node.create<graph::LrnOp>(x, size, alpha, beta, bias));
}

//===----------------------------------------------------------------------===//
// Statistics of the input
//===----------------------------------------------------------------------===//

void importInstanceNormalization(NodeBinder &node) {
  Value x = node.input(0), scale = node.input(1), bias = node.input(2);
  double epsilon = node.real("epsilon", 1e-5f);
  node.result(0, node.create<graph::InstanceNormOp>(x, scale, bias, epsilon));
}

/// A parameter per group, repeated for each channel of the group.
Value repeatPerChannel(NodeBinder &node, Value parameter, int64_t groups,
                       int64_t channels) {
  Value column = node.reshape(parameter, ArrayRef<int64_t>{groups, 1});
  Value repeated =
      node.expandTo(column, node.integerList({groups, channels / groups}));
  return node.reshape(repeated, ArrayRef<int64_t>{channels});
}

void importGroupNormalization(NodeBinder &node) {
  Value x = node.input(0), scale = node.input(1), bias = node.input(2);
  int64_t groups = node.requiredInteger("num_groups");
  double epsilon = node.real("epsilon", 1e-5f);
  // Arithmetic is at least in float, whatever the attribute says.
  node.ignore({"stash_type"});
  RankedTensorType type = node.rankedType(x);
  if (!node.ok())
    return;
  if (type.getRank() < 2)
    return node.invalid("input of rank " + Twine(type.getRank()));
  int64_t channels = type.getDimSize(1);
  if (groups < 1)
    return node.invalid("attribute 'num_groups' holds " + Twine(groups));
  if (node.getVersion() < 21) {
    if (ShapedType::isDynamic(channels))
      return node.unsupported("an unknown number of channels");
    if (channels % groups != 0)
      return node.invalid(Twine(channels) + " channels in " + Twine(groups) +
                          " groups");
    scale = repeatPerChannel(node, scale, groups, channels);
    bias = repeatPerChannel(node, bias, groups, channels);
  }
  node.result(0,
              node.create<graph::GroupNormOp>(x, scale, bias, groups, epsilon));
}

/// The axes [axis, rank).
SmallVector<int64_t> axesFrom(int64_t axis, int64_t rank) {
  return llvm::to_vector(llvm::seq<int64_t>(axis, rank));
}

/// The mean and 1 / sqrt(variance + epsilon) in the type `stash`, for the nodes
/// that want them.
void importStatistics(NodeBinder &node, Value x, int64_t axis, int64_t rank,
                      double epsilon, Type stash) {
  if (!node.isOutputUsed(1) && !node.isOutputUsed(2))
    return;
  SmallVector<int64_t> axes = axesFrom(axis, rank);
  Value wide = getStatisticsInput(node, x);
  Value mean =
      node.create<graph::ReduceOp>(ReductionKind::mean, wide, axes, true);
  Value centered = node.create<graph::SubOp>(wide, mean);
  Value variance = node.create<graph::ReduceOp>(
      ReductionKind::mean, node.create<graph::MulOp>(centered, centered), axes,
      true);
  Value deviation = node.create<graph::RsqrtOp>(
      node.create<graph::AddOp>(variance, node.scalarLike(epsilon, variance)));
  node.result(1, node.cast(mean, stash));
  node.result(2, node.cast(deviation, stash));
}

/// The type in which statistics are asked for. Kernels take them at least in
/// single precision; only double is more.
Type readStashType(NodeBinder &node) {
  int64_t code = node.integer("stash_type", 1);
  Type type = getElementType(node.getContext(), static_cast<int>(code));
  if (isa_and_present<FloatType>(type) && type.getIntOrFloatBitWidth() >= 16)
    return type;
  node.invalid("attribute 'stash_type' holds " + Twine(code));
  return node.getBuilder().getF32Type();
}

void importLayerNormalization(NodeBinder &node) {
  Value x = node.input(0), scale = node.input(1);
  Value bias = node.optionalInput(2);
  int64_t axis = node.integer("axis", -1);
  double epsilon = node.real("epsilon", 1e-5f);
  Type stash = readStashType(node);
  RankedTensorType type = node.rankedType(x);
  if (!node.ok())
    return;
  axis = node.axis(axis, type.getRank());
  if (stash.isF64()) {
    x = node.cast(x, stash);
    scale = node.cast(scale, stash);
    bias = bias ? node.cast(bias, stash) : bias;
  }
  node.result(0, node.cast(node.create<graph::LayerNormOp>(x, scale, bias, axis,
                                                           epsilon),
                           type.getElementType()));
  if (node.ok())
    importStatistics(node, x, axis, type.getRank(), epsilon, stash);
}

void importRMSNormalization(NodeBinder &node) {
  Value x = node.input(0), scale = node.input(1);
  int64_t axis = node.integer("axis", -1);
  double epsilon = node.real("epsilon", 1e-5f);
  Type stash = readStashType(node);
  RankedTensorType type = node.rankedType(x);
  if (!node.ok())
    return;
  axis = node.axis(axis, type.getRank());
  Type scaleType = getElementTypeOrSelf(scale.getType());
  if (scaleType == type.getElementType() && !stash.isF64())
    return node.result(0,
                       node.create<graph::RmsNormOp>(x, scale, axis, epsilon));
  if (stash.isF64())
    x = node.cast(x, stash);
  Value normal = node.create<graph::RmsNormOp>(x, Value(), axis, epsilon);
  node.result(0,
              node.create<graph::MulOp>(node.cast(normal, scaleType), scale));
}

/// (x - mean) / (sqrt(variance) + 1e-9).
void importMeanVarianceNormalization(NodeBinder &node) {
  Value x = node.input(0);
  SmallVector<int64_t> axes =
      node.integers("axes").value_or(SmallVector<int64_t>{0, 2, 3});
  RankedTensorType type = node.rankedType(x);
  if (!node.ok())
    return;
  axes = node.axes(axes, type.getRank());
  Value mean = node.create<graph::ReduceOp>(ReductionKind::mean, x, axes, true);
  Value centered = node.create<graph::SubOp>(x, mean);
  Value variance = node.create<graph::ReduceOp>(
      ReductionKind::mean, node.create<graph::MulOp>(centered, centered), axes,
      true);
  Value deviation = node.create<graph::AddOp>(
      node.create<graph::SqrtOp>(variance), node.scalarLike(1e-9, x));
  node.result(0, node.create<graph::DivOp>(centered, deviation));
}

/// x / norm(x) along an axis; zero where the norm is.
void importLpNormalization(NodeBinder &node) {
  Value x = node.input(0);
  int64_t axis = node.integer("axis", -1), p = node.integer("p", 2);
  RankedTensorType type = node.rankedType(x);
  if (!node.ok())
    return;
  if (p != 1 && p != 2)
    return node.invalid("attribute 'p' holds " + Twine(p));
  axis = node.axis(axis, type.getRank());
  Value power =
      p == 1 ? node.create<graph::AbsOp>(x) : node.create<graph::MulOp>(x, x);
  Value norm = node.create<graph::ReduceOp>(ReductionKind::sum, power,
                                            ArrayRef<int64_t>{axis}, true);
  if (p == 2)
    norm = node.create<graph::SqrtOp>(norm);
  Value zero = node.scalarLike(0.0, x);
  Value isZero =
      node.create<graph::CompareOp>(graph::ComparePredicate::eq, norm, zero);
  node.result(0, node.create<graph::SelectOp>(
                     isZero, zero, node.create<graph::DivOp>(x, norm)));
}

} // namespace

void registerNormalizationOps(OpTable &table) {
  table.on("BatchNormalization", {7, 9, 14, 15}, importBatchNormalization);
  table.on("GroupNormalization", {18, 21}, importGroupNormalization);
  table.on("Hardmax", {1, 11, 13}, importHardmax);
  table.on("InstanceNormalization", {6, 22}, importInstanceNormalization);
  table.on("LRN", {1, 13}, importLRN);
  table.on("LayerNormalization", {17}, importLayerNormalization);
  table.on("LogSoftmax", {1, 11, 13}, importSoftmax<graph::LogSoftmaxOp>);
  table.on("LpNormalization", {1, 22}, importLpNormalization);
  table.on("MeanVarianceNormalization", {9, 13},
           importMeanVarianceNormalization);
  table.on("RMSNormalization", {23}, importRMSNormalization);
  table.on("Softmax", {1, 11, 13}, importSoftmax<graph::SoftmaxOp>);
}

} // namespace mlir::atc::onnx
