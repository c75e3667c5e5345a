// How a kernel iterates that combines elements along some dims.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_CODEGEN_CPU_ROWNEST_H
#define ATC_CODEGEN_CPU_ROWNEST_H

#include "atc/Codegen/Cpu/PointwisePlan.h"

namespace mlir::atc::cpu {

/// Tensors that are evaluated at the same points of the combined tensor's index
/// space, and what they are made of.
struct RowTensors {
  /// Each with the map from an index of the combined tensor.
  SmallVector<StridedSource> tensors;
  /// Known if the nest is linear: the sources and their strides per loop, those
  /// of `kept` first.
  SmallVector<StridedSource> sources;
  SmallVector<LinearAccess> accesses;
};

/// What a template knows of its anchor.
struct RowProblem {
  Operation *anchor = nullptr;
  /// The tensor whose elements are combined. A group is a dim split in two, so
  /// loops are given with factors.
  Value input;
  SmallVector<IterationDim> kept, row;
  /// Operands that the anchor reads at each element, such as scales.
  SmallVector<StridedSource> parameters;
  /// Tensors of the input's shape that follow from the anchor element by
  /// element; empty if the results have one element per row.
  SmallVector<Value> results;
};

/// The loops of such a kernel. A row is all elements that are combined. Vectors
/// run along the innermost row loop (horizontal: lanes are combined at the end
/// of the row) or along the innermost kept loop (vertical: as many rows at once
/// as there are lanes), whichever follows memory.
struct RowNest {
  SmallVector<IterationDim> kept, row;
  bool isVertical = false;
  /// Whether all elements are at linear functions of the loops' indices; loops
  /// are merged then, and logical indices not known inside the row.
  bool isLinear = false;
  RowTensors input, parameters, results;
  SmallVector<LinearAccess> resultAccesses;
  unsigned computeBits = 32;
  /// Ops between memory and the combination, for cost and unrolling.
  unsigned prologueOps = 0;

  AffineExpr rowSize() const;
  SmallVector<AffineExpr> keptSizes() const;
  /// Whether the loop that vectors run along has a size known at run time only,
  /// so that vectors may have inactive lanes.
  bool isOpenAlongLanes() const;

  static RowNest create(const RowProblem &problem);
};

/// What `configure` decides about a row nest.
struct RowSchedule {
  int64_t lanes = 1;
  /// Vectors in flight: along the row (horizontal) or neighbouring rows.
  int64_t unroll = 1;
  TileSplit tiles;

  static RowSchedule choose(const RowNest &nest, const CpuDescription &cpu,
                            int64_t maximumUnroll);
  /// Chooses tiles for the lanes and vectors in flight that are set.
  void chooseTiles(const RowNest &nest);
  /// Rows that are in flight together.
  int64_t rowsAtOnce(const RowNest &nest) const {
    return nest.isVertical ? lanes * unroll : 1;
  }
  static RowSchedule fromConfig(graph::ConfigAttr config);
  void addParams(Builder &builder, NamedAttrList &params) const;
};

} // namespace mlir::atc::cpu

#endif // ATC_CODEGEN_CPU_ROWNEST_H
