// The template of attention.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_CODEGEN_CPU_ATTENTION_H
#define ATC_CODEGEN_CPU_ATTENTION_H

#include "atc/Codegen/Cpu/AnchoredKernel.h"
#include "atc/Codegen/Cpu/GemmTiling.h"
#include "atc/Codegen/Cpu/Template.h"

namespace mlir::atc::cpu {

/// graph.attention with pointwise ops around it. For a block of queries of one
/// head, keys and values are taken block by block: scores of a few rows stay in
/// the first-level cache, and where there is more than one block the softmax is
/// rescaled as its maximum grows (Dao et al., FlashAttention, 2022). Heads are
/// views: any strides, so that splitting and merging them moves nothing.
class AttentionTemplate final : public Template {
public:
  StringRef getName() const override { return "attention"; }
  void addCandidates(graph::KernelOp kernel, const CpuDescription &cpu,
                     SmallVectorImpl<KernelCandidate> &candidates,
                     std::string &reason) const override;
  FailureOr<graph::ConfigAttr>
  configure(graph::KernelOp kernel, StringRef candidate,
            const CpuDescription &cpu) const override;
  LogicalResult lower(func::FuncOp kernel,
                      const CpuDescription &cpu) const override;
};

/// An attention kernel: q [..., S, D], k [..., T, D], v [..., T, E].
struct AttentionAnalysis {
  AnchoredKernel region;
  Value query, key, value, mask, result;
  double scale = 1;
  unsigned rank = 0;
  Type accumulator;

  static std::optional<AttentionAnalysis> analyze(Block &block,
                                                  std::string &reason);
  std::optional<int64_t> staticSize(Value tensor, unsigned dim) const;
  /// Whether a tensor's rows can be read in place as a left operand, or its
  /// lines as panels of a right operand.
  bool readsInPlace(Value tensor, bool asPanels) const;
};

/// How the work is cut up.
struct AttentionTiling {
  unsigned rows = 6, vectors = 2;
  int64_t lanes = 8;
  /// Row tiles of queries that share a block of keys; keys per block.
  int64_t rowTiles = 32, keys = 256;
  bool copiesQuery = false, copiesValue = false;
  int64_t width() const { return vectors * lanes; }
};

/// Offsets in scratch, in bytes.
struct AttentionScratch {
  int64_t key = 0, value = 0, query = 0, scores = 0, sums = 0, maxima = 0,
          totals = 0, factors = 0;
  int64_t bytes = 0;
  /// Elements of a line of accumulated values.
  int64_t valuePitch = 0;

  static AttentionScratch plan(const AttentionTiling &tiling, int64_t depth,
                               int64_t valueSize, int64_t elementBytes);
};

} // namespace mlir::atc::cpu

#endif // ATC_CODEGEN_CPU_ATTENTION_H
