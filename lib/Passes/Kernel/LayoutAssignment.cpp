// Settles one layout per tensor of a function.
// SPDX-License-Identifier: Apache-2.0
#include "LayoutAssignment.h"
#include "DimOrder.h"
#include "atc/Target/TensorLayout.h"

using namespace mlir;
using namespace mlir::atc;
using ::atc::PhysicalLayout;

static double byteSize(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  double bytes = type.getElementType().isIntOrFloat()
                     ? llvm::divideCeil(type.getElementTypeBitWidth(), 8)
                     : 8;
  for (int64_t size : type.getShape())
    bytes *= ShapedType::isDynamic(size) ? 1024 : size;
  return bytes;
}

/// Whether `have` has at least the halos of `want`, side by side.
static bool coversHalo(const PhysicalLayout &have, const PhysicalLayout &want) {
  return llvm::all_of(want.halos, [&](const PhysicalLayout::Halo &halo) {
    return (halo.low == 0 && halo.high == 0) ||
           llvm::any_of(have.halos, [&](const PhysicalLayout::Halo &other) {
             return other.dim == halo.dim && other.low >= halo.low &&
                    other.high >= halo.high;
           });
  });
}

/// Equal up to dims of size one, whose place means nothing.
static bool sameOrder(const PhysicalLayout &lhs, const PhysicalLayout &rhs,
                      ArrayRef<int64_t> shape) {
  if (!lhs.isStrided() || !rhs.isStrided())
    return lhs == rhs;
  auto order = [&](const PhysicalLayout &layout) {
    SmallVector<unsigned> dims;
    for (unsigned dim : layout.permutation)
      if (shape[dim] != 1 ||
          llvm::any_of(layout.halos, [&](const PhysicalLayout::Halo &halo) {
            return halo.dim == dim && halo.low + halo.high > 0;
          }))
        dims.push_back(dim);
    return dims;
  };
  return order(lhs) == order(rhs);
}

/// Whether stride one lies along `dim`, or along nothing.
static bool hasInnermost(const PhysicalLayout &layout, unsigned dim,
                         ArrayRef<int64_t> shape) {
  if (!layout.isStrided())
    return false;
  if (shape[dim] == 1)
    return true;
  for (unsigned candidate : llvm::reverse(layout.permutation)) {
    if (candidate == dim)
      return true;
    bool hasHalo = llvm::any_of(
        layout.halos, [&](const auto &halo) { return halo.dim == candidate; });
    if (shape[candidate] != 1 || hasHalo)
      return false;
  }
  return false;
}

static bool satisfies(const PhysicalLayout &layout,
                      const LayoutRequest &request, ArrayRef<int64_t> shape) {
  switch (request.kind) {
  case LayoutRequest::Kind::Strided:
    return layout.isStrided();
  case LayoutRequest::Kind::Innermost:
    return hasInnermost(layout, request.innermost, shape);
  case LayoutRequest::Kind::Permuted:
    return layout.isStrided() && sameOrder(layout, request.layout, shape) &&
           coversHalo(layout, request.layout);
  case LayoutRequest::Kind::Exact:
    return layout == request.layout;
  }
  llvm_unreachable("unknown kind");
}

void LayoutAssignment::collectConstants(Operation *op) {
  if (isa<graph::WeightOp, graph::ConstantOp>(op) ||
      (!isa<graph::KernelOp, func::ReturnOp>(op) && op->getNumOperands() > 0 &&
       llvm::all_of(op->getOperands(),
                    [&](Value operand) { return isConstant(operand); })))
    constants.insert(op);
}

//===----------------------------------------------------------------------===//
// Backwards: wishes
//===----------------------------------------------------------------------===//

void LayoutAssignment::addWish(Value value, const PhysicalLayout &layout,
                               double bytes) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || isConstant(value) || !layout.isStrided())
    return;
  PhysicalLayout order = withoutHalo(layout);
  for (Wish &wish : wishes[value])
    if (sameOrder(wish.layout, order, type.getShape())) {
      wish.bytes += bytes;
      return;
    }
  wishes[value].push_back({order, bytes});
}

void LayoutAssignment::collectKernelWishes(graph::KernelOp kernel) {
  const KernelCandidate &candidate = candidateOf(kernel);
  for (auto [operand, request] :
       llvm::zip_equal(kernel.getArgs(), candidate.operands)) {
    auto type = dyn_cast<RankedTensorType>(operand.getType());
    if (!type)
      continue;
    switch (request.kind) {
    case LayoutRequest::Kind::Permuted:
    case LayoutRequest::Kind::Exact:
      addWish(operand, request.layout, byteSize(operand));
      break;
    case LayoutRequest::Kind::Innermost:
      addWish(operand, layoutWithInnermost(type.getRank(), request.innermost),
              byteSize(operand));
      break;
    case LayoutRequest::Kind::Strided:
      break;
    }
  }
  for (unsigned index = 0; index < kernel.getNumResults(); ++index)
    collectReadingWishes(kernel, index);
}

