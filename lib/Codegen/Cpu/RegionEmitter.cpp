// Emits code for values of a kernel's region, a vector at a time.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Codegen/Cpu/RegionEmitter.h"
#include "atc/Codegen/Cpu/CoordinateBuilder.h"
#include "atc/Codegen/Cpu/NarrowTypes.h"
#include "atc/Codegen/Cpu/SizeMath.h"
#include "atc/Dialect/Graph/IR/Graph.h"
#include "atc/Dialect/Graph/IR/KernelSizes.h"
#include "atc/Dialect/Graph/IR/ScalarBody.h"
#include "atc/Target/TensorLayout.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace mlir::atc;
using namespace mlir::atc::cpu;

//===----------------------------------------------------------------------===//
// Which ops
//===----------------------------------------------------------------------===//

static bool isComputable(Type elementType) {
  if (isa<Float16Type, BFloat16Type, Float32Type, Float64Type>(elementType))
    return true;
  auto integer = dyn_cast<IntegerType>(elementType);
  return integer &&
         llvm::is_contained({1u, 8u, 16u, 32u, 64u}, integer.getWidth());
}

static bool hasComputableTypes(Operation *op, std::string &reason) {
  bool moves = !isa<graph::ScalarBodyInterface, graph::BatchNormOp,
                    graph::LrnOp, graph::ResizeOp, graph::RangeOp>(op) ||
               isa<graph::CastOp, graph::SelectOp>(op);
  auto check = [&](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (tensor && (isComputable(tensor.getElementType()) ||
                   (moves && isNarrow(tensor.getElementType()))))
      return true;
    llvm::raw_string_ostream(reason)
        << "'" << op->getName() << "' has the type " << type
        << ", which kernels do not compute with";
    return false;
  };
  return llvm::all_of(op->getOperandTypes(), check) &&
         llvm::all_of(op->getResultTypes(), check);
}

static bool isStaticTensor(Value tensor) {
  auto type = dyn_cast<RankedTensorType>(tensor.getType());
  return type && type.hasStaticShape();
}

/// Ops whose result is their first operand at a mapped index.
static bool isIndexMap(Operation *op) {
  return isa<graph::TransposeOp, graph::ReshapeOp, graph::ExpandOp,
             graph::SliceOp, graph::ReverseOp, graph::TileOp,
             graph::RelayoutOp>(op);
}

bool mlir::atc::cpu::isPointwise(Operation *op, std::string &reason) {
  if (!hasComputableTypes(op, reason))
    return false;
  if (isa<graph::ScalarBodyInterface, graph::ConstantOp, graph::GatherOp,
          graph::GatherElementsOp, graph::GatherNDOp, graph::OneHotOp,
          graph::RangeOp, graph::QuantizeOp, graph::DequantizeOp,
          graph::BatchNormOp, graph::LrnOp, graph::SliceDynamicOp,
          graph::TileDynamicOp>(op))
    return true;
  if (isa<graph::ConcatOp, graph::PadOp, graph::ResizeOp, graph::ReshapeOp>(op))
    return true;
  if (isIndexMap(op)) {
    bool isStatic =
        isStaticTensor(op->getOperand(0)) && isStaticTensor(op->getResult(0));
    // Kernels have maps over open sizes too.
    if (!isStatic || succeeded(getKernelOperandMap(op, 0)))
      return true;
    reason = ("'" + op->getName().getStringRef() +
              "' moves elements in a way that no index map tells")
                 .str();
    return false;
  }
  reason = ("'" + op->getName().getStringRef() +
            "' is not computed element by element")
               .str();
  return false;
}

static bool hasKnownSizes(Operation *op, std::string &reason) {
  auto isKnown = [](Value tensor) {
    return graph::getKernelSizes(tensor).has_value();
  };
  if (llvm::all_of(op->getOperands(), isKnown) &&
      llvm::all_of(op->getResults(), isKnown))
    return true;
  reason = ("'" + op->getName().getStringRef() +
            "' has a shape that is only known at run time")
               .str();
  return false;
}

