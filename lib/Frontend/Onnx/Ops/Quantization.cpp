// Conversions between real and quantized values.
// SPDX-License-Identifier: Apache-2.0
#include "../NodeBinder.h"
#include "../OpTable.h"
#include "Families.h"

namespace mlir::atc::onnx {
namespace {

/// Scale, zero point and how they apply.
struct Granularity {
  Value scale, zeroPoint;
  int64_t axis = 0, block = 0;
};

/// Reads the attributes of a quantization of `x`; a missing zero point is
/// `zeroType` zeros. One scale for the tensor becomes rank 0.
Granularity readGranularity(NodeBinder &node, Value x, Type zeroType) {
  Granularity g;
  g.scale = node.input(1);
  g.zeroPoint = node.optionalInput(2);
  int64_t axis = node.getVersion() >= 13 ? node.integer("axis", 1) : 1;
  g.block = node.getVersion() >= 21 ? node.integer("block_size", 0) : 0;
  if (g.block < 0)
    node.invalid("attribute 'block_size' holds " + Twine(g.block));
  RankedTensorType type = node.rankedType(x);
  RankedTensorType scaleType = node.rankedType(g.scale);
  if (!node.ok())
    return g;
  bool perTensor = scaleType.hasStaticShape() && scaleType.getRank() <= 1 &&
                   scaleType.getNumElements() == 1;
  if (perTensor && g.block == 0) {
    g.scale = node.reshape(g.scale, ArrayRef<int64_t>());
    if (g.zeroPoint)
      g.zeroPoint = node.reshape(g.zeroPoint, ArrayRef<int64_t>());
  } else {
    g.axis = node.axis(axis, type.getRank());
  }
  if (!g.zeroPoint && node.ok()) {
    Value zero = node.scalar(0.0, zeroType);
    int64_t rank = cast<RankedTensorType>(g.scale.getType()).getRank();
    g.zeroPoint =
        rank == 0 ? zero : node.expandTo(zero, node.sizes(g.scale, 0, rank));
  }
  return g;
}

/// The element type that an attribute names; `missing` where it names none.
Type readType(NodeBinder &node, StringRef name, Type missing) {
  int64_t code = node.integer(name, 0);
  if (code == 0)
    return missing;
  Type type = getElementType(node.getContext(), static_cast<int>(code));
  if (!type) {
    node.unsupported("element type " + Twine(code));
    return missing;
  }
  return type;
}

void importQuantizeLinear(NodeBinder &node) {
  Value x = node.input(0);
  Type type = node.getBuilder().getIntegerType(8, /*isSigned=*/false);
  if (node.getVersion() >= 21)
    type = readType(node, "output_dtype", type);
  bool saturate = node.getVersion() < 19 || node.boolean("saturate", true);
  if (node.getVersion() >= 23 && node.integer("precision", 0) != 0)
    node.unsupported("attribute 'precision'");
  Granularity g = readGranularity(node, x, type);
  if (!node.ok())
    return;
  // Integers (i32) are divided by an integer scale as real numbers.
  if (!isa<FloatType>(getElementTypeOrSelf(g.scale.getType())))
    g.scale = node.cast(g.scale, node.getBuilder().getF32Type());
  saturate &= saturates(getElementTypeOrSelf(g.zeroPoint.getType()));
  node.result(0, node.create<graph::QuantizeOp>(x, g.scale, g.zeroPoint, g.axis,
                                                g.block, saturate));
}

void importDequantizeLinear(NodeBinder &node) {
  Value x = node.input(0);
  if (!node.ok())
    return;
  Granularity g = readGranularity(node, x, getElementTypeOrSelf(x.getType()));
  if (!node.ok())
    return;
  // The result's type is that in which the product is computed.
  if (node.getVersion() >= 23)
    g.scale =
        node.cast(g.scale, readType(node, "output_dtype",
                                    getElementTypeOrSelf(g.scale.getType())));
  node.result(0, node.create<graph::DequantizeOp>(x, g.scale, g.zeroPoint,
                                                  g.axis, g.block));
}

/// Scale and zero point (unsigned, 8 bits) from the range of x and 0.
void importDynamicQuantizeLinear(NodeBinder &node) {
  Value x = node.input(0);
  RankedTensorType type = node.rankedType(x);
  if (!node.ok())
    return;
  SmallVector<int64_t> axes =
      llvm::to_vector(llvm::seq<int64_t>(0, type.getRank()));
  Value zero = node.scalarLike(0.0, x), one = node.scalarLike(1.0, x);
  Value levels = node.scalarLike(255.0, x);
  Value low = node.create<graph::MinOp>(
      node.create<graph::ReduceOp>(graph::ReductionKind::min, x, axes, false),
      zero);
  Value high = node.create<graph::MaxOp>(
      node.create<graph::ReduceOp>(graph::ReductionKind::max, x, axes, false),
      zero);
  Value range = node.create<graph::SubOp>(high, low);
  Value isZero =
      node.create<graph::CompareOp>(graph::ComparePredicate::eq, range, zero);
  Value scale = node.create<graph::SelectOp>(
      isZero, one, node.create<graph::DivOp>(range, levels));
  Value offset =
      node.create<graph::DivOp>(node.create<graph::SubOp>(zero, low), scale);
  Value rounded = node.create<graph::MinOp>(
      node.create<graph::MaxOp>(node.create<graph::RoundOp>(offset), zero),
      levels);
  if (!node.ok())
    return;
  Value zeroPoint = node.cast(
      rounded, node.getBuilder().getIntegerType(8, /*isSigned=*/false));
  node.result(0,
              node.create<graph::QuantizeOp>(x, scale, zeroPoint, 0, 0, false));
  node.result(1, scale);
  node.result(2, zeroPoint);
}

} // namespace

void registerQuantizationOps(OpTable &table) {
  table.on("DequantizeLinear", {10, 13, 19, 21, 23, 24, 25, 28},
           importDequantizeLinear);
  table.on("DynamicQuantizeLinear", {11}, importDynamicQuantizeLinear);
  table.on("QuantizeLinear", {10, 13, 19, 21, 23, 24, 25, 28},
           importQuantizeLinear);
}

} // namespace mlir::atc::onnx