/// Reading in the order of writing is what kernels like: what is wished of a
/// result, or settled, they wish of the operands that it is made of.
void LayoutAssignment::collectReadingWishes(graph::KernelOp kernel,
                                            unsigned index) {
  const KernelCandidate &candidate = candidateOf(kernel);
  Value result = kernel.getResult(index);
  if (!isa<RankedTensorType>(result.getType()))
    return;
  SmallVector<Wish> written = wishes.lookup(result);
  const LayoutRequest &request = candidate.results[index];
  if (request.kind == LayoutRequest::Kind::Permuted ||
      request.kind == LayoutRequest::Kind::Exact)
    written = {{withoutHalo(request.layout), byteSize(result)}};
  for (const Wish &wish : written)
    for (auto [operand, read, order] :
         llvm::zip_equal(kernel.getArgs(), candidate.operands,
                         ordersBefore(kernel, index, wish.layout)))
      if (order && read.kind == LayoutRequest::Kind::Strided)
        addWish(operand, *order, std::min(wish.bytes, byteSize(operand)));
}

void LayoutAssignment::collectWishes(Operation *op) {
  if (auto kernel = dyn_cast<graph::KernelOp>(op))
    return collectKernelWishes(kernel);
  if (auto returnOp = dyn_cast<func::ReturnOp>(op)) {
    for (auto [value, type] : llvm::zip_equal(
             returnOp.getOperands(), function.getFunctionType().getResults()))
      if (auto tensor = dyn_cast<RankedTensorType>(type))
        addWish(value, getLayout(tensor), byteSize(value));
    return;
  }
  if (!isa<graph::TransposeOp, graph::ReshapeOp, graph::ConcatOp,
           graph::SliceOp>(op))
    return;
  for (const Wish &wish : wishes.lookup(op->getResult(0)))
    for (OpOperand &part : op->getOpOperands())
      if (auto layout = orderBefore(part, wish.layout))
        addWish(part.get(), *layout,
                std::min(wish.bytes, byteSize(part.get())));
}

//===----------------------------------------------------------------------===//
// Forwards: choices
//===----------------------------------------------------------------------===//

/// The order for a result: of those that readers wish, that operands have, and
/// the natural one, that which leaves the least bytes to copy or to read
/// against the grain.
PhysicalLayout LayoutAssignment::chooseResult(graph::KernelOp kernel,
                                              unsigned index) {
  const LayoutRequest &request = candidateOf(kernel).results[index];
  Value result = kernel.getResult(index);
  auto type = cast<RankedTensorType>(result.getType());
  if (request.kind == LayoutRequest::Kind::Exact)
    return request.layout;
  if (request.kind == LayoutRequest::Kind::Permuted)
    return withoutHalo(request.layout);

  SmallVector<PhysicalLayout> options;
  auto addOption = [&](const PhysicalLayout &layout) {
    if (satisfies(layout, request, type.getShape()) &&
        !llvm::is_contained(options, layout))
      options.push_back(layout);
  };
  SmallVector<std::optional<PhysicalLayout>> read(kernel.getArgs().size());
  if (request.kind == LayoutRequest::Kind::Strided)
    for (auto [operand, layout] : llvm::zip_equal(kernel.getArgs(), read))
      if (auto tensor = dyn_cast<RankedTensorType>(operand.getType());
          tensor && !isConstant(operand))
        layout = withoutHalo(getLayout(tensor));
  for (const PhysicalLayout &layout : ordersBehind(kernel, index, read))
    addOption(layout);
  for (const Wish &wish : wishes.lookup(result))
    addOption(wish.layout);
  addOption(PhysicalLayout::rowMajor(type.getRank()));
  if (request.kind == LayoutRequest::Kind::Innermost)
    addOption(layoutWithInnermost(type.getRank(), request.innermost));

  auto cost = [&](const PhysicalLayout &layout) {
    double bytes = 0;
    for (const Wish &wish : wishes.lookup(result))
      if (!sameOrder(wish.layout, layout, type.getShape()))
        bytes += wish.bytes;
    for (auto [operand, have, want] : llvm::zip_equal(
             kernel.getArgs(), read, ordersBefore(kernel, index, layout)))
      if (have && want &&
          !sameOrder(*have, *want,
                     cast<RankedTensorType>(operand.getType()).getShape()))
        bytes += byteSize(operand);
    return bytes;
  };
  return *llvm::min_element(options, [&](const auto &lhs, const auto &rhs) {
    return cost(lhs) < cost(rhs);
  });
}