bool mlir::atc::cpu::isKernelPointwise(Operation *op, std::string &reason) {
  return isPointwise(op, reason) && hasKnownSizes(op, reason);
}

//===----------------------------------------------------------------------===//
// Views, bindings, memory of values
//===----------------------------------------------------------------------===//

RegionEmitter::RegionEmitter(OpBuilder &builder, Location loc,
                             const CpuDescription &cpu, ValueRange dims)
    : builder(builder), loc(loc), index(builder, loc), cpu(cpu),
      dims(dims.begin(), dims.end()) {}

void RegionEmitter::setView(Value tensor, TensorView view) {
  views[tensor] = std::move(view);
}

const TensorView *RegionEmitter::getView(Value tensor) const {
  auto found = views.find(tensor);
  return found == views.end() ? nullptr : &found->second;
}

void RegionEmitter::bind(Value tensor, Value value) {
  bindings[tensor] = value;
  forgetBound();
}

void RegionEmitter::unbind(Value tensor) {
  if (bindings.erase(tensor))
    forgetBound();
}

void RegionEmitter::forgetBound() {
  for (auto &[other, entries] : memo)
    llvm::erase_if(entries,
                   [](const Entry &entry) { return entry.usesBinding; });
}

/// Whether code at the insertion point may use `value`: code is inserted in
/// execution order, so it suffices that the value's block encloses the point.
static bool isVisible(OpBuilder &builder, Value value) {
  Block *block = builder.getInsertionBlock();
  while (block && block != value.getParentBlock()) {
    Operation *parent = block->getParentOp();
    block = parent ? parent->getBlock() : nullptr;
  }
  return block;
}

const RegionEmitter::Entry *
RegionEmitter::lookup(Value tensor, const VectorPoint &point) const {
  auto found = memo.find(tensor);
  if (found == memo.end())
    return nullptr;
  for (const Entry &entry : found->second)
    if (entry.point == point && isVisible(builder, entry.value))
      return &entry;
  return nullptr;
}

void RegionEmitter::remember(Value tensor, const VectorPoint &point,
                             Value value, bool usesBinding) {
  memo[tensor].push_back({point, value, usesBinding});
}

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

OpFoldResult RegionEmitter::sizeOf(Value tensor, unsigned dim) {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (!type.isDynamicDim(dim))
    return index.constant(type.getDimSize(dim));
  if (const TensorView *view = getView(tensor))
    return view->sizes[dim];
  // Kernels whose sizes are not told have no template.
  return evaluate(graph::getKernelSizes(tensor)->getResult(dim));
}

/// Emits the value of a size expression at the insertion point.
static OpFoldResult emitSize(IndexBuilder &index, AffineExpr expr,
                             ValueRange dims) {
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return dims[symbol.getPosition()];
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return index.constant(constant.getValue());
  auto binary = cast<AffineBinaryOpExpr>(expr);
  OpFoldResult lhs = emitSize(index, binary.getLHS(), dims);
  OpFoldResult rhs = emitSize(index, binary.getRHS(), dims);
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    return index.add(lhs, rhs);
  case AffineExprKind::Mul:
    return index.mul(lhs, rhs);
  case AffineExprKind::FloorDiv:
    return index.div(lhs, rhs);
  case AffineExprKind::CeilDiv:
    return index.div(index.add(lhs, index.sub(rhs, index.constant(1))), rhs);
  case AffineExprKind::Mod:
    return index.rem(lhs, rhs);
  default:
    llvm_unreachable("covered kinds");
  }
}

