// Chooses tile sizes of matrix products.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Codegen/Cpu/GemmTiling.h"

using namespace mlir;
using namespace mlir::atc;
using namespace mlir::atc::cpu;

/// The number of rows with which accumulators, one line of the panel and one
/// broadcast fill the registers.
static unsigned rowsFor(const CpuDescription &cpu, unsigned vectors) {
  return std::clamp((cpu.vectorRegisters - vectors - 1) / vectors, 1u, 12u);
}

/// The register tile. Wide tiles load fewer elements per multiply-add than
/// high ones: each row costs a broadcast.
static void chooseTile(GemmTiling &tiling, const CpuDescription &cpu,
                       const GemmShape &shape) {
  int64_t lanes = tiling.lanes;
  // One row: nothing but the stream of the right operand counts, and eight sums
  // keep two multipliers busy.
  if (shape.rows == 1) {
    tiling.rows = 1;
    tiling.vectors = 8;
    if (shape.columns)
      tiling.vectors =
          std::clamp<int64_t>(llvm::divideCeil(*shape.columns, lanes), 1, 8);
    return;
  }
  tiling.vectors = lanes <= 4 && cpu.vectorRegisters >= 32 ? 4 : 2;
  if (shape.columns) {
    int64_t columns = *shape.columns;
    if (columns <= lanes)
      tiling.vectors = 1;
    // Three vectors where two would leave a half-filled tile. Too many columns
    // make the rest negligible.
    else if (columns % (2 * lanes) != 0 && columns % (3 * lanes) == 0 &&
             columns <= 15 * lanes)
      tiling.vectors = 3;
  }
  tiling.rows = tiling.vectors == 1 ? std::min(8u, rowsFor(cpu, 1))
                                    : rowsFor(cpu, tiling.vectors);
  if (shape.rows)
    tiling.rows = std::clamp<int64_t>(*shape.rows, 1, tiling.rows);
}

GemmTiling GemmTiling::choose(const CpuDescription &cpu, Type type,
                              const GemmShape &shape) {
  GemmTiling tiling;
  tiling.lanes = cpu.lanes(type);
  chooseTile(tiling, cpu, shape);

  // A panel of one block of k fills three quarters of the first-level cache.
  int64_t bytes = llvm::divideCeil(type.getIntOrFloatBitWidth(), 8);
  int64_t line = tiling.width() * bytes;
  int64_t limit = std::max<int64_t>(cpu.l1Bytes * 3 / 4 / line, 16);
  if (shape.rows == 1)
    limit = 4096;
  tiling.depth = tiling.depthLimit = limit / 4 * 4;
  if (shape.depth) {
    int64_t blocks =
        std::max<int64_t>(llvm::divideCeil(*shape.depth, limit), 1);
    tiling.depth = std::max<int64_t>(
        llvm::alignTo(llvm::divideCeil(*shape.depth, blocks), 4), 4);
    if (blocks == 1)
      tiling.depth = std::max<int64_t>(*shape.depth, 1);
  }

  // A block of panels takes a quarter of the second-level cache, partial sums
  // an eighth.
  tiling.panelTiles =
      std::clamp<int64_t>(cpu.l2Bytes / 4 / (line * tiling.depth), 1, 16);
  tiling.blockTiles = std::clamp<int64_t>(
      cpu.l2Bytes / 8 / (line * tiling.rows * tiling.panelTiles), 4, 64);

  // Few rows: threads share the columns, and each reads its part of the right
  // operand alone.
  bool fewRows =
      !shape.rows || !shape.batches || *shape.rows * *shape.batches <= 196;
  bool manyColumns = !shape.columns || *shape.columns >= 8 * tiling.width();
  if (shape.batches == 1 && fewRows && manyColumns)
    tiling.partition = GemmNest::Partition::Columns;
  return tiling;
}

void GemmTiling::write(NamedAttrList &params, Builder &builder) const {
  auto set = [&](StringRef name, int64_t value) {
    params.set(name, builder.getI64IntegerAttr(value));
  };
  set("tile_rows", rows);
  set("tile_vectors", vectors);
  set("lanes", lanes);
  set("depth", depth);
  set("depth_limit", depthLimit);
  set("panel_tiles", panelTiles);
  set("block_tiles", blockTiles);
  set("split_columns", partition == GemmNest::Partition::Columns);
}

GemmTiling GemmTiling::read(DictionaryAttr params) {
  auto get = [&](StringRef name) {
    return params.getAs<IntegerAttr>(name).getInt();
  };
  GemmTiling tiling;
  tiling.rows = get("tile_rows");
  tiling.vectors = get("tile_vectors");
  tiling.lanes = get("lanes");
  tiling.depth = get("depth");
  tiling.depthLimit = get("depth_limit");
  tiling.panelTiles = get("panel_tiles");
  tiling.blockTiles = get("block_tiles");
  tiling.partition = get("split_columns") ? GemmNest::Partition::Columns
                                          : GemmNest::Partition::Rows;
  return tiling;
}

AffineExpr mlir::atc::cpu::gridExpression(AffineExpr rows, AffineExpr columns,
                                          const GemmTiling &tiling) {
  if (tiling.partition == GemmNest::Partition::Columns)
    return columns.ceilDiv(tiling.width());
  auto number = dyn_cast<AffineConstantExpr>(rows);
  if (!number)
    return rows.ceilDiv(tiling.rows);
  // Static rows are covered by tiles of two heights.
  OpBuilder builder(rows.getContext());
  KernelBuilder b(builder, UnknownLoc::get(rows.getContext()));
  OpFoldResult count = countTiles(
      b, coverRows(b, b.index.constant(number.getValue()), tiling.rows));
  return getAffineConstantExpr(*IndexBuilder::getConstant(count),
                               rows.getContext());
}

double mlir::atc::cpu::predictTime(const CpuDescription &cpu, Type type,
                                   double multiplyAdds, double efficiency,
                                   double bytes) {
  double perNanosecond =
      cpu.fmaPerCycle * cpu.lanes(type) * cpu.gigahertz * efficiency;
  return std::max(multiplyAdds / perNanosecond, bytes / cpu.gigabytesPerSecond);
}
