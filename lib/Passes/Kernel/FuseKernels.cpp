// Grows ops into kernel regions around anchors.
// SPDX-License-Identifier: Apache-2.0
#include "KernelForm.h"
#include "atc/Dialect/Graph/IR/EmbeddedConstant.h"
#include "atc/Dialect/Graph/IR/FunctionSizes.h"
#include "atc/Dialect/Graph/IR/Graph.h"
#include "atc/Passes/Kernel/Passes.h"
#include "atc/Target/Services.h"
#include "mlir/Analysis/TopologicalSortUtils.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::atc {
#define GEN_PASS_DEF_FUSEKERNELSPASS
#include "atc/Passes/Kernel/Passes.h.inc"
} // namespace mlir::atc

using namespace mlir;
using namespace mlir::atc;

namespace {

/// How strongly an op attracts its neighbours. Higher ranks choose first.
enum class AnchorRank { None, Cheap, Expensive };

AnchorRank anchorRank(Operation *op) {
  if (isa<graph::ConvOp, graph::ConvTransposeOp, graph::ConvWinogradOp,
          graph::MatMulOp, graph::AttentionOp>(op))
    return AnchorRank::Expensive;
  if (isa<graph::MaxPoolOp, graph::AvgPoolOp, graph::ReduceOp,
          graph::ArgReduceOp, graph::CumulativeSumOp, graph::SoftmaxOp,
          graph::LogSoftmaxOp, graph::LayerNormOp, graph::RmsNormOp,
          graph::InstanceNormOp, graph::GroupNormOp, graph::LrnOp,
          graph::ScatterElementsOp, graph::ScatterNDOp>(op))
    return AnchorRank::Cheap;
  return AnchorRank::None;
}

/// Ops that only rename elements: views once layouts are chosen.
bool isView(Operation *op) {
  return isa<graph::ReshapeOp, graph::TransposeOp>(op);
}

/// Ops whose results no kernel computes: constants, and what the plan computes
/// of sizes.
bool isComputing(Operation *op) {
  return !isa<graph::ConstantOp, graph::WeightOp, graph::PackSizesOp>(op) &&
         isa<graph::GraphDialect>(op->getDialect()) && !isa<graph::DimOp>(op);
}

bool isElementwise(Operation *op) {
  return isa<graph::ScalarBodyInterface>(op) && op->getNumResults() == 1;
}

RankedTensorType rankedType(Value value) {
  return dyn_cast<RankedTensorType>(value.getType());
}

bool hasStaticShape(Type type) {
  auto tensor = dyn_cast<TensorType>(type);
  return tensor && tensor.hasStaticShape();
}

/// Partitions the ops of a function into groups, then makes each a kernel.
/// Groups are kept as indices until the end: an op's position in the block
/// stands for its order, and a group counts as one node when cycles are looked
/// for.
class KernelFuser {
public:
  KernelFuser(func::FuncOp function, const Target &target, unsigned maxResults)
      : function(function), target(target), maxResults(maxResults),
        sizes(function) {}

  LogicalResult collect();
  void growAnchors(AnchorRank rank);
  void leaveParts();
  void groupRemaining();
  LogicalResult materialize();

  unsigned numKernels = 0, numFused = 0;

private:
  struct Group {
    Operation *anchor = nullptr;
    llvm::SetVector<Operation *> members;
    unsigned minIndex = 0, maxIndex = 0;
  };