OpFoldResult RegionEmitter::evaluate(AffineExpr expr) {
  // What takes no code needs no place.
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return index.constant(constant.getValue());
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return dims[symbol.getPosition()];
  if (OpFoldResult known = evaluated.lookup(expr))
    return known;
  // Dims are arguments: any place in the entry block will do.
  OpBuilder::InsertionGuard guard(builder);
  if (lastEvaluated)
    builder.setInsertionPointAfter(lastEvaluated);
  else
    builder.setInsertionPointToStart(dims.front().getParentBlock());
  OpFoldResult result = emitSize(index, expr, dims);
  if (auto value = dyn_cast<Value>(result); value && value.getDefiningOp())
    lastEvaluated = value.getDefiningOp();
  return evaluated[expr] = result;
}

//===----------------------------------------------------------------------===//
// Leaves
//===----------------------------------------------------------------------===//

Value RegionEmitter::constant(Operation *op, const VectorPoint &point) {
  auto value = cast<DenseElementsAttr>(cast<graph::ConstantOp>(op).getValue());
  Type element = value.getElementType();
  Type type = point.typeFor(computeType(element));
  if (!value.isSplat()) {
    return load(viewOfConstant(op), point);
  }
  if (isNarrowFloat(element)) {
    // LLVM has no constants of these types.
    APInt bits = value.getSplatValue<APFloat>().bitcastToAPInt();
    Type integer = point.typeFor(builder.getIntegerType(bits.getBitWidth()));
    return arith::BitcastOp::create(
        builder, loc, type,
        graph::buildInteger(builder, loc, integer, bits.getSExtValue()));
  }
  if (isa<FloatType>(element))
    return graph::buildFloat(builder, loc, type,
                             value.getSplatValue<APFloat>().convertToDouble());
  APInt bits = value.getSplatValue<APInt>();
  return graph::buildInteger(builder, loc, type,
                             element.isInteger(1) ? bits.getZExtValue()
                                                  : bits.getSExtValue());
}

std::optional<::atc::PhysicalLayout>
mlir::atc::cpu::reshapedLayout(const ::atc::PhysicalLayout &layout,
                               Operation *op) {
  auto reshape = cast<graph::ReshapeOp>(op);
  auto from = cast<RankedTensorType>(reshape.getX().getType());
  auto to = cast<RankedTensorType>(reshape.getType());
  if (from.hasStaticShape() && to.hasStaticShape())
    return layoutThroughReshape(layout, from.getShape(), to.getShape());
  // Whatever the sizes are, elements that follow each other go on doing so.
  if (!layout.isRowMajor() || !graph::getKernelSizes(reshape.getResult()))
    return std::nullopt;
  return ::atc::PhysicalLayout::rowMajor(to.getRank());
}

std::optional<TensorView> RegionEmitter::viewOfReshape(Operation *op) {
  auto reshape = cast<graph::ReshapeOp>(op);
  const TensorView *source = getView(reshape.getX());
  if (!source)
    return std::nullopt;
  std::optional<::atc::PhysicalLayout> layout =
      reshapedLayout(source->layout, reshape);
  if (!layout)
    return std::nullopt;
  auto type = cast<RankedTensorType>(reshape.getType());
  SmallVector<Value> dynamicSizes;
  for (unsigned dim = 0; dim < type.getRank(); ++dim)
    if (type.isDynamicDim(dim))
      dynamicSizes.push_back(index.value(sizeOf(reshape.getResult(), dim)));
  return TensorView::create(
      index, source->buffer,
      withLayout(RankedTensorType::get(type.getShape(), type.getElementType()),
                 *layout),
      dynamicSizes);
}

Value RegionEmitter::leaf(Value tensor, const VectorPoint &point,
                          bool &usesBinding) {
  if (auto bound = bindings.find(tensor); bound != bindings.end()) {
    usesBinding = true;
    return bound->second;
  }
  if (const TensorView *view = getView(tensor))
    return load(*view, point);
  if (auto op = tensor.getDefiningOp<graph::ConstantOp>())
    return constant(op, point);
  auto reshape = tensor.getDefiningOp<graph::ReshapeOp>();
  if (!reshape || bindings.contains(reshape.getX()))
    return {};
  std::optional<TensorView> view = viewOfReshape(reshape);
  return view ? load(*view, point) : Value();
}