/// `value`, and all tensors that share its memory: the parts and the whole of
/// concatenations and slices, which must agree about halos.
static SmallVector<Value> sharedTensors(Value value) {
  llvm::SetVector<Value> shared;
  shared.insert(value);
  for (size_t next = 0; next < shared.size(); ++next)
    for (Operation *user : shared[next].getUsers()) {
      if (!isa<graph::ConcatOp, graph::SliceOp>(user))
        continue;
      shared.insert(user->getResult(0));
      shared.insert_range(user->getOperands());
    }
  return shared.takeVector();
}

/// Widens the halo of a result to what its readers need, unless one of them
/// needs the elements without gaps.
void LayoutAssignment::addHalo(Value value, PhysicalLayout &layout) {
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<PhysicalLayout::Halo> halos(type.getRank());
  for (Value tensor : sharedTensors(value))
    for (OpOperand &use : tensor.getUses())
      if (!widenHalo(use, layout, halos))
        return;
  for (auto [dim, halo] : llvm::enumerate(halos))
    if (halo.low > 0 || halo.high > 0)
      layout.halos.push_back({static_cast<unsigned>(dim), halo.low, halo.high});
}

/// Adds what one reader needs; false if it takes no halo at all.
bool LayoutAssignment::widenHalo(
    OpOperand &use, const PhysicalLayout &layout,
    MutableArrayRef<PhysicalLayout::Halo> halos) const {
  if (isa<graph::ReshapeOp, func::ReturnOp>(use.getOwner()))
    return false;
  auto kernel = dyn_cast<graph::KernelOp>(use.getOwner());
  if (!kernel)
    return true;
  const LayoutRequest &request =
      candidateOf(kernel).operands[use.getOperandNumber()];
  if (request.kind == LayoutRequest::Kind::Exact)
    return false;
  auto type = cast<RankedTensorType>(use.get().getType());
  if (request.kind != LayoutRequest::Kind::Permuted ||
      !sameOrder(withoutHalo(request.layout), layout, type.getShape()))
    return true;
  for (const PhysicalLayout::Halo &halo : request.layout.halos) {
    halos[halo.dim].low = std::max(halos[halo.dim].low, halo.low);
    halos[halo.dim].high = std::max(halos[halo.dim].high, halo.high);
  }
  return true;
}

void LayoutAssignment::setLayout(Value value, const PhysicalLayout &layout) {
  value.setType(withLayout(cast<RankedTensorType>(value.getType()), layout));
}

Value LayoutAssignment::relayout(Value value, const PhysicalLayout &layout) {
  auto type = withLayout(cast<RankedTensorType>(value.getType()), layout);
  Value &cached = relayouts[{value, type}];
  if (cached)
    return cached;
  OpBuilder builder(function.getContext());
  builder.setInsertionPointAfterValue(value);
  Location loc = value.getLoc();
  if (isConstant(value)) {
    auto moved = graph::RelayoutOp::create(builder, loc, type, value);
    constants.insert(moved);
    return cached = moved.getResult();
  }
  graph::KernelDims dims(sizes);
  SmallVector<AffineExpr> shape = dims.getSizes(value);
  // An input is there before its sizes are.
  if (isa<BlockArgument>(value) && !dims.empty())
    builder.restoreInsertionPoint(sizes.getBuilder().saveInsertionPoint());
  auto kernel = graph::KernelOp::create(builder, loc, TypeRange(type), value,
                                        dims.getValues());
  builder.setInsertionPointToEnd(&kernel.getBodyBlock());
  auto moved = graph::RelayoutOp::create(builder, loc, type,
                                         kernel.getTensorArguments().front());
  graph::YieldOp::create(builder, loc, moved.getResult());
  if (!dims.empty()) {
    kernel.setShapesAttr(dims.finish({shape, shape}));
    moved->setAttr(graph::GraphDialect::getSizesAttrName(),
                   dims.finish({shape}));
  }
  sizes.getAnalysis().copySizes(value, kernel.getResult(0));
  relayoutKernels.push_back(kernel);
  return cached = kernel.getResult(0);
}

