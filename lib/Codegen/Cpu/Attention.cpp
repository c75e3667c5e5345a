// The template of attention: which kernels it takes, and how.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Codegen/Cpu/Attention.h"

using namespace mlir;
using namespace mlir::atc;
using namespace mlir::atc::cpu;

/// Unknown numbers of queries and keys count as this in cost estimates.
static constexpr int64_t typicalLength = 128;

std::optional<AttentionAnalysis>
AttentionAnalysis::analyze(Block &block, std::string &reason) {
  std::optional<AnchoredKernel> region =
      AnchoredKernel::match<graph::AttentionOp>(block, reason);
  if (!region)
    return std::nullopt;
  AttentionAnalysis attention;
  attention.region = *region;
  auto op = cast<graph::AttentionOp>(region->anchor);
  attention.query = op.getQ();
  attention.key = op.getK();
  attention.value = op.getV();
  attention.mask = op.getMask();
  attention.result = op.getResult();
  attention.scale = op.getScale();
  for (Value tensor : {attention.query, attention.key, attention.value})
    if (!isa<RankedTensorType>(tensor.getType())) {
      reason = "attention over tensors without a rank";
      return std::nullopt;
    }
  attention.rank = cast<RankedTensorType>(op.getQ().getType()).getRank();
  if (!attention.staticSize(op.getQ(), attention.rank - 1) ||
      !attention.staticSize(op.getV(), attention.rank - 1)) {
    reason = "attention needs static sizes of keys and values";
    return std::nullopt;
  }
  attention.accumulator =
      computeType(cast<RankedTensorType>(op.getQ().getType()).getElementType());
  if (!attention.accumulator.isF32()) {
    reason = "attention in this element type has no CPU kernel";
    return std::nullopt;
  }
  return attention;
}

std::optional<int64_t> AttentionAnalysis::staticSize(Value tensor,
                                                     unsigned dim) const {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (type.isDynamicDim(dim))
    return std::nullopt;
  return type.getDimSize(dim);
}

bool AttentionAnalysis::readsInPlace(Value tensor, bool asPanels) const {
  std::optional<TensorView> view = describeView(tensor);
  if (!view)
    return false;
  if (asPanels)
    return IndexBuilder::isConstant(view->strides[rank - 1], 1);
  return storageType(view->type.getElementType()) == accumulator;
}

static AttentionTiling chooseTiling(const AttentionAnalysis &attention,
                                    const CpuDescription &cpu) {
  AttentionTiling tiling;
  std::optional<int64_t> queries =
      attention.staticSize(attention.query, attention.rank - 2);
  std::optional<int64_t> keys =
      attention.staticSize(attention.key, attention.rank - 2);
  // Any number of columns: the tile is that of a large product.
  GemmTiling product =
      GemmTiling::choose(cpu, attention.accumulator, GemmShape());
  tiling.rows = product.rows;
  if (queries)
    tiling.rows =
        std::clamp<int64_t>(*queries, 1, static_cast<int64_t>(product.rows));
  tiling.vectors = product.vectors;
  tiling.lanes = product.lanes;
  // Scores of a row tile take at most half of the first-level cache.
  if (keys)
    tiling.keys = llvm::alignTo(std::max<int64_t>(*keys, 1), tiling.width());
  int64_t limit = cpu.l1Bytes / 2 / (tiling.rows * 4);
  if (!keys || tiling.keys > limit)
    tiling.keys =
        std::max(llvm::alignDown(std::min<int64_t>(limit, 256), tiling.width()),
                 static_cast<uint64_t>(tiling.width()));
  tiling.copiesQuery = !attention.readsInPlace(attention.query, false);
  tiling.copiesValue = !attention.readsInPlace(attention.value, true);
  return tiling;
}

