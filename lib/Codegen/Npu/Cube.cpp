// The template "cube": matrix products and convolutions.
// SPDX-License-Identifier: Apache-2.0
#include "CubeLowering.h"
#include "Templates.h"
#include "TypeStrides.h"
#include "VectorProblem.h"
#include "atc/Dialect/Plan/IR/KernelStrides.h"
#include "atc/Target/TensorLayout.h"

using namespace mlir;
using namespace mlir::atc;
using namespace mlir::atc::npu;
namespace hw = ::atc::isa;

static bool isConstant(Value value) {
  Operation *def = value.getDefiningOp();
  return def && isa<graph::WeightOp, graph::ConstantOp>(def);
}

/// The layout that an operand or result should have: channels or columns
/// innermost.
static ::atc::PhysicalLayout getPreferredLayout(Operation *anchor,
                                                RankedTensorType type) {
  unsigned rank = type.getRank();
  if (isa<graph::ConvOp>(anchor))
    return layoutWithInnermost(rank, 1);
  return ::atc::PhysicalLayout::rowMajor(rank);
}

/// Left-hand matrices lie with the depth innermost, transposed or not.
static ::atc::PhysicalLayout getLeftLayout(Operation *anchor) {
  auto type = cast<RankedTensorType>(anchor->getOperand(0).getType());
  ::atc::PhysicalLayout layout = getPreferredLayout(anchor, type);
  auto matmul = dyn_cast<graph::MatMulOp>(anchor);
  if (matmul && matmul.getTransposeLhs())
    std::swap(layout.permutation[type.getRank() - 2],
              layout.permutation[type.getRank() - 1]);
  return layout;
}

namespace {

/// Requests layouts as if the operands had them, to analyze a kernel before
/// layouts are settled.
SmallVector<int64_t> preferredStrides(Operation *anchor, Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  ::atc::PhysicalLayout layout = value == anchor->getOperand(0)
                                     ? getLeftLayout(anchor)
                                     : getPreferredLayout(anchor, type);
  if (value == anchor->getOperand(1))
    layout = ::atc::PhysicalLayout::rowMajor(type.getRank());
  return llvm::to_vector(layout.strides(type.getShape().vec()).strides);
}

Operation *findAnchor(Block &block) {
  for (Operation &op : block)
    if (isa<graph::ConvOp, graph::MatMulOp>(op))
      return &op;
  return nullptr;
}

/// The number of the kernel's operand that a region value is.
unsigned operandNumber(Value value) {
  return cast<BlockArgument>(value).getArgNumber();
}

bool isPackedOperand(graph::KernelOp kernel, Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  return argument && isConstant(kernel.getArgs()[argument.getArgNumber()]);
}

double toNanoseconds(double cycles, const hw::DeviceRecord &device) {
  return cycles * 1000 / device.cubeMHz;
}

class CubeTemplate final : public Template {
public:
  StringRef getName() const override { return "cube"; }

