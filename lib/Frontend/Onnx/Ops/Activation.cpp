// Activation functions.
// SPDX-License-Identifier: Apache-2.0
#include "../NodeBinder.h"
#include "../OpTable.h"
#include "Families.h"
#include <cfloat>
#include <cmath>

namespace mlir::atc::onnx {
namespace {

template <typename OpTy>
void importActivation(NodeBinder &node) {
  node.result(0, node.create<OpTy>(node.input(0)));
}

void importLeakyRelu(NodeBinder &node) {
  Value x = node.input(0);
  double alpha = node.real("alpha", 0.01f);
  node.result(0, node.create<graph::LeakyReluOp>(x, alpha));
}

void importPRelu(NodeBinder &node) {
  Value x = node.input(0), slope = node.input(1);
  Value result = node.create<graph::PreluOp>(x, slope);
  // The slope may broadcast, the input may not.
  if (node.ok() && x.getType() != result.getType() &&
      cast<ShapedType>(x.getType()).hasStaticShape())
    node.invalid("the slope does not broadcast to the input");
  node.result(0, result);
}

void importElu(NodeBinder &node) {
  Value x = node.input(0);
  double alpha = node.real("alpha", 1.0);
  node.result(0, node.create<graph::EluOp>(x, alpha));
}

/// gamma * (x for x > 0, alpha * (exp(x) - 1) below).
void importSelu(NodeBinder &node) {
  Value x = node.input(0);
  double alpha = node.real("alpha", 1.67326319217681884765625);
  double gamma = node.real("gamma", 1.05070102214813232421875);
  Value elu = node.create<graph::EluOp>(x, alpha);
  node.result(0, node.create<graph::MulOp>(elu, node.scalarLike(gamma, elu)));
}

/// max(0, x) + min(0, alpha * (exp(x / alpha) - 1)).
void importCelu(NodeBinder &node) {
  Value x = node.input(0);
  double alpha = node.real("alpha", 1.0);
  if (alpha == 1.0)
    return node.result(0, node.create<graph::EluOp>(x, 1.0));
  Value scale = node.scalarLike(alpha, x);
  Value zero = node.scalarLike(0.0, x);
  Value power = node.create<graph::ExpOp>(node.create<graph::DivOp>(x, scale));
  Value below = node.create<graph::MulOp>(
      node.create<graph::SubOp>(power, node.scalarLike(1.0, x)), scale);
  node.result(
      0, node.create<graph::AddOp>(node.create<graph::ReluOp>(x),
                                   node.create<graph::MinOp>(below, zero)));
}

void importHardSigmoid(NodeBinder &node) {
  Value x = node.input(0);
  double alpha = node.real("alpha", 0.2f);
  double beta = node.real("beta", 0.5);
  node.result(0, node.create<graph::HardSigmoidOp>(x, alpha, beta));
}

void importGelu(NodeBinder &node) {
  Value x = node.input(0);
  bool approximate = node.choice<bool>("approximate", "none",
                                       {{"none", false}, {"tanh", true}});
  node.result(0, node.create<graph::GeluOp>(x, approximate));
}

/// x * sigmoid(alpha * x).
Value buildSwish(NodeBinder &node, Value x) {
  double alpha = node.real("alpha", 1.0);
  Value gate = x;
  if (alpha != 1.0)
    gate = node.create<graph::MulOp>(x, node.scalarLike(alpha, x));
  return node.create<graph::MulOp>(x, node.create<graph::SigmoidOp>(gate));
}

void importSwish(NodeBinder &node) {
  node.result(0, buildSwish(node, node.input(0)));
}

void importSwiGLU(NodeBinder &node) {
  Value gate = node.input(0), linear = node.input(1);
  node.result(0, node.create<graph::MulOp>(buildSwish(node, gate), linear));
}

/// x where it is above alpha, else 0.
void importThresholdedRelu(NodeBinder &node) {
  Value x = node.input(0);
  Value alpha = node.scalarLike(node.real("alpha", 1.0), x);
  Value above =
      node.create<graph::CompareOp>(graph::ComparePredicate::gt, x, alpha);
  node.result(0,
              node.create<graph::SelectOp>(above, x, node.scalarLike(0.0, x)));
}

/// x + bias below -lambd, x - bias above lambd, else 0.
void importShrink(NodeBinder &node) {
  using graph::ComparePredicate;
  Value x = node.input(0);
  double lambda = node.real("lambd", 0.5);
  Value bias = node.scalarLike(node.real("bias", 0.0), x);
  Value low = node.create<graph::CompareOp>(ComparePredicate::lt, x,
                                            node.scalarLike(-lambda, x));
  Value high = node.create<graph::CompareOp>(ComparePredicate::gt, x,
                                             node.scalarLike(lambda, x));
  Value inner = node.create<graph::SelectOp>(
      high, node.create<graph::SubOp>(x, bias), node.scalarLike(0.0, x));
  node.result(0, node.create<graph::SelectOp>(
                     low, node.create<graph::AddOp>(x, bias), inner));
}

/// min(max(x, low), high), where a null bound is absent.
void buildClip(NodeBinder &node, Value x, Value low, Value high) {
  if (low)
    x = node.create<graph::MaxOp>(x, low);
  if (high)
    x = node.create<graph::MinOp>(x, high);
  node.result(0, x);
}

/// Bounds as attributes; those at the end of float's range bound nothing.
void importClip6(NodeBinder &node) {
  Value x = node.input(0);
  double low = node.real("min", -FLT_MAX), high = node.real("max", FLT_MAX);
  buildClip(node, x, low > -FLT_MAX ? node.scalarLike(low, x) : Value(),
            high < FLT_MAX ? node.scalarLike(high, x) : Value());
}

/// A bound is a scalar; exporters also write a tensor of one element, which
/// must not lend its rank to the result.
Value getBound(NodeBinder &node, unsigned index) {
  Value bound = node.optionalInput(index);
  if (!bound)
    return {};
  RankedTensorType type = node.rankedType(bound);
  if (!type || type.getRank() == 0)
    return bound;
  if (!type.hasStaticShape() || type.getNumElements() != 1) {
    node.invalid("a bound is no scalar");
    return {};
  }
  return node.reshape(bound, ArrayRef<int64_t>());
}

void importClip11(NodeBinder &node) {
  Value low = getBound(node, 1), high = getBound(node, 2);
  buildClip(node, node.input(0), low, high);
}

} // namespace

void registerActivationOps(OpTable &table) {
  table.on("Celu", {12, 28}, importCelu);
  table.on("Clip", {6}, importClip6);
  table.on("Clip", {11, 12, 13}, importClip11);
  table.on("Elu", {6, 22}, importElu);
  table.on("Gelu", {20}, importGelu);
  table.on("HardSigmoid", {6, 22}, importHardSigmoid);
  table.on("HardSwish", {14, 22}, importActivation<graph::HardSwishOp>);
  table.on("LeakyRelu", {6, 16}, importLeakyRelu);
  table.on("Mish", {18, 22}, importActivation<graph::MishOp>);
  table.on("PRelu", {7, 9, 16}, importPRelu);
  table.on("Relu", {6, 13, 14}, importActivation<graph::ReluOp>);
  table.on("Selu", {6, 22}, importSelu);
  table.on("Shrink", {9}, importShrink);
  table.on("Sigmoid", {6, 13}, importActivation<graph::SigmoidOp>);
  table.on("Softplus", {1, 22}, importActivation<graph::SoftplusOp>);
  table.on("Softsign", {1, 22}, importActivation<graph::SoftsignOp>);
  table.on("SwiGLU", {28}, importSwiGLU);
  table.on("Swish", {24}, importSwish);
  table.on("ThresholdedRelu", {10, 22}, importThresholdedRelu);
}

} // namespace mlir::atc::onnx