  bool isSupported(Operation *op, std::string &reason) const;
  bool isFree(Operation *op) const {
    auto it = groupOf.find(op);
    return it != groupOf.end() && it->second == unassigned;
  }
  bool contains(unsigned group, Value value) const {
    Operation *def = value.getDefiningOp();
    auto it = groupOf.find(def);
    return def && it != groupOf.end() && it->second == group;
  }
  unsigned newGroup(Operation *op, bool isAnchor);
  void add(unsigned group, Operation *op);
  void removeLast(unsigned group);
  void growEpilogue(unsigned group);
  void growPrologue(unsigned group);
  bool joinsEpilogue(unsigned group, Operation *op);
  bool joinsPrologue(unsigned group, Operation *consumer, Operation *producer);
  bool dependsOnGroup(Operation *op, unsigned group);
  bool followsPitch(Operation *op) const;
  bool isAssembledInPlace(graph::ConcatOp concat) const;
  bool isReadInPlace(graph::SliceOp slice) const;
  SmallVector<Value> results(unsigned group) const;
  LogicalResult materialize(Group &group, unsigned index);
  /// Equal for all inputs: that two dims agree must be known, not hoped.
  bool haveSameSizes(Value lhs, Value rhs) const {
    return sizes.haveSameSizes(lhs, rhs);
  }

  static constexpr unsigned unassigned = ~0u;
  /// Ops looked at for one cycle check before giving up on the candidate.
  static constexpr unsigned searchLimit = 4096;

