// Decides which convolutions go Winograd's way.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Codegen/Cpu/ConvolutionAnalysis.h"
#include "atc/Codegen/Cpu/Winograd.h"
#include "mlir/IR/Remarks.h"

using namespace mlir;
using namespace mlir::atc;
using namespace mlir::atc::cpu;

/// Nanoseconds predicted for one way to compute a convolution.
static double predict(const CpuDescription &cpu, Type type, double products,
                      double rowsPerFilterPass, double filterBytes,
                      double passes) {
  double perNanosecond = cpu.fmaPerCycle * cpu.lanes(type) * cpu.gigahertz;
  // Few rows leave registers of the tile empty.
  double efficiency = rowsPerFilterPass >= 12 ? 0.8 : 0.6;
  // Filters of a whole model do not stay in caches between runs; one that
  // fits is read from memory once, others for every block of tiles.
  double reads = filterBytes <= cpu.l3Bytes ? 1 : passes;
  return products / (perNanosecond * efficiency) +
         reads * filterBytes / cpu.gigabytesPerSecond;
}

namespace {
struct Prediction {
  double direct = 0, tiled = 0;
};
} // namespace

/// Predicts a convolution of `height` x `width` results against F(tile, 3).
static Prediction predictTile(const CpuDescription &cpu,
                              const ConvolutionAnalysis &conv, double images,
                              double height, double width, int64_t tile) {
  Type type = conv.accumulator;
  double channels = conv.inputChannels, outputs = conv.outputChannels;
  double filter = channels * outputs * (type.getIntOrFloatBitWidth() / 8);
  Prediction prediction;
  double points = images * height * width;
  prediction.direct = predict(cpu, type, 9 * points * channels * outputs,
                              points, 9 * filter, 1);

  double frequencies = (tile + 2) * (tile + 2);
  double tiles = images * std::ceil(height / tile) * std::ceil(width / tile);
  double block = std::min<double>(tiles, winogradBlockTiles);
  prediction.tiled =
      predict(cpu, type, frequencies * tiles * channels * outputs, block,
              frequencies * filter, tiles / block);
  // Each element of the transformed input and result is computed in about
  // three operations, stored and loaded again.
  double vectors = frequencies * tiles * (channels + outputs) / cpu.lanes(type);
  prediction.tiled += vectors * 4 / cpu.gigahertz;
  return prediction;
}

static bool isHalf(const ConvolutionAnalysis &conv) {
  return cast<RankedTensorType>(conv.input.getType()).getElementType().isF16();
}

/// Height and width that a map of open size is taken to have: networks for
/// pictures halve both where they double the channels, 64 of 56 x 56.
static int64_t expectedSide(int64_t channels) {
  return std::clamp<int64_t>(56 * 64 / channels, 14, 56);
}

/// The tile size that is predicted to be fastest, 0 for the direct method.
static int64_t chooseTile(const CpuDescription &cpu,
                          const ConvolutionAnalysis &conv, bool allowsFour) {
  auto result = cast<RankedTensorType>(conv.result.getType());
  const SlidingWindow &window = conv.window;
  bool fits = window.rank() == 2 && conv.groups == 1 &&
              conv.accumulator.isF32() && (!conv.widensInput() || isHalf(conv));
  for (unsigned dim = 0; dim < window.rank() && fits; ++dim)
    fits = window.kernel[dim] == 3 && window.strides[dim] == 1 &&
           window.dilations[dim] == 1;
  if (!fits || llvm::is_contained(result.getShape(), 0))
    return 0;
  auto sizeOr = [&](unsigned dim, int64_t expected) {
    return result.isDynamicDim(dim) ? expected : result.getDimSize(dim);
  };
  int64_t side = expectedSide(conv.outputChannels);
  int64_t images = sizeOr(0, 1);
  int64_t height = sizeOr(2, side), width = sizeOr(3, side);
  int64_t best = 0;
  double bestTime = 0;
  for (int64_t tile : {4, 2}) {
    if ((tile == 4 && (!allowsFour || isHalf(conv))) || height < tile ||
        width < tile)
      continue;
    Prediction prediction = predictTile(cpu, conv, images, height, width, tile);
    // A prediction is no measurement: ask for a clear gain.
    double limit = best ? bestTime : prediction.direct / 1.25;
    if (prediction.tiled >= limit)
      continue;
    best = tile;
    bestTime = prediction.tiled;
  }
  return best;
}

LogicalResult mlir::atc::cpu::rewriteToWinograd(RewriterBase &rewriter,
                                                graph::KernelOp kernel,
                                                const CpuDescription &cpu) {
  auto module = kernel->getParentOfType<ModuleOp>();
  auto mode =
      module ? module->getAttrOfType<StringAttr>(winogradAttrName) : nullptr;
  if (mode && mode.getValue() == "off")
    return success();
  bool allowsFour = !mode || mode.getValue() != "f2";
  std::string reason;
  std::optional<ConvolutionAnalysis> conv =
      ConvolutionAnalysis::analyze(kernel.getBodyBlock(), reason);
  if (!conv)
    return success();
  unsigned operand = *conv->region.argumentNumber(conv->filter);
  // The filter must be constant and serve this convolution alone.
  if (!isConstantOperand(kernel, operand) || !conv->filter.hasOneUse())
    return success();
  int64_t tile = chooseTile(cpu, *conv, allowsFour);
  if (!tile)
    return success();

  auto op = cast<graph::ConvOp>(conv->region.anchor);
  rewriter.setInsertionPoint(kernel);
  auto transformed = graph::WinogradFilterOp::create(
      rewriter, op.getLoc(), kernel.getArgs()[operand],
      rewriter.getI64IntegerAttr(tile));
  Value argument = conv->filter;
  rewriter.modifyOpInPlace(kernel, [&] {
    kernel->setOperand(operand, transformed.getResult());
    argument.setType(transformed.getResult().getType());
    tellOperandShape(kernel, operand);
  });
  rewriter.setInsertionPoint(op);
  auto convolution = graph::ConvWinogradOp::create(
      rewriter, op.getLoc(), op.getX(), argument,
      rewriter.getI64IntegerAttr(tile), op.getPadsAttr());
  // The encoding of the result, if any, stays.
  convolution.getResult().setType(op.getResult().getType());
  convolution->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  rewriter.replaceOp(op, convolution);
  remark::passed(kernel.getLoc(),
                 remark::RemarkOpts::name("Winograd").category("select"))
      << llvm::formatv("convolution by F({0}x{0}, 3x3)", tile).str();
  return success();
}
