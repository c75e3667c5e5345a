// What holds at the end of each phase.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Pipelines/Contracts.h"
#include "atc/Dialect/Graph/IR/Graph.h"
#include "atc/Dialect/Plan/IR/Plan.h"

using namespace mlir;
using namespace mlir::atc;

namespace {

/// Looks at the ops of the model's functions, not of kernels and recipes.
class ContractVerifier {
public:
  ContractVerifier(Phase phase, const PipelineOptions &options)
      : info(getPhases()[static_cast<size_t>(phase)]), options(options) {}

  LogicalResult verify(ModuleOp module);

private:
  void verifyOp(Operation *op);
  void verifyModule(ModuleOp module);
  void expect(bool holds, Operation *op, StringRef what);

  void verifyRanks(Operation *op);
  void verifyFolded(Operation *op);
  void verifyPrecision(Operation *op);
  void verifyFused(Operation *op);

  const PhaseInfo &info;
  const PipelineOptions &options;
  bool holds = true;
};

} // namespace

void ContractVerifier::expect(bool condition, Operation *op, StringRef what) {
  if (condition)
    return;
  holds = false;
  op->emitOpError() << "breaks the contract of phase '" << info.name
                    << "': " << what;
}

static bool isConstant(Operation *op) {
  return op && isa<graph::WeightOp, graph::ConstantOp>(op);
}

/// Ops that compute no elements: names of constants, of elements and of sizes.
static bool isNaming(Operation *op) {
  return isConstant(op) ||
         isa<graph::ReshapeOp, graph::TransposeOp, graph::ConcatOp,
             graph::SliceOp, graph::DimOp, graph::PackSizesOp>(op);
}

void ContractVerifier::verifyRanks(Operation *op) {
  if (isa<graph::HostCallOp, graph::CustomOp>(op))
    return;
  expect(llvm::none_of(op->getResultTypes(), llvm::IsaPred<UnrankedTensorType>),
         op, "has a result of unknown rank");
}

/// Large results may stay: a tile of a constant is cheaper to compute than to
/// store. This checks those that never do.
void ContractVerifier::verifyFolded(Operation *op) {
  constexpr int64_t maxElements = 1 << 16;
  if (op->getNumOperands() == 0 || op->getNumRegions() != 0 || !isPure(op) ||
      op->getNumResults() != 1)
    return;
  auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  if (!type || !type.hasStaticShape() || type.getNumElements() > maxElements)
    return;
  expect(!llvm::all_of(
             op->getOperands(),
             [](Value operand) { return isConstant(operand.getDefiningOp()); }),
         op, "computes a constant");
}

void ContractVerifier::verifyPrecision(Operation *op) {
  // What a target may compute and keep in float32 beside float16.
  bool mayStayWide =
      isConstant(op) || op->getNumResults() != 1 ||
      isa<graph::ScalarBodyInterface, graph::TileMapInterface,
          graph::ReductionInterface, graph::RangeOp, graph::GatherElementsOp,
          graph::GatherNDOp, graph::DequantizeOp>(op);
  if (options.precision != PrecisionMode::ForceFloat16 || mayStayWide)
    return;
  expect(llvm::none_of(op->getResultTypes(),
                       [](Type type) {
                         auto tensor = dyn_cast<TensorType>(type);
                         return tensor && tensor.getElementType().isF32();
                       }),
         op, "computes in float32");
}

void ContractVerifier::verifyFused(Operation *op) {
  expect(isNaming(op) || isa<graph::KernelOp, graph::HostCallOp>(op) ||
             !isa<graph::GraphDialect>(op->getDialect()),
         op, "computes outside of a kernel");
}

void ContractVerifier::verifyOp(Operation *op) {
  switch (info.phase) {
  case Phase::Shape:
    return verifyRanks(op);
  case Phase::Simplify:
    return verifyFolded(op);
  case Phase::Precision:
    return verifyPrecision(op);
  case Phase::Fuse:
    return verifyFused(op);
  case Phase::Select:
    verifyFused(op);
    if (auto kernel = dyn_cast<graph::KernelOp>(op))
      expect(kernel.getConfigAttr() != nullptr, op, "has no configuration");
    return;
  case Phase::Outline:
    return expect(isNaming(op) || isa<graph::LaunchOp, graph::HostCallOp>(op) ||
                      !isa<graph::GraphDialect>(op->getDialect()),
                  op, "is no launch");
  case Phase::Plan:
  case Phase::Lower:
    return;
  }
}

/// What the last phases promise of the module as a whole.
void ContractVerifier::verifyModule(ModuleOp module) {
  if (info.phase == Phase::Plan)
    for (auto program : module.getOps<plan::ProgramOp>())
      expect(program.getArenaBytes().has_value(), program,
             "has buffers without a place");
  if (info.phase != Phase::Lower)
    return;
  for (ModuleOp kernel : module.getOps<ModuleOp>())
    kernel.walk([&](Operation *op) {
      expect(!isa<graph::GraphDialect>(op->getDialect()), op,
             "was not lowered");
    });
}

LogicalResult ContractVerifier::verify(ModuleOp module) {
  for (func::FuncOp function : module.getOps<func::FuncOp>())
    if (!function.isExternal())
      for (Operation &op : function.front().without_terminator())
        verifyOp(&op);
  verifyModule(module);
  return success(holds);
}

LogicalResult mlir::atc::verifyContract(Phase phase, ModuleOp module,
                                        const PipelineOptions &options) {
  return ContractVerifier(phase, options).verify(module);
}

namespace {

struct VerifyContractPass
    : PassWrapper<VerifyContractPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(VerifyContractPass)

  VerifyContractPass() = default;
  VerifyContractPass(Phase phase, const PipelineOptions &options)
      : options(options) {
    phaseName = getPhases()[static_cast<size_t>(phase)].name.str();
  }
  VerifyContractPass(const VerifyContractPass &other)
      : PassWrapper(other), options(other.options) {}

  StringRef getArgument() const override { return "atc-verify-contract"; }
  StringRef getDescription() const override {
    return "Check what holds at the end of a phase";
  }

  void runOnOperation() override {
    std::optional<Phase> phase = parsePhase(phaseName);
    if (!phase) {
      getOperation().emitError("there is no phase '") << phaseName << "'";
      return signalPassFailure();
    }
    if (failed(verifyContract(*phase, getOperation(), options)))
      return signalPassFailure();
    markAllAnalysesPreserved();
  }

  Option<std::string> phaseName{*this, "phase",
                                llvm::cl::desc("the phase's name")};
  PipelineOptions options;
};

} // namespace

std::unique_ptr<Pass>
mlir::atc::createVerifyContractPass(Phase phase,
                                    const PipelineOptions &options) {
  return std::make_unique<VerifyContractPass>(phase, options);
}

void mlir::atc::registerContractPass() {
  PassRegistration<VerifyContractPass>();
}
