// Narrows float32 to float16 between inputs and outputs.
// SPDX-License-Identifier: Apache-2.0
#include "WideValues.h"
#include "atc/Dialect/Graph/IR/Graph.h"
#include "atc/Dialect/Graph/IR/Saturation.h"
#include "atc/Passes/Precision/Passes.h"

namespace mlir::atc {
#define GEN_PASS_DEF_FORCEFLOAT16PASS
#include "atc/Passes/Precision/Passes.h.inc"
} // namespace mlir::atc

using namespace mlir;
using namespace mlir::atc;

static TensorType withElement(Value value, Type element) {
  return cast<TensorType>(value.getType()).clone(element);
}

/// The nearest float16. Numbers beyond the largest become it, infinity apart;
/// numbers that are not zero do not become zero.
static APFloat narrowNumber(APFloat number) {
  const llvm::fltSemantics &half = APFloat::IEEEhalf();
  bool isFinite = number.isFinite(), isZero = number.isZero();
  bool isNegative = number.isNegative(), losesInfo;
  number.convert(half, APFloat::rmNearestTiesToEven, &losesInfo);
  if (isFinite && number.isInfinity())
    return APFloat::getLargest(half, isNegative);
  if (!isZero && number.isZero())
    return APFloat::getSmallest(half, isNegative);
  return number;
}

namespace {

/// Gives each float32 value of a function a second form, and each use the form
/// that its op computes in.
class Narrowing {
public:
  /// `wide` is null where nothing stays float32.
  Narrowing(func::FuncOp function, const WideValues *wide)
      : function(function), builder(function.getContext()), wide(wide) {}

  void run();

private:
  bool isWide(Value value) const { return wide && wide->contains(value); }
  void narrowOp(Operation *op);
  void narrowCast(graph::CastOp cast);
  void widenOp(Operation *op);
  Value narrowForm(Value value);
  Value wideForm(Value value);
  Value narrowConstant(Value value);

  func::FuncOp function;
  OpBuilder builder;
  const WideValues *wide;
  DenseMap<Value, Value> narrowForms, wideForms;
  /// Results of ops that compute in float32, to be stored as float16.
  DenseSet<Value> roundedBehind;
};

} // namespace

Value Narrowing::narrowConstant(Value value) {
  Location loc = value.getLoc();
  auto constant = value.getDefiningOp<graph::ConstantOp>();
  auto splat = constant ? dyn_cast<SplatElementsAttr>(constant.getValue())
                        : SplatElementsAttr();
  if (!splat)
    return graph::CastOp::create(builder, loc, value, builder.getF16Type(),
                                 /*saturate=*/true);
  auto type = cast<RankedTensorType>(withElement(value, builder.getF16Type()));
  APFloat number = narrowNumber(splat.getSplatValue<APFloat>());
  return graph::ConstantOp::create(builder, loc,
                                   DenseElementsAttr::get(type, number));
}

Value Narrowing::narrowForm(Value value) {
  if (!isSingle(value))
    return value;
  Value &form = narrowForms[value];
  if (form)
    return form;
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointAfterValue(value);
  if (isConstantTensor(value))
    return form = narrowConstant(value);
  return form = graph::CastOp::create(builder, value.getLoc(), value,
                                      builder.getF16Type(), /*saturate=*/true);
}

Value Narrowing::wideForm(Value value) {
  bool isRounded = roundedBehind.contains(value);
  if (isSingle(value) && !isRounded)
    return value;
  if (Value form = wideForms.lookup(value))
    return form;
  // One form in memory serves all readers.
  Value narrow = isRounded ? narrowForm(value) : value;
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointAfterValue(narrow);
  Value form = graph::CastOp::create(builder, value.getLoc(), narrow,
                                     builder.getF32Type());
  wideForms[value] = form;
  return form;
}

void Narrowing::narrowCast(graph::CastOp cast) {
  Value x = cast.getX();
  if (isSingle(x) && !isWide(x))
    cast.getXMutable().assign(narrowForm(x));
  if (!isSingle(cast) || isWide(cast))
    return;
  cast.setTo(builder.getF16Type());
  cast.setSaturate(true);
  cast.getResult().setType(withElement(cast, builder.getF16Type()));
}

/// The op stays float32; results that do not are narrowed behind it.
void Narrowing::widenOp(Operation *op) {
  for (OpOperand &use : op->getOpOperands()) {
    auto tensor = dyn_cast<TensorType>(use.get().getType());
    if (tensor && isa<Float16Type, Float32Type>(tensor.getElementType()))
      use.set(wideForm(use.get()));
  }
  for (Value result : op->getResults())
    if (isSingle(result) && !isWide(result))
      roundedBehind.insert(result);
}

void Narrowing::narrowOp(Operation *op) {
  if (isa<graph::WeightOp, graph::ConstantOp>(op))
    return;
  if (auto cast = dyn_cast<graph::CastOp>(op))
    return narrowCast(cast);
  if (wide && wide->computesWide(op))
    return widenOp(op);
  for (OpOperand &use : op->getOpOperands())
    if (isSingle(use.get()))
      use.set(narrowForm(use.get()));
  for (Value result : op->getResults())
    if (isSingle(result))
      result.setType(withElement(result, builder.getF16Type()));
}

void Narrowing::run() {
  Block &body = function.front();
  SmallVector<Operation *> ops = llvm::map_to_vector(
      body.without_terminator(), [](Operation &op) { return &op; });
  for (Operation *op : ops)
    narrowOp(op);
  for (auto [operand, type] :
       llvm::zip_equal(body.getTerminator()->getOpOperands(),
                       function.getFunctionType().getResults()))
    if (operand.get().getType() != type)
      operand.set(wideForm(operand.get()));
}

namespace {

struct ForceFloat16 : mlir::atc::impl::ForceFloat16PassBase<ForceFloat16> {
  using Base::Base;

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.isExternal())
      return;
    std::optional<WideValues> wide;
    if (keepWide)
      wide.emplace(function);
    Narrowing(function, wide ? &*wide : nullptr).run();
    function->setAttr(graph::saturatesFloat16AttrName,
                      UnitAttr::get(&getContext()));
  }
};

} // namespace
