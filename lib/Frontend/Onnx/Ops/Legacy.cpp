// Operators of early files that never were in the standard. Their meaning is
// that of ONNX Runtime.
// SPDX-License-Identifier: Apache-2.0
#include "../NodeBinder.h"
#include "../OpTable.h"
#include "Families.h"

namespace mlir::atc::onnx {
namespace {

/// alpha * x + beta.
void importAffine(NodeBinder &node) {
  Value x = node.input(0);
  double alpha = node.real("alpha", 1.0), beta = node.real("beta", 0.0);
  Value scaled = node.create<graph::MulOp>(x, node.scalarLike(alpha, x));
  node.result(0, node.create<graph::AddOp>(scaled, node.scalarLike(beta, x)));
}

/// Cuts borders [left, top, right, bottom] off an image; with `scale` [height,
/// width] that size behind the left and top border.
void importCrop(NodeBinder &node) {
  Value x = node.input(0);
  std::optional<SmallVector<int64_t>> border = node.integers("border");
  std::optional<SmallVector<int64_t>> scale = node.integers("scale");
  RankedTensorType type = node.rankedType(x);
  if (!node.ok())
    return;
  if (type.getRank() != 4)
    return node.invalid("input of rank " + Twine(type.getRank()) +
                        " instead of 4");
  if (!border || border->size() != 4 ||
      llvm::any_of(*border, [](int64_t n) { return n < 0; }))
    return node.invalid("attribute 'border' needs four sizes");
  SmallVector<int64_t> starts{0, 0, (*border)[1], (*border)[0]};
  SmallVector<int64_t> limits(4, std::numeric_limits<int64_t>::max());
  for (int64_t axis : {2, 3}) {
    int64_t size = type.getDimSize(axis);
    if (scale && !scale->empty()) {
      if (scale->size() != 2 || (*scale)[axis - 2] < 0)
        return node.invalid("attribute 'scale' needs two sizes");
      limits[axis] = starts[axis] + (*scale)[axis - 2];
    } else if (ShapedType::isDynamic(size)) {
      return node.unsupported("an image of unknown size; fix it with "
                              "--input_shape");
    } else {
      limits[axis] = size - (*border)[axis == 2 ? 3 : 2];
    }
    if (limits[axis] < starts[axis] ||
        (!ShapedType::isDynamic(size) && limits[axis] > size))
      return node.invalid("the borders do not fit the image");
  }
  node.result(0, node.create<graph::SliceOp>(x, starts, limits,
                                             ArrayRef<int64_t>{1, 1, 1, 1}));
}

/// scale * x + bias, one bias per channel.
void importImageScaler(NodeBinder &node) {
  Value x = node.input(0);
  double scale = node.real("scale", 1.0);
  std::optional<SmallVector<double>> bias = node.reals("bias");
  RankedTensorType type = node.rankedType(x);
  if (!node.ok())
    return;
  if (type.getRank() != 4 || !isa<FloatType>(type.getElementType()))
    return node.invalid("the input is not an image of floats");
  int64_t channels = type.getDimSize(1);
  if (!bias || (!ShapedType::isDynamic(channels) &&
                static_cast<int64_t>(bias->size()) != channels))
    return node.invalid("attribute 'bias' needs one entry per channel");
  auto listType =
      RankedTensorType::get({static_cast<int64_t>(bias->size()), 1, 1},
                            node.getBuilder().getF64Type());
  Value list = node.cast(
      node.constant(DenseElementsAttr::get(listType, ArrayRef<double>(*bias))),
      type.getElementType());
  Value scaled = node.create<graph::MulOp>(x, node.scalarLike(scale, x));
  node.result(0, node.create<graph::AddOp>(scaled, list));
}

/// An attribute that has no default.
double requiredReal(NodeBinder &node, StringRef name) {
  if (!node.hasAttribute(name))
    node.invalid("attribute '" + Twine(name) + "' is missing");
  return node.real(name, 0.0);
}

/// alpha * f(beta * x).
template <typename OpTy>
void importScaledFunction(NodeBinder &node) {
  Value x = node.input(0);
  double alpha = requiredReal(node, "alpha");
  double beta = requiredReal(node, "beta");
  Value inner = node.create<graph::MulOp>(x, node.scalarLike(beta, x));
  node.result(0, node.create<graph::MulOp>(node.create<OpTy>(inner),
                                           node.scalarLike(alpha, x)));
}

void importScale(NodeBinder &node) {
  Value x = node.input(0);
  double scale = node.real("scale", 1.0);
  node.result(0, node.create<graph::MulOp>(x, node.scalarLike(scale, x)));
}

} // namespace

void registerLegacyOps(OpTable &table) {
  table.onLegacy("Affine", importAffine);
  table.onLegacy("Crop", importCrop);
  table.onLegacy("ImageScaler", importImageScaler);
  table.onLegacy("ParametricSoftplus", importScaledFunction<graph::SoftplusOp>);
  table.onLegacy("Scale", importScale);
  table.onLegacy("ScaledTanh", importScaledFunction<graph::TanhOp>);
}

} // namespace mlir::atc::onnx