//===----------------------------------------------------------------------===//
// Evaluation
//===----------------------------------------------------------------------===//

struct RegionEmitter::Frame {
  Value tensor;
  VectorPoint point;
  Operation *op = nullptr;
  /// What the op reads, and where.
  SmallVector<Value, 3> operands;
  SmallVector<VectorPoint, 3> points;
};

bool RegionEmitter::describe(Frame &frame) {
  Operation *op = frame.op;
  if (auto reshape = dyn_cast<graph::ReshapeOp>(op)) {
    CoordinateBuilder coordinates(builder, loc, frame.point.lanes);
    std::optional<AffineMap> to = graph::getKernelSizes(reshape.getX());
    std::optional<AffineMap> from = graph::getKernelSizes(reshape.getResult());
    if (!from || !to)
      return false;
    frame.operands.push_back(reshape.getX());
    frame.points.push_back(
        coordinates.reshape(frame.point, from->getResults(), to->getResults(),
                            [&](AffineExpr expr) { return evaluate(expr); }));
    return true;
  }
  bool isElementwise = isa<graph::ScalarBodyInterface>(op);
  if (!isElementwise && !isIndexMap(op))
    return false;
  CoordinateBuilder coordinates(builder, loc, frame.point.lanes);
  unsigned count = isElementwise ? op->getNumOperands() : 1;
  for (unsigned operand = 0; operand < count; ++operand) {
    FailureOr<AffineMap> map = getKernelOperandMap(op, operand);
    if (failed(map))
      return false;
    frame.operands.push_back(op->getOperand(operand));
    frame.points.push_back(coordinates.apply(
        *map, frame.point, [&](AffineExpr expr) { return evaluate(expr); }));
  }
  return true;
}

FailureOr<Value> RegionEmitter::finish(Frame &frame, ValueRange operands) {
  auto body = dyn_cast<graph::ScalarBodyInterface>(frame.op);
  if (!body)
    return operands.front();
  Value result = body.buildScalarBody(builder, loc, operands);
  if (!result)
    return frame.op->emitOpError("has no scalar form");
  // Halves that a cast made go on in single precision.
  Type wanted = frame.point.typeFor(
      computeType(getElementTypeOrSelf(frame.tensor.getType())));
  if (result.getType() != wanted)
    result = arith::ExtFOp::create(builder, loc, wanted, result);
  return result;
}

FailureOr<Value> RegionEmitter::value(Value tensor, const VectorPoint &point) {
  // A stack of its own: chains of ops may be long.
  SmallVector<Frame, 0> stack;
  stack.push_back({tensor, point, nullptr, {}, {}});
  while (!stack.empty()) {
    Frame &frame = stack.back();
    if (lookup(frame.tensor, frame.point)) {
      stack.pop_back();
      continue;
    }
    bool usesBinding = false;
    if (Value known = leaf(frame.tensor, frame.point, usesBinding)) {
      if (!isVisible(builder, known))
        return emitError(loc, "a tensor is bound to a value of another loop");
      remember(frame.tensor, frame.point, known, usesBinding);
      continue;
    }
    if (!frame.op) {
      frame.op = frame.tensor.getDefiningOp();
      if (!frame.op)
        return emitError(loc, "a tensor has no view");
      if (!describe(frame)) {
        bool outer = std::exchange(touchedBinding, false);
        FailureOr<Value> computed = compute(frame.op, frame.point);
        if (failed(computed))
          return failure();
        remember(frame.tensor, frame.point, *computed, touchedBinding);
        touchedBinding |= outer;
        continue;
      }
    }
    SmallVector<Value, 3> operands;
    for (auto [operand, where] :
         llvm::zip_equal(frame.operands, frame.points)) {
      const Entry *entry = lookup(operand, where);
      if (!entry)
        break;
      usesBinding |= entry->usesBinding;
      operands.push_back(entry->value);
    }
    if (operands.size() < frame.operands.size()) {
      Frame next{frame.operands[operands.size()],
                 frame.points[operands.size()],
                 nullptr,
                 {},
                 {}};
      stack.push_back(std::move(next));
      continue;
    }
    FailureOr<Value> result = finish(frame, operands);
    if (failed(result))
      return failure();
    remember(frame.tensor, frame.point, *result, usesBinding);
  }
  const Entry *entry = lookup(tensor, point);
  touchedBinding |= entry->usesBinding;
  return entry->value;
}

