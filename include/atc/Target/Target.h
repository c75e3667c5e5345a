// What the target-independent phases ask of a device, and what it emits.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_TARGET_TARGET_H
#define ATC_TARGET_TARGET_H

#include "atc/Support/CodeTarget.h"
#include "atc/Support/PhysicalLayout.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringMap.h"
#include <string>

namespace mlir::atc {

namespace graph {
class KernelOp;
class ConfigAttr;
} // namespace graph

/// What a kernel demands of the layout of one operand or result.
struct LayoutRequest {
  enum class Kind {
    /// Any permutation, halo and pitch; no tiles.
    Strided,
    /// As Strided, but `innermost` has stride one.
    Innermost,
    /// The permutation of `layout`, and a halo at least as wide as its halos;
    /// a wider one is fine.
    Permuted,
    /// Exactly `layout`. Constants meet it by a relayout inside their recipe.
    Exact,
  };

  Kind kind = Kind::Strided;
  unsigned innermost = 0;
  ::atc::PhysicalLayout layout;

  static LayoutRequest strided() { return {}; }
  static LayoutRequest innermostDim(unsigned dim) {
    return {Kind::Innermost, dim, {}};
  }
  static LayoutRequest permuted(::atc::PhysicalLayout layout) {
    return {Kind::Permuted, 0, std::move(layout)};
  }
  static LayoutRequest exact(::atc::PhysicalLayout layout) {
    return {Kind::Exact, 0, std::move(layout)};
  }
};

/// One way to carry out a kernel region. The phase `select` takes the cheapest
/// and calls `Target::configure` when all layouts are settled.
struct KernelCandidate {
  /// The template's name; unique in its target.
  std::string name;
  /// One request per operand and per result of the region.
  SmallVector<LayoutRequest> operands;
  SmallVector<LayoutRequest> results;
  /// Predicted time in nanoseconds on one core, layout changes not counted.
  double cost = 0;
};

/// The place that an op would take in a region.
enum class FusionRole {
  /// Computes an operand of the anchor.
  Prologue,
  /// Consumes the anchor's result, tile by tile.
  Epilogue,
};

/// Machine code for all kernels of a module.
struct CodeImage {
  /// The bytes of one code image (partition 3).
  std::vector<char> bytes;
  ::atc::CpuLevel level = ::atc::CpuLevel::None;
  uint32_t features = 0;
  /// For every launch of every kernel its entry: "kernel_0", "kernel_0.1", ...
  llvm::StringMap<uint64_t> entries;
};

/// A device that kernels are made for. Implementations are stateless and used
/// from several threads.
class Target {
public:
  virtual ~Target();

  /// The name that --soc_version gives, e.g. "CPU-x86-64-v3".
  virtual StringRef getName() const = 0;
  virtual ::atc::TargetKind getKind() const = 0;

  /// Adds the dialects that the lowering makes.
  virtual void registerDialects(DialectRegistry &registry) const = 0;

  /// Whether kernels take sizes that are only known at run time.
  virtual bool takesOpenSizes() const { return false; }

  /// Whether kernels can compute `op`, a computing op of the graph dialect in
  /// the function's main body; if not, `reason` tells why, for a user.
  virtual bool supports(Operation *op, std::string &reason) const = 0;

  /// Whether `op` may join the region of `anchor` in that role, where the
  /// index maps already allow it. `anchor` is null for a group without one.
  virtual bool canFuse(Operation *anchor, Operation *op,
                       FusionRole role) const = 0;

  /// Whether kernels of `anchor` and elementwise ops take operands and give
  /// results that lie inside larger tensors: in the order of their layouts, at
  /// distances that the plan gives (plan.strides). Concatenations of such
  /// results, and slices that only such kernels read, need no copy.
  virtual bool followsPitch(Operation *anchor) const { return false; }

  /// Whether a kernel of `ops` does: one such anchor, and nothing but
  /// elementwise ops and constants beside it.
  bool kernelFollowsPitch(ArrayRef<Operation *> ops) const;

  /// Whether kernels compute float16 as float32, so that both types mix in a
  /// region at no cost.
  virtual bool widensFloat16() const { return false; }

  /// Rewrites the region to another form of its anchor where that pays, e.g. a
  /// convolution to Winograd form. New constants are computed by ops before
  /// the kernel. Called once per kernel, before `candidates`.
  virtual LogicalResult rewriteAnchor(RewriterBase &rewriter,
                                      graph::KernelOp kernel) const;

  /// The ways to carry out a region; empty with a reason if there is none.
  virtual SmallVector<KernelCandidate>
  candidates(graph::KernelOp kernel, std::string &reason) const = 0;

  /// The configuration of a region whose operand and result types carry their
  /// final layouts.
  virtual FailureOr<graph::ConfigAttr> configure(graph::KernelOp kernel,
                                                 StringRef candidate) const = 0;

  /// Adds the passes that turn one outlined kernel (a module nested in the
  /// model's module, holding one func.func) into what `emit` takes.
  virtual void buildLowering(OpPassManager &kernelModule) const = 0;

  /// Code for all lowered kernel modules inside `module`. The bytes depend on
  /// nothing but the modules.
  virtual FailureOr<CodeImage> emit(ModuleOp module) const = 0;
};

/// The target of that name; null if there is none.
const Target *lookupTarget(ArrayRef<std::shared_ptr<const Target>> targets,
                           StringRef name);

} // namespace mlir::atc

#endif // ATC_TARGET_TARGET_H
