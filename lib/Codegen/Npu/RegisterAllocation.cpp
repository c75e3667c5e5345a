// Linear scan over structured control flow.
// SPDX-License-Identifier: Apache-2.0
#include "RegisterAllocation.h"
#include "atc/Dialect/Npu/IR/Npu.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/BitVector.h"

using namespace mlir;
using namespace mlir::atc::npu;
namespace hw = ::atc::isa;

static constexpr unsigned scratchCount = 2;
static constexpr unsigned usableRegisters = hw::registerCount - scratchCount;

std::optional<int32_t> mlir::atc::npu::getImmediate(Value value) {
  APInt constant;
  if (!matchPattern(value, m_ConstantInt(&constant)))
    return std::nullopt;
  // A true i1 is 1, not -1.
  int64_t number = constant.getBitWidth() == 1 ? constant.getZExtValue()
                                               : constant.getSExtValue();
  if (number < INT32_MIN || number > INT32_MAX)
    return std::nullopt;
  return static_cast<int32_t>(number);
}

unsigned RegisterAllocation::getScratch(unsigned number) {
  return usableRegisters + number;
}

static bool needsRegister(Value value) {
  if (auto type = dyn_cast<MemRefType>(value.getType()))
    return getSpace(value) == hw::Space::GM;
  return !getImmediate(value);
}

namespace {

/// Positions between which a value must keep its register.
struct Interval {
  Value value;
  unsigned begin, end;
};

/// Numbers ops in program order and collects intervals. A value used in a loop
/// that it was defined outside of lives to the loop's end.
class IntervalBuilder {
public:
  explicit IntervalBuilder(func::FuncOp function) {
    for (BlockArgument argument : function.getArguments())
      define(argument);
    visit(function.front());
  }

  /// In the order of their begins.
  ArrayRef<Interval> getIntervals() const { return intervals; }
  /// The value whose register `value` shares.
  Value leader(Value value) const {
    auto it = leaders.find(value);
    return it == leaders.end() ? value : it->second;
  }
  const llvm::DenseMap<Value, Value> &getLeaders() const { return leaders; }

private:
  void define(Value value) {
    if (!needsRegister(value))
      return;
    indexOf[value] = intervals.size();
    intervals.push_back({value, position, position});
  }

  void extend(Value value) {
    auto it = indexOf.find(value);
    if (it != indexOf.end())
      intervals[it->second].end = std::max(intervals[it->second].end, position);
  }

  void use(Value value, Operation *user) {
    auto it = indexOf.find(leader(value));
    if (it == indexOf.end())
      return;
    extend(leader(value));
    // Every loop between use and definition runs again.
    Block *home = value.getParentBlock();
    for (Operation *op = user; op && op->getBlock() != home;
         op = op->getParentOp())
      if (isa<scf::ForOp>(op->getParentOp()))
        pendingLoops[op->getParentOp()].push_back(it->second);
  }

  void visit(Block &block) {
    for (Operation &op : block) {
      ++position;
      for (Value operand : op.getOperands())
        use(operand, &op);
      if (auto loop = dyn_cast<scf::ForOp>(op))
        visitLoop(loop);
      else if (auto branch = dyn_cast<scf::IfOp>(op))
        visitBranch(branch);
      else
        for (Value result : op.getResults())
          define(result);
    }
  }

  void visitLoop(scf::ForOp loop) {
    // Bounds are read in every turn.
    define(loop.getInductionVar());
    for (BlockArgument argument : loop.getRegionIterArgs())
      define(argument);
    for (auto [result, argument] :
         llvm::zip_equal(loop.getResults(), loop.getRegionIterArgs()))
      leaders[result] = argument;
    visit(*loop.getBody());
    ++position;
    extend(loop.getInductionVar());
    for (BlockArgument argument : loop.getRegionIterArgs())
      extend(argument);
    use(loop.getUpperBound(), loop);
    use(loop.getStep(), loop);
    for (unsigned index : pendingLoops[loop])
      intervals[index].end = std::max(intervals[index].end, position);
  }

  void visitBranch(scf::IfOp branch) {
    // Results are written inside both regions.
    for (Value result : branch.getResults())
      define(result);
    for (Region &region : branch->getRegions())
      for (Block &block : region)
        visit(block);
    ++position;
    for (Value result : branch.getResults())
      use(result, branch);
  }

  unsigned position = 0;
  SmallVector<Interval> intervals;
  llvm::DenseMap<Value, unsigned> indexOf;
  llvm::DenseMap<Value, Value> leaders;
  llvm::DenseMap<Operation *, SmallVector<unsigned>> pendingLoops;
};

} // namespace

FailureOr<RegisterAllocation>
RegisterAllocation::compute(func::FuncOp function) {
  IntervalBuilder builder(function);
  RegisterAllocation allocation;
  SmallVector<Interval> active;
  llvm::BitVector free(usableRegisters, true);
  for (const Interval &interval : builder.getIntervals()) {
    llvm::erase_if(active, [&](const Interval &old) {
      // An op reads its operands before it writes its result.
      if (old.end > interval.begin)
        return false;
      free.set(allocation.registers[old.value]);
      return true;
    });
    int index = free.find_first();
    if (index < 0)
      return function.emitError("more than ")
             << usableRegisters << " values of the kernel live at once";
    free.reset(index);
    allocation.registers[interval.value] = static_cast<unsigned>(index);
    active.push_back(interval);
  }
  for (const auto &[value, leader] : builder.getLeaders()) {
    auto it = allocation.registers.find(leader);
    if (it != allocation.registers.end())
      allocation.registers[value] = it->second;
  }
  return allocation;
}