  func::FuncOp function;
  const Target &target;
  unsigned maxResults;
  graph::FunctionSizes sizes;
  SmallVector<Operation *> ops;
  DenseMap<Operation *, unsigned> indexOf;
  /// Only ops that end in kernels are keys.
  DenseMap<Operation *, unsigned> groupOf;
  SmallVector<Group> groups;
};

/// Asks the target about the op as it will stand in a kernel.
bool KernelFuser::isSupported(Operation *op, std::string &reason) const {
  if (!changesInKernel(op))
    return target.supports(op, reason);
  OpBuilder builder(op);
  IRMapping mapping;
  mapping.map(op->getOperand(0), op->getOperand(0));
  Operation *clone = cloneForKernel(builder, op, mapping);
  bool isSupported = target.supports(clone, reason);
  clone->erase();
  return isSupported;
}

LogicalResult KernelFuser::collect() {
  LogicalResult result = success();
  for (Operation &op : function.front().without_terminator()) {
    indexOf[&op] = ops.size();
    ops.push_back(&op);
    if (isView(&op) || !isComputing(&op))
      continue;
    std::string reason;
    if (isSupported(&op, reason)) {
      groupOf[&op] = unassigned;
      continue;
    }
    result = op.emitOpError()
             << "is not supported on " << target.getName() << ": " << reason;
  }
  return result;
}

unsigned KernelFuser::newGroup(Operation *op, bool isAnchor) {
  unsigned group = groups.size();
  groups.emplace_back();
  groups.back().anchor = isAnchor ? op : nullptr;
  groups.back().minIndex = groups.back().maxIndex = indexOf[op];
  groups.back().members.insert(op);
  groupOf[op] = group;
  return group;
}

void KernelFuser::add(unsigned group, Operation *op) {
  Group &g = groups[group];
  g.members.insert(op);
  g.minIndex = std::min(g.minIndex, indexOf[op]);
  g.maxIndex = std::max(g.maxIndex, indexOf[op]);
  groupOf[op] = group;
}

void KernelFuser::removeLast(unsigned group) {
  // The index range may stay too wide: it only prunes the cycle search.
  groupOf[groups[group].members.pop_back_val()] = unassigned;
}

/// Whether `op` needs a value of the group, directly or through other ops and
/// groups. Answers true where the search would take too long.
bool KernelFuser::dependsOnGroup(Operation *op, unsigned group) {
  unsigned minIndex = groups[group].minIndex;
  DenseSet<Operation *> visited;
  DenseSet<unsigned> visitedGroups;
  SmallVector<Operation *> worklist{op};
  auto push = [&](Operation *user) {
    for (Value operand : user->getOperands())
      if (Operation *def = operand.getDefiningOp())
        if (indexOf.contains(def) && visited.insert(def).second)
          worklist.push_back(def);
  };
  while (!worklist.empty()) {
    if (visited.size() > searchLimit)
      return true;
    Operation *current = worklist.pop_back_val();
    auto it = groupOf.find(current);
    unsigned owner = it == groupOf.end() ? unassigned : it->second;
    if (owner == group)
      return true;
    if (owner == unassigned) {
      if (indexOf[current] > minIndex)
        push(current);
      continue;
    }
    // A group runs as one: whatever any member needs, all of it needs.
    if (groups[owner].maxIndex < minIndex ||
        !visitedGroups.insert(owner).second)
      continue;
    for (Operation *member : groups[owner].members)
      push(member);
  }
  return false;
}

/// An op joins behind the anchor if it computes one element per element of the
/// anchor's tile, and all else that it reads is there before the kernel runs.
bool KernelFuser::joinsEpilogue(unsigned group, Operation *op) {
  Operation *anchor = groups[group].anchor;
  if (!isFree(op) || !isElementwise(op))
    return false;
  Value tile = anchor->getResult(0);
  if (!haveSameSizes(op->getResult(0), tile) ||
      !target.canFuse(anchor, op, FusionRole::Epilogue))
    return false;
  for (Value operand : op->getOperands()) {
    if (contains(group, operand)) {
      if (!haveSameSizes(operand, tile))
        return false;
      continue;
    }
    Operation *def = operand.getDefiningOp();
    if (def && dependsOnGroup(def, group))
      return false;
  }
  return true;
}

void KernelFuser::growEpilogue(unsigned group) {
  SmallVector<Operation *> worklist{groups[group].anchor};
  while (!worklist.empty()) {
    Operation *op = worklist.pop_back_val();
    // Users in block order, so that equal models fuse equally.
    SmallVector<Operation *> users(op->getUsers().begin(),
                                   op->getUsers().end());
    llvm::sort(users, [&](Operation *lhs, Operation *rhs) {
      return indexOf.lookup(lhs) < indexOf.lookup(rhs);
    });
    for (Operation *user : users) {
      if (!joinsEpilogue(group, user))
        continue;
      add(group, user);
      worklist.push_back(user);
      ++numFused;
    }
  }
  while (groups[group].members.size() > 1 &&
         results(group).size() > maxResults) {
    removeLast(group);
    --numFused;
  }
}

/// Ops that read each element of an operand at most once, however large their
/// own result is.
bool readsEachElementOnce(Operation *op) {
  return isa<graph::ConcatOp, graph::PadOp>(op);
}

/// A producer joins before its consumer if nobody else reads it and it is not
/// computed more often than before.
bool KernelFuser::joinsPrologue(unsigned group, Operation *consumer,
                                Operation *producer) {
  if (!producer || !isFree(producer) || producer->getNumResults() != 1 ||
      anchorRank(producer) != AnchorRank::None)
    return false;
  if (!target.canFuse(groups[group].anchor, producer, FusionRole::Prologue))
    return false;
  graph::SizeExpr produced = sizes.countElements(producer->getResult(0));
  graph::SizeExpr consumed = sizes.countElements(consumer->getResult(0));
  if (produced.isConstant(0) || (!readsEachElementOnce(consumer) &&
                                 !(produced - consumed).isNonNegative()))
    return false;
  return llvm::all_of(producer->getUsers(), [&](Operation *user) {
    auto it = groupOf.find(user);
    return it != groupOf.end() && it->second == group;
  });
}

void KernelFuser::growPrologue(unsigned group) {
  SmallVector<Operation *> worklist(groups[group].members.begin(),
                                    groups[group].members.end());
  while (!worklist.empty()) {
    Operation *op = worklist.pop_back_val();
    // Interpolation reads an element several times.
    if (isa<graph::ResizeOp, graph::ResizeDynamicOp>(op))
      continue;
    for (Value operand : op->getOperands()) {
      Operation *def = operand.getDefiningOp();
      if (!joinsPrologue(group, op, def))
        continue;
      add(group, def);
      worklist.push_back(def);
      ++numFused;
    }
  }
}

void KernelFuser::growAnchors(AnchorRank rank) {
  // Backwards: where two anchors meet in one op, the later one takes it, since
  // the earlier one's result is there by then.
  for (Operation *op : llvm::reverse(ops)) {
    if (!isFree(op) || anchorRank(op) != rank)
      continue;
    unsigned group = newGroup(op, /*isAnchor=*/true);
    growEpilogue(group);
    growPrologue(group);
  }
}

/// Whether the op sits in a group whose kernel can have its operands and
/// results inside larger tensors.
bool KernelFuser::followsPitch(Operation *op) const {
  auto it = groupOf.find(op);
  if (!op || it == groupOf.end() || it->second == unassigned)
    return false;
  return target.kernelFollowsPitch(groups[it->second].members.getArrayRef());
}

/// Whether all parts can be computed where they stand in the result.
bool KernelFuser::isAssembledInPlace(graph::ConcatOp concat) const {
  llvm::SmallPtrSet<Value, 4> parts;
  return rankedType(concat.getResult()).hasStaticShape() &&
         llvm::all_of(concat.getXs(), [&](Value part) {
           return parts.insert(part).second &&
                  followsPitch(part.getDefiningOp());
         });
}

/// Whether all readers can read the part where it stands. Readers of windows
/// want a border around the part, so it may be cut between channels only.
bool KernelFuser::isReadInPlace(graph::SliceOp slice) const {
  RankedTensorType from = rankedType(slice.getX());
  RankedTensorType to = rankedType(slice.getResult());
  if (!from || !from.hasStaticShape() || from.getRank() < 3 ||
      llvm::any_of(slice.getSteps(), [](int64_t step) { return step != 1; }))
    return false;
  for (int64_t dim = 0; dim < from.getRank(); ++dim)
    if (dim != 1 && from.getDimSize(dim) != to.getDimSize(dim))
      return false;
  return llvm::all_of(slice->getUses(), [&](OpOperand &use) {
    Operation *user = use.getOwner();
    bool isWindow =
        isa<graph::ConvOp, graph::MaxPoolOp, graph::AvgPoolOp>(user);
    return followsPitch(user) &&
           (isElementwise(user) || (isWindow && use.getOperandNumber() == 0));
  });
}

/// Concatenations and slices that take no copy stay outside of kernels: the
/// plan makes their parts views.
void KernelFuser::leaveParts() {
  for (Operation *op : ops) {
    if (!isFree(op))
      continue;
    auto concat = dyn_cast<graph::ConcatOp>(op);
    auto slice = dyn_cast<graph::SliceOp>(op);
    if ((concat && isAssembledInPlace(concat)) ||
        (slice && isReadInPlace(slice)))
      groupOf.erase(op);
  }
}

void KernelFuser::groupRemaining() {
  for (Operation *op : llvm::reverse(ops)) {
    if (!isFree(op))
      continue;
    unsigned group = newGroup(op, /*isAnchor=*/false);
    growPrologue(group);
  }
}

SmallVector<Value> KernelFuser::results(unsigned group) const {
  SmallVector<Value> values;
  for (Operation *op : groups[group].members)
    for (Value result : op->getResults())
      if (llvm::any_of(result.getUsers(), [&](Operation *user) {
            auto it = groupOf.find(user);
            return it == groupOf.end() || it->second != group;
          }))
        values.push_back(result);
  return values;
}

LogicalResult KernelFuser::materialize(Group &group, unsigned index) {
  SmallVector<Operation *> members(group.members.begin(), group.members.end());
  llvm::sort(members, [&](Operation *lhs, Operation *rhs) {
    return indexOf[lhs] < indexOf[rhs];
  });
  // The anchor's result comes first: templates look for it there.
  SmallVector<Value> outputs = results(index);
  llvm::sort(outputs, [&](Value lhs, Value rhs) {
    return indexOf[lhs.getDefiningOp()] < indexOf[rhs.getDefiningOp()];
  });
  if (outputs.empty())
    return success(); // dead code

  llvm::SetVector<Value> inputs;
  SmallVector<Location> locations;
  for (Operation *op : members) {
    locations.push_back(op->getLoc());
    for (OpOperand &use : op->getOpOperands())
      if (!contains(index, use.get()) && !graph::isEmbeddedConstant(use) &&
          !tellsSizes(use))
        inputs.insert(use.get());
  }

  graph::KernelDims dims(sizes);
  SmallVector<SmallVector<AffineExpr>> shapes;
  for (Value input : inputs)
    shapes.push_back(dims.getSizes(input));
  for (Value output : outputs)
    shapes.push_back(dims.getSizes(output));
  for (Operation *op : members)
    for (Value result : op->getResults())
      dims.getSizes(result);

  OpBuilder builder(members.back());
  Location loc = builder.getFusedLoc(locations);
  auto kernel =
      graph::KernelOp::create(builder, loc, TypeRange(ValueRange(outputs)),
                              inputs.getArrayRef(), dims.getValues());
  if (!dims.empty())
    kernel.setShapesAttr(dims.finish(shapes));
  builder.setInsertionPointToEnd(&kernel.getBodyBlock());
  IRMapping mapping;
  mapping.map(inputs.getArrayRef(), kernel.getTensorArguments());
  for (Operation *op : members) {
    for (OpOperand &use : op->getOpOperands())
      if (graph::isEmbeddedConstant(use) && !mapping.contains(use.get()))
        builder.clone(*use.get().getDefiningOp(), mapping);
    Operation *clone = cloneForKernel(builder, op, mapping);
    if (dims.empty())
      continue;
    SmallVector<SmallVector<AffineExpr>> results = llvm::map_to_vector(
        op->getResults(), [&](Value result) { return dims.getSizes(result); });
    if (!llvm::all_of(op->getResultTypes(), hasStaticShape))
      clone->setAttr(graph::GraphDialect::getSizesAttrName(),
                     dims.finish(results));
  }
  SmallVector<Value> yielded = llvm::map_to_vector(
      outputs, [&](Value value) { return mapping.lookup(value); });
  graph::YieldOp::create(builder, loc, yielded);
  for (auto [value, result] : llvm::zip_equal(outputs, kernel.getResults())) {
    sizes.getAnalysis().copySizes(value, result);
    value.replaceUsesWithIf(result, [&](OpOperand &use) {
      auto it = groupOf.find(use.getOwner());
      return it == groupOf.end() || it->second != index;
    });
  }
  ++numKernels;
  return success();
}

LogicalResult KernelFuser::materialize() {
  for (auto [index, group] : llvm::enumerate(groups))
    if (failed(materialize(group, index)))
      return failure();
  for (Operation *op : llvm::reverse(ops)) {
    if (groupOf.contains(op))
      op->dropAllUses();
    if (groupOf.contains(op))
      op->erase();
  }
  // A kernel stands where its last op stood; ops in between may use it.
  if (!sortTopologically(&function.front()))
    return function.emitError("fusion made a cycle");
  return success();
}

struct FuseKernels : mlir::atc::impl::FuseKernelsPassBase<FuseKernels> {
  using Base::Base;

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.isExternal())
      return;
    const Target *target =
        Services::getTarget(function->getParentOfType<ModuleOp>());
    if (!target)
      return signalPassFailure();
    KernelFuser fuser(function, *target, maxResults);
    if (failed(fuser.collect()))
      return signalPassFailure();
    fuser.growAnchors(AnchorRank::Expensive);
    fuser.growAnchors(AnchorRank::Cheap);
    fuser.leaveParts();
    fuser.groupRemaining();
    if (failed(fuser.materialize()))
      return signalPassFailure();
    numKernels += fuser.numKernels;
    numFused += fuser.numFused;
  }
};

} // namespace