//===----------------------------------------------------------------------===//
// From an anchor to a result
//===----------------------------------------------------------------------===//

/// Where the elements at `point` of operand `number` stand in the op's result;
/// fails unless each goes to one place.
static FailureOr<VectorPoint> mapThrough(CoordinateBuilder &coordinates,
                                         OpOperand &operand,
                                         const VectorPoint &point,
                                         CoordinateBuilder::Evaluate evaluate) {
  Operation *op = operand.getOwner();
  auto from = cast<RankedTensorType>(operand.get().getType());
  auto to = cast<RankedTensorType>(op->getResult(0).getType());
  if (isa<graph::RelayoutOp>(op))
    return point;
  if (auto transpose = dyn_cast<graph::TransposeOp>(op)) {
    SmallVector<Coordinate, 6> result;
    for (int64_t dim : transpose.getPermutation())
      result.push_back(point.coordinates[dim]);
    return point.with(std::move(result));
  }
  std::optional<AffineMap> fromSizes = graph::getKernelSizes(operand.get());
  std::optional<AffineMap> toSizes = graph::getKernelSizes(op->getResult(0));
  if (!fromSizes || !toSizes)
    return failure();
  if (isa<graph::ReshapeOp>(op) && operand.getOperandNumber() == 0)
    return coordinates.reshape(point, fromSizes->getResults(),
                               toSizes->getResults(), evaluate);
  bool aligns = isa<graph::ScalarBodyInterface, graph::ExpandOp>(op) &&
                operand.getOperandNumber() < 3;
  int64_t added = to.getRank() - from.getRank();
  if (!aligns || added < 0 ||
      toSizes->getResults().drop_front(added) != fromSizes->getResults() ||
      llvm::any_of(
          to.getShape().take_front(added),
          [](int64_t size) { return size != 1; }))
    return failure();
  SmallVector<Coordinate, 6> result(added, coordinates.constant(0));
  llvm::append_range(result, point.coordinates);
  return point.with(std::move(result));
}

FailureOr<VectorPoint>
RegionEmitter::mapForward(Value from, const VectorPoint &point, Value to) {
  // The tensors that `to` is made of.
  SetVector<Value> sources;
  sources.insert(to);
  for (size_t i = 0; i < sources.size(); ++i)
    if (Operation *op = sources[i].getDefiningOp(); op && sources[i] != from)
      sources.insert(op->operand_begin(), op->operand_end());
  CoordinateBuilder coordinates(builder, loc, point.lanes);
  VectorPoint current = point;
  for (Value tensor = from; tensor != to;) {
    OpOperand *next = nullptr;
    for (OpOperand &use : tensor.getUses())
      if (use.getOwner()->getNumResults() == 1 &&
          sources.contains(use.getOwner()->getResult(0)))
        next = &use;
    if (!next)
      return emitError(loc, "a result does not follow from the anchor");
    FailureOr<VectorPoint> mapped =
        mapThrough(coordinates, *next, current,
                   [&](AffineExpr expr) { return evaluate(expr); });
    if (failed(mapped))
      return next->getOwner()->emitOpError(
          "does not use the anchor's elements one by one");
    current = *mapped;
    tensor = next->getOwner()->getResult(0);
  }
  return current;
}
