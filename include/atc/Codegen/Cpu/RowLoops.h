// Emits the loops of a row nest.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_CODEGEN_CPU_ROWLOOPS_H
#define ATC_CODEGEN_CPU_ROWLOOPS_H

#include "atc/Codegen/Cpu/KernelLaunch.h"
#include "atc/Codegen/Cpu/RowNest.h"

namespace mlir::atc::cpu {

/// Elements that one step of a row's loop works on.
struct RowElement {
  /// Indices of all loops, kept ones first.
  SmallVector<OpFoldResult> position;
  /// Lanes from this number on are inactive: they lie behind the row's end
  /// (vertical: there are no such rows). Null if all are active.
  Value active;
  /// Which of the vectors in flight this is. Vertical: which rows.
  unsigned chain = 0;
  /// Where a buffer with one place per element of the row (vertical: of all
  /// rows in flight) keeps these elements.
  OpFoldResult place;
};

/// The loops of a launch over rows. Values carried through a row's loop form a
/// state, one per chain:
///
///   loops.forEachRow([&] {
///     auto sums = loops.overRow(zeros, [&](const RowElement &element,
///                                          ArrayRef<Value> state) {
///       return State{add(state[0], *loops.input(element))};
///     });
///     ...
///   });
class RowLoops {
public:
  using State = SmallVector<Value, 2>;
  using Step = function_ref<FailureOr<State>(const RowElement &element,
                                             ArrayRef<Value> state)>;

  RowLoops(KernelLaunch &launch, const RowProblem &problem, const RowNest &nest,
           const RowSchedule &schedule);

  /// Makes the tile loop and the kept loops; `body` handles one row, or as many
  /// neighbouring ones as are in flight.
  LogicalResult forEachRow(function_ref<LogicalResult()> body);

  /// Makes the loops over the current row. `initial` holds a state per chain;
  /// so does the result. With `backwards` the row runs from its end.
  FailureOr<SmallVector<State>> overRow(ArrayRef<State> initial, Step step,
                                        bool backwards = false);

  /// Combines `values` over the current row, from `identity` on; the result is
  /// as `combine` gives it. Long rows are combined in blocks of about the
  /// square root of their length: the rounding errors of a sum then grow with
  /// that root, not with the length.
  FailureOr<SmallVector<Value>>
  reduceRow(Value identity,
            function_ref<FailureOr<Value>(const RowElement &)> values,
            function_ref<Value(Value, Value)> combiner);

  /// The input's elements, a parameter's, of their compute types.
  FailureOr<Value> input(const RowElement &element);
  FailureOr<Value> parameter(unsigned number, const RowElement &element);
  /// Computes what follows from the anchor's elements and stores it; for
  /// results of the input's shape.
  LogicalResult storeResults(const RowElement &element, Value anchor);
  /// The same for results of one element per row: `values` per chain.
  LogicalResult storeRowResults(ArrayRef<Value> values);

  /// Combines the chains of a horizontal row and their lanes; vertical chains
  /// stay as they are.
  SmallVector<Value> combine(ArrayRef<Value> chains,
                             function_ref<Value(Value, Value)> combiner);
  /// The vector of `element` in which all lanes of a row have its value.
  Value spread(ArrayRef<Value> perRow, const RowElement &element);

  unsigned chains() const { return schedule.unroll; }
  /// `scalar`, or a vector of it where there are lanes.
  Type laneType(Type scalar) const;
  /// Position of a row element in the loop over a single row dim, one per lane,
  /// as integers of `type`.
  Value rowIndices(const RowElement &element, Type type);
  /// Elements of a buffer with a place per row element, per thread, for rows of
  /// `rowSize` elements.
  int64_t bufferSize(int64_t rowSize) const;
  /// The number of elements of a row.
  OpFoldResult rowSize() { return region.evaluate(nest.rowSize()); }

private:
  unsigned laneLoop() const {
    return nest.isVertical ? nest.kept.size() - 1
                           : nest.kept.size() + nest.row.size() - 1;
  }
  VectorPoint loopPoint(const RowElement &element);
  VectorPoint logicalPoint(const RowElement &element);
  TensorView loopView(const TensorView &view, const LinearAccess &access);
  void bindSources(const RowTensors &tensors, ArrayRef<TensorView> views,
                   const RowElement &element);
  RowElement elementAt(ArrayRef<OpFoldResult> row, unsigned chain,
                       int64_t chainOffset);

  FailureOr<SmallVector<Value>> rowLoop(unsigned dim, ValueRange state,
                                        Step step);
  FailureOr<SmallVector<Value>> verticalStep(ValueRange state, Step step);
  FailureOr<SmallVector<Value>> horizontalLoop(ValueRange state, Step step);
  /// The last vector of a row, whose lanes from `rest` on are inactive.
  FailureOr<SmallVector<Value>>
  rowEnd(OpFoldResult rest, SmallVector<Value> state,
         function_ref<LogicalResult(Value, SmallVector<Value> &)> run);
  FailureOr<SmallVector<Value>>
  makeLoop(OpFoldResult low, OpFoldResult high, int64_t by, ValueRange state,
           function_ref<FailureOr<SmallVector<Value>>(Value, ValueRange)> body);
  /// The same loop, in blocks where it is long and part of `reduceRow`.
  FailureOr<SmallVector<Value>> makeBlockedLoop(
      OpFoldResult low, OpFoldResult high, int64_t by, ValueRange state,
      function_ref<FailureOr<SmallVector<Value>>(Value, ValueRange)> body);
  /// Calls `body` with identities in place of `state` and combines its result
  /// with `state`.
  FailureOr<SmallVector<Value>>
  combineBlock(ValueRange state,
               function_ref<FailureOr<SmallVector<Value>>(ValueRange)> body);

  /// Runs `body` for the rows [low, high), as many at once as there are lanes.
  LogicalResult forOpenRows(OpFoldResult low, OpFoldResult high,
                            function_ref<LogicalResult()> body);

  KernelLaunch &launch;
  const RowProblem &problem;
  const RowNest &nest;
  const RowSchedule &schedule;
  OpBuilder &builder;
  Location loc;
  IndexBuilder index;
  RegionEmitter &region;
  SmallVector<Value> yielded;
  SmallVector<TensorView> inputViews, parameterViews, sourceViews, resultViews;
  /// Indices of the kept loops, and of the row loops outside of the current.
  SmallVector<OpFoldResult> kept, row;
  /// Sizes of all loops.
  SmallVector<OpFoldResult> keptSizes, rowSizes;
  /// Of the current rows, where some of the lanes have none.
  Value activeRows;
  unsigned stateSize = 0;
  bool isBackwards = false;
  /// Set inside `reduceRow`.
  struct Reduction {
    Value identity;
    function_ref<Value(Value, Value)> combiner;
  };
  std::optional<Reduction> reduction;
};

} // namespace mlir::atc::cpu

#endif // ATC_CODEGEN_CPU_ROWLOOPS_H
