// The template of matrix products: which kernels it takes, and how.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Codegen/Cpu/Gemm.h"
#include "atc/Codegen/Cpu/GemmAnalysis.h"

using namespace mlir;
using namespace mlir::atc;
using namespace mlir::atc::cpu;

/// Unknown sizes count as this much in cost estimates.
static constexpr int64_t typicalSize = 128;

static double predictTime(const GemmAnalysis &gemm, const CpuDescription &cpu) {
  double rows = gemm.shape.rows.value_or(typicalSize);
  double columns = gemm.shape.columns.value_or(typicalSize);
  double depth = gemm.shape.depth.value_or(typicalSize);
  double batches = gemm.shape.batches.value_or(1);
  double bytes = gemm.accumulator.getIntOrFloatBitWidth() / 8;
  double moved = rows * columns + columns * depth + rows * depth;
  return predictTime(cpu, gemm.accumulator, batches * rows * columns * depth,
                     /*efficiency=*/0.8, batches * moved * bytes);
}

void GemmTemplate::addCandidates(graph::KernelOp kernel,
                                 const CpuDescription &cpu,
                                 SmallVectorImpl<KernelCandidate> &candidates,
                                 std::string &reason) const {
  std::optional<GemmAnalysis> gemm =
      GemmAnalysis::analyze(kernel.getBodyBlock(), reason);
  if (!gemm)
    return;
  KernelCandidate candidate;
  candidate.name = getName().str();
  candidate.operands.assign(kernel.getArgs().size(), LayoutRequest::strided());
  candidate.results.assign(kernel.getNumResults(), LayoutRequest::strided());
  std::optional<unsigned> right = gemm->region.argumentNumber(gemm->right);
  bool isStatic =
      right && cast<RankedTensorType>(gemm->right.getType()).hasStaticShape();
  if (isStatic && isConstantOperand(kernel, *right)) {
    GemmTiling tiling = GemmTiling::choose(cpu, gemm->accumulator, gemm->shape);
    candidate.operands[*right] =
        LayoutRequest::exact(gemm->panelLayout(tiling.width()));
  }
  candidate.cost = ::predictTime(*gemm, cpu);
  candidates.push_back(std::move(candidate));
}

/// The number of tiles as an expression of the kernel's dims.
static FailureOr<AffineMap> gridMap(graph::KernelOp kernel,
                                    const GemmAnalysis &gemm,
                                    const GemmTiling &tiling) {
  MLIRContext *context = kernel.getContext();
  Value result = gemm.result;
  unsigned rank = cast<RankedTensorType>(result.getType()).getRank();
  SmallVector<AffineExpr> sizes;
  for (unsigned dim = 0; dim < rank; ++dim) {
    FailureOr<AffineExpr> size = sizeExpression(result, dim);
    if (failed(size))
      return kernel.emitOpError(
          "does not tell the size of a matrix product in 'shapes'");
    sizes.push_back(*size);
  }
  AffineExpr batches = getAffineConstantExpr(1, context);
  for (AffineExpr size : ArrayRef(sizes).drop_back(2))
    batches = batches * size;
  AffineExpr rows = sizes[rank - 2], products = batches;
  if (!gemm.batched) {
    rows = rows * batches;
    products = getAffineConstantExpr(1, context);
  }
  AffineExpr tiles = gridExpression(rows, sizes[rank - 1], tiling);
  return AffineMap::get(0, kernel.getDims().size(), products * tiles);
}

FailureOr<graph::ConfigAttr>
GemmTemplate::configure(graph::KernelOp kernel, StringRef candidate,
                        const CpuDescription &cpu) const {
  std::string reason;
  std::optional<GemmAnalysis> gemm =
      GemmAnalysis::analyze(kernel.getBodyBlock(), reason);
  if (!gemm)
    return kernel.emitOpError("is no matrix product: ") << reason;
  GemmTiling tiling = GemmTiling::choose(cpu, gemm->accumulator, gemm->shape);
  FailureOr<AffineMap> grid = gridMap(kernel, *gemm, tiling);
  if (failed(grid))
    return failure();

  bool hasPartial = !gemm->shape.depth || *gemm->shape.depth > tiling.depth;
  bool copiesLeft = gemm->copiesLeft(), copiesRight = gemm->copiesRight(cpu);
  GemmScratch scratch = GemmScratch::plan(tiling, gemm->accumulator, hasPartial,
                                          copiesLeft, copiesRight);
  Builder builder(kernel.getContext());
  NamedAttrList params;
  tiling.write(params, builder);
  params.set("copy_left", builder.getI64IntegerAttr(copiesLeft));
  params.set("copy_right", builder.getI64IntegerAttr(copiesRight));
  return graph::ConfigAttr::get(builder.getStringAttr(getName()), {*grid},
                                scratch.bytes, {}, {},
                                params.getDictionary(kernel.getContext()));
}