LogicalResult LayoutAssignment::assignKernel(graph::KernelOp kernel) {
  const KernelCandidate &candidate = candidateOf(kernel);
  Block &body = kernel.getBody().front();
  for (auto [index, request] : llvm::enumerate(candidate.operands)) {
    Value operand = kernel->getOperand(index);
    auto type = dyn_cast<RankedTensorType>(operand.getType());
    if (!type)
      continue;
    PhysicalLayout layout = getLayout(type);
    if (!satisfies(layout, request, type.getShape())) {
      switch (request.kind) {
      case LayoutRequest::Kind::Strided:
        layout = PhysicalLayout::rowMajor(type.getRank());
        break;
      case LayoutRequest::Kind::Innermost: {
        // Keep the other dims as they lie.
        layout = withoutHalo(layout);
        if (!layout.isStrided())
          layout = PhysicalLayout::rowMajor(type.getRank());
        auto &order = layout.permutation;
        order.erase(llvm::find(order, request.innermost));
        order.push_back(request.innermost);
        break;
      }
      case LayoutRequest::Kind::Permuted:
      case LayoutRequest::Kind::Exact:
        layout = request.layout;
        break;
      }
      operand = relayout(operand, layout);
      kernel->setOperand(index, operand);
    }
    body.getArgument(index).setType(operand.getType());
  }
  for (auto [index, result] : llvm::enumerate(kernel.getResults())) {
    if (!isa<RankedTensorType>(result.getType()))
      continue;
    PhysicalLayout layout = chooseResult(kernel, index);
    if (candidate.results[index].kind != LayoutRequest::Kind::Exact)
      addHalo(result, layout);
    setLayout(result, layout);
    body.getTerminator()->getOperand(index).setType(result.getType());
  }
  return success();
}

LogicalResult LayoutAssignment::assignView(Operation *op) {
  Value operand = op->getOperand(0), result = op->getResult(0);
  auto type = cast<RankedTensorType>(operand.getType());
  auto resultType = cast<RankedTensorType>(result.getType());
  std::optional<PhysicalLayout> layout;
  if (auto transpose = dyn_cast<graph::TransposeOp>(op))
    layout =
        layoutThroughTranspose(getLayout(type), transpose.getPermutation());
  else
    layout = layoutThroughReshape(getLayout(type), type.getShape(),
                                  resultType.getShape());
  if (!layout) {
    Value dense = relayout(operand, PhysicalLayout::rowMajor(type.getRank()));
    op->setOperand(0, dense);
    return assignView(op);
  }
  setLayout(result, *layout);
  return success();
}

/// The whole and its parts lie in one order; the first part's.
LogicalResult LayoutAssignment::assignParts(Operation *op) {
  Value first = op->getOperand(0);
  auto type = cast<RankedTensorType>(first.getType());
  PhysicalLayout layout = getLayout(type);
  auto slice = dyn_cast<graph::SliceOp>(op);
  auto isCut = [&](const PhysicalLayout::Halo &halo) {
    // What surrounds a part along the dim that it is cut from is no border.
    return slice ? type.getDimSize(halo.dim) !=
                       cast<RankedTensorType>(slice.getType())
                           .getDimSize(halo.dim)
                 : halo.dim == cast<graph::ConcatOp>(op).getAxis();
  };
  if (!layout.isStrided())
    layout = PhysicalLayout::rowMajor(type.getRank());
  llvm::erase_if(layout.halos, isCut);
  for (OpOperand &part : op->getOpOperands())
    if (getLayout(cast<RankedTensorType>(part.get().getType())) != layout)
      part.set(relayout(part.get(), layout));
  setLayout(op->getResult(0), layout);
  return success();
}

LogicalResult LayoutAssignment::assignReturn(func::ReturnOp op) {
  for (auto [index, expected] :
       llvm::enumerate(function.getFunctionType().getResults())) {
    Value value = op->getOperand(index);
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (!type ||
        type.getEncoding() == cast<RankedTensorType>(expected).getEncoding())
      continue;
    PhysicalLayout layout = getLayout(cast<RankedTensorType>(expected));
    op->setOperand(index, relayout(value, layout));
  }
  return success();
}

LogicalResult LayoutAssignment::assign(Operation *op) {
  if (constants.contains(op))
    return success();
  if (auto kernel = dyn_cast<graph::KernelOp>(op))
    return assignKernel(kernel);
  if (isa<graph::TransposeOp, graph::ReshapeOp>(op))
    return assignView(op);
  if (isa<graph::ConcatOp, graph::SliceOp>(op))
    return assignParts(op);
  if (auto returnOp = dyn_cast<func::ReturnOp>(op))
    return assignReturn(returnOp);
  return success();
}

LogicalResult LayoutAssignment::run() {
  // Relayouts are inserted while walking; they carry their types already.
  SmallVector<Operation *> ops =
      llvm::map_to_vector(function.front(), [](Operation &op) { return &op; });
  for (Operation *op : ops)
    collectConstants(op);
  for (Operation *op : llvm::reverse(ops))
    collectWishes(op);
  for (Operation *op : ops)
    if (failed(assign(op)))
      return failure();
  return success();
}