AttentionScratch AttentionScratch::plan(const AttentionTiling &tiling,
                                        int64_t depth, int64_t valueSize,
                                        int64_t elementBytes) {
  AttentionScratch scratch;
  auto place = [&](int64_t elements) {
    int64_t offset = scratch.bytes;
    scratch.bytes += llvm::alignTo(elements * elementBytes, 64);
    return offset;
  };
  scratch.valuePitch = llvm::alignTo(valueSize, tiling.width());
  int64_t queries = tiling.rowTiles * tiling.rows;
  scratch.key = place(tiling.keys * depth);
  scratch.value =
      place(tiling.copiesValue ? tiling.keys * scratch.valuePitch : 0);
  scratch.query =
      place(tiling.copiesQuery ? tiling.rows * depth + tiling.lanes : 0);
  scratch.scores = place(tiling.rows * tiling.keys);
  scratch.sums = place(queries * scratch.valuePitch);
  scratch.maxima = place(queries);
  scratch.totals = place(queries);
  scratch.factors = place(tiling.rows);
  return scratch;
}

void AttentionTemplate::addCandidates(
    graph::KernelOp kernel, const CpuDescription &cpu,
    SmallVectorImpl<KernelCandidate> &candidates, std::string &reason) const {
  std::optional<AttentionAnalysis> attention =
      AttentionAnalysis::analyze(kernel.getBodyBlock(), reason);
  if (!attention)
    return;
  KernelCandidate candidate;
  candidate.name = getName().str();
  candidate.operands.assign(kernel.getArgs().size(), LayoutRequest::strided());
  candidate.results.assign(kernel.getNumResults(), LayoutRequest::strided());
  unsigned rank = attention->rank;
  double products = 1;
  for (unsigned dim = 0; dim + 1 < rank; ++dim)
    products *=
        attention->staticSize(attention->query, dim).value_or(typicalLength);
  products *=
      attention->staticSize(attention->key, rank - 2).value_or(typicalLength);
  products *= *attention->staticSize(attention->query, rank - 1) +
              *attention->staticSize(attention->value, rank - 1);
  candidate.cost = predictTime(cpu, attention->accumulator, products,
                               /*efficiency=*/0.6, 0);
  candidates.push_back(std::move(candidate));
}

FailureOr<graph::ConfigAttr>
AttentionTemplate::configure(graph::KernelOp kernel, StringRef candidate,
                             const CpuDescription &cpu) const {
  std::string reason;
  std::optional<AttentionAnalysis> attention =
      AttentionAnalysis::analyze(kernel.getBodyBlock(), reason);
  if (!attention)
    return kernel.emitOpError("is no attention: ") << reason;
  MLIRContext *context = kernel.getContext();
  AttentionTiling tiling = chooseTiling(*attention, cpu);
  AffineExpr heads = getAffineConstantExpr(1, context), queries = heads;
  for (unsigned dim = 0; dim + 1 < attention->rank; ++dim) {
    FailureOr<AffineExpr> size = sizeExpression(attention->query, dim);
    if (failed(size))
      size = sizeExpression(attention->result, dim);
    if (failed(size))
      return kernel.emitOpError("does not tell the size of its queries in "
                                "'shapes'");
    if (dim + 2 < attention->rank)
      heads = heads * *size;
    else
      queries = *size;
  }
  GemmTiling rows;
  rows.rows = tiling.rows;
  AffineExpr tiles = gridExpression(queries, queries, rows);
  AffineMap grid = AffineMap::get(0, kernel.getDims().size(),
                                  heads * tiles.ceilDiv(tiling.rowTiles));
  AttentionScratch scratch = AttentionScratch::plan(
      tiling, *attention->staticSize(attention->query, attention->rank - 1),
      *attention->staticSize(attention->value, attention->rank - 1),
      attention->accumulator.getIntOrFloatBitWidth() / 8);

  Builder builder(context);
  NamedAttrList params;
  auto set = [&](StringRef name, int64_t value) {
    params.set(name, builder.getI64IntegerAttr(value));
  };
  set("tile_rows", tiling.rows);
  set("tile_vectors", tiling.vectors);
  set("lanes", tiling.lanes);
  set("row_tiles", tiling.rowTiles);
  set("keys", tiling.keys);
  set("copy_query", tiling.copiesQuery);
  set("copy_value", tiling.copiesValue);
  return graph::ConfigAttr::get(builder.getStringAttr(getName()), {grid},
                                scratch.bytes, {}, {},
                                params.getDictionary(context));
}