  bool canFuse(Operation *anchor, Operation *op, FusionRole role,
               const hw::DeviceRecord &device) const override;
  void addCandidates(graph::KernelOp kernel, const hw::DeviceRecord &device,
                     SmallVectorImpl<KernelCandidate> &candidates,
                     std::string &reason) const override;
  FailureOr<graph::ConfigAttr>
  configure(graph::KernelOp kernel,
            const hw::DeviceRecord &device) const override;
  LogicalResult lower(func::FuncOp kernel,
                      const hw::DeviceRecord &device) const override;
};

/// From `value` back to the anchor, each op the only user of the one before.
bool leadsFromAnchor(Value value, Operation *anchor) {
  while (value.getDefiningOp() != anchor) {
    Operation *op = value.getDefiningOp();
    if (!op || !isa<graph::AddOp, graph::ReluOp, graph::CastOp>(op))
      return false;
    Value next;
    for (Value operand : op->getOperands())
      if (operand.getType() && operand.getDefiningOp() &&
          cast<RankedTensorType>(operand.getType()).getShape() ==
              cast<RankedTensorType>(value.getType()).getShape())
        next = operand;
    if (!next || !next.hasOneUse())
      return false;
    value = next;
  }
  return true;
}

bool CubeTemplate::canFuse(Operation *anchor, Operation *op, FusionRole role,
                           const hw::DeviceRecord &device) const {
  if (role != FusionRole::Epilogue || !anchor ||
      !isa<graph::ConvOp, graph::MatMulOp>(anchor))
    return false;
  bool hasBias = false, hasRelu = false, converted = false;
  // Walk to the anchor; what is met last happens first.
  for (Operation *current = op; current != anchor;) {
    Value chain;
    if (auto add = dyn_cast<graph::AddOp>(current)) {
      if (hasBias || device.ports.l1ToBt == 0)
        return false;
      hasBias = true;
      unsigned column = getColumnDim(anchor);
      for (auto [value, other] :
           {std::pair<Value, Value>(add.getLhs(), add.getRhs()),
            std::pair<Value, Value>(add.getRhs(), add.getLhs())})
        // A bias is read from memory; a number inside the kernel is not there.
        if (!chain && !getSplat(other) &&
            isColumnVector(other, anchor->getResult(0), column) &&
            value.getDefiningOp() && leadsFromAnchor(value, anchor))
          chain = value;
    } else if (isa<graph::ReluOp>(current)) {
      if (hasRelu || hasBias)
        return false;
      hasRelu = true;
      chain = current->getOperand(0);
    } else if (isa<graph::CastOp>(current)) {
      if (converted || hasRelu || hasBias)
        return false;
      converted = true;
      chain = current->getOperand(0);
      auto to = cast<RankedTensorType>(current->getResult(0).getType());
      if (!getDataType(to.getElementType()))
        return false;
    }
    // Nobody else may want the value in between.
    if (!chain || !chain.hasOneUse() || !chain.getDefiningOp())
      return false;
    current = chain.getDefiningOp();
  }
  return true;
}

void CubeTemplate::addCandidates(graph::KernelOp kernel,
                                 const hw::DeviceRecord &device,
                                 SmallVectorImpl<KernelCandidate> &candidates,
                                 std::string &reason) const {
  Block &block = kernel.getBodyBlock();
  Operation *anchor = findAnchor(block);
  if (!anchor)
    return;
  std::optional<CubeProblem> problem = CubeProblem::analyze(
      block, device,
      [&](Value value) { return preferredStrides(anchor, value); },
      [&](Value value) { return isPackedOperand(kernel, value); }, reason);
  if (!problem)
    return;
  std::optional<CubeTiling> tiling = CubeTiling::choose(*problem, device);
  if (!tiling) {
    reason = "no tile fits the buffers of the core";
    return;
  }
  KernelCandidate candidate;
  candidate.name = getName().str();
  candidate.cost =
      toNanoseconds(tiling->estimateCycles(*problem, device), device);
  for (BlockArgument argument : kernel.getTensorArguments()) {
    auto type = cast<RankedTensorType>(argument.getType());
    if (argument == problem->left)
      candidate.operands.push_back(
          LayoutRequest::permuted(getLeftLayout(anchor)));
    else if (argument == problem->right)
      candidate.operands.push_back(
          problem->rightLayout == RightLayout::Packed
              ? LayoutRequest::exact(
                    getFractalLayout(anchor, problem->blockElements()))
              : LayoutRequest::permuted(
                    ::atc::PhysicalLayout::rowMajor(type.getRank())));
    else
      candidate.operands.push_back(LayoutRequest::strided());
  }
  for (Type type : kernel.getResultTypes())
    candidate.results.push_back(LayoutRequest::permuted(
        getPreferredLayout(anchor, cast<RankedTensorType>(type))));
  candidates.push_back(std::move(candidate));
}

FailureOr<graph::ConfigAttr>
CubeTemplate::configure(graph::KernelOp kernel,
                        const hw::DeviceRecord &device) const {
  std::string reason;
  std::optional<CubeProblem> problem = CubeProblem::analyze(
      kernel.getBodyBlock(), device, getTypeStrides, isTiled, reason);
  std::optional<CubeTiling> tiling;
  if (problem)
    tiling = CubeTiling::choose(*problem, device);
  if (!tiling)
    return kernel.emitOpError("cannot be configured: ") << reason;
  Builder builder(kernel.getContext());
  auto parameter = [&](StringRef name, int64_t value) {
    return builder.getNamedAttr(name, builder.getI64IntegerAttr(value));
  };
  auto params = builder.getDictionaryAttr(
      {parameter("rows", tiling->rows), parameter("columns", tiling->columns),
       parameter("channels", tiling->channels),
       parameter("channel_blocks", tiling->channelBlocks),
       parameter("depth_blocks", tiling->depthBlocks),
       parameter("accumulators", tiling->accumulators)});
  AffineMap tiles = AffineMap::getConstantMap(tiling->tileCount(*problem),
                                              kernel.getContext());
  return graph::ConfigAttr::get(builder.getStringAttr(getName()), {tiles}, 0,
                                {}, {}, params);
}

LogicalResult CubeTemplate::lower(func::FuncOp kernel,
                                  const hw::DeviceRecord &device) const {
  Block &block = kernel.front();
  auto strides = [&](Value value) -> SmallVector<int64_t> {
    if (auto argument = dyn_cast<BlockArgument>(value))
      return plan::getArgumentStrides(kernel, argument.getArgNumber());
    return plan::getResultStrides(kernel, 0);
  };
  std::string reason;
  std::optional<CubeProblem> problem =
      CubeProblem::analyze(block, device, strides, isTiled, reason);
  if (!problem)
    return kernel.emitOpError("cannot be lowered: ") << reason;
  auto config = kernel->getAttrOfType<graph::ConfigAttr>(configAttrName);
  CubeTiling tiling;
  tiling.rows = config.getParam("rows");
  tiling.columns = config.getParam("columns");
  tiling.channels = config.getParam("channels");
  tiling.channelBlocks = config.getParam("channel_blocks");
  tiling.depthBlocks = config.getParam("depth_blocks");
  tiling.accumulators = config.getParam("accumulators");
  if (tiling.rows < 1 || tiling.columns < 1 || tiling.channels < 16 ||
      tiling.channels % 16 != 0 || tiling.channelBlocks < 1 ||
      tiling.depthBlocks < 1 || tiling.accumulators < 1 ||
      !tiling.fits(*problem, device))
    return kernel.emitOpError("has a tiling that does not fit ")
           << StringRef(device.name);
  KernelLaunch launch(kernel,
                      device.fused ? hw::CoreType::Fused : hw::CoreType::Cube);
  CubeLowering lowering(launch, *problem, tiling);
  CubeLowering::Buffers buffers;
  buffers.left = operandNumber(problem->left);
  buffers.right = operandNumber(problem->right);
  buffers.bias =
      problem->epilogue.bias ? operandNumber(problem->epilogue.bias) : 0;
  buffers.result = kernel.getNumArguments();
  lowering.build(buffers);
  return success();
}

} // namespace

const Template *mlir::atc::npu::getCubeTemplate() {
  static const CubeTemplate instance;
  return &instance;
}
