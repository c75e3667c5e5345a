// Finds the matrices of a convolution kernel.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Codegen/Cpu/ConvolutionAnalysis.h"

using namespace mlir;
using namespace mlir::atc;
using namespace mlir::atc::cpu;

//===----------------------------------------------------------------------===//
// Layouts
//===----------------------------------------------------------------------===//

::atc::PhysicalLayout mlir::atc::cpu::channelsLast(unsigned rank) {
  ::atc::PhysicalLayout layout = ::atc::PhysicalLayout::rowMajor(rank);
  layout.permutation.erase(layout.permutation.begin() + 1);
  layout.permutation.push_back(1);
  return layout;
}

OpFoldResult SlidingWindow::count(IndexBuilder &index, unsigned dim,
                                  OpFoldResult size) const {
  OpFoldResult padded = index.add(size, begins[dim] + ends[dim]);
  // A window longer than the padded dim fits nowhere.
  OpFoldResult places = index.max(
      index.sub(index.add(padded, strides[dim]), index.constant(extent(dim))),
      index.constant(0));
  return index.div(places, strides[dim]);
}

::atc::PhysicalLayout
SlidingWindow::haloLayout(ArrayRef<int64_t> shape,
                          ArrayRef<int64_t> resultShape) const {
  ::atc::PhysicalLayout layout = channelsLast(shape.size());
  for (unsigned dim = 0; dim < rank(); ++dim) {
    int64_t size = shape[dim + 2], windows = resultShape[dim + 2];
    int64_t high = ends[dim];
    if (!ShapedType::isDynamic(size) && !ShapedType::isDynamic(windows))
      high = std::max<int64_t>(
          (windows - 1) * strides[dim] + extent(dim) - begins[dim] - size, 0);
    if (begins[dim] || high)
      layout.halos.push_back({dim + 2, begins[dim], high});
  }
  return layout;
}

void mlir::atc::cpu::requestChannelsLast(graph::KernelOp kernel, unsigned rank,
                                         KernelCandidate &candidate) {
  auto requestFor = [&](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor || tensor.getRank() != rank)
      return LayoutRequest::strided();
    return LayoutRequest::permuted(channelsLast(rank));
  };
  for (Value operand : kernel.getArgs())
    candidate.operands.push_back(requestFor(operand.getType()));
  for (Type type : kernel.getResultTypes())
    candidate.results.push_back(requestFor(type));
}

//===----------------------------------------------------------------------===//
// ConvolutionAnalysis
//===----------------------------------------------------------------------===//

std::optional<ConvolutionAnalysis>
ConvolutionAnalysis::analyze(Block &block, std::string &reason) {
  std::optional<AnchoredKernel> region =
      AnchoredKernel::match<graph::ConvOp>(block, reason);
  if (!region)
    return std::nullopt;
  ConvolutionAnalysis conv;
  conv.region = *region;
  auto op = cast<graph::ConvOp>(region->anchor);
  conv.input = op.getX();
  conv.filter = op.getW();
  conv.result = op.getResult();
  auto input = dyn_cast<RankedTensorType>(conv.input.getType());
  auto filter = dyn_cast<RankedTensorType>(conv.filter.getType());
  auto result = dyn_cast<RankedTensorType>(conv.result.getType());
  if (!input || !filter || !result || !filter.hasStaticShape() ||
      input.isDynamicDim(1)) {
    reason = "a convolution needs static channels and a static kernel";
    return std::nullopt;
  }
  Type element = input.getElementType();
  bool isSummed =
      isa<FloatType>(element) || element.isInteger(32) || element.isInteger(64);
  if (!isSummed || element != filter.getElementType()) {
    reason = "a convolution of integers below 32 bits has no CPU kernel";
    return std::nullopt;
  }
  if (!region->argumentNumber(conv.input) ||
      !region->argumentNumber(conv.filter)) {
    reason = "a convolution's operands are computed inside its kernel";
    return std::nullopt;
  }
  unsigned rank = op.getSpatialRank();
  SlidingWindow &window = conv.window;
  window.kernel.assign(filter.getShape().begin() + 2, filter.getShape().end());
  window.strides.assign(op.getStrides().begin(), op.getStrides().end());
  window.dilations.assign(op.getDilations().begin(), op.getDilations().end());
  window.begins.assign(op.getPads().begin(), op.getPads().begin() + rank);
  window.ends.assign(op.getPads().begin() + rank, op.getPads().end());
  conv.groups = op.getGroups();
  conv.inputChannels = filter.getDimSize(1);
  conv.outputChannels = filter.getDimSize(0) / conv.groups;
  conv.accumulator = computeType(input.getElementType());
  return conv;
}

int64_t ConvolutionAnalysis::depth() const {
  int64_t depth = inputChannels;
  for (int64_t size : window.kernel)
    depth *= size;
  return depth;
}

GemmShape ConvolutionAnalysis::gemmShape() const {
  GemmShape shape;
  shape.columns = outputChannels;
  shape.depth = depth();
  shape.batches = groups;
  auto type = cast<RankedTensorType>(result.getType());
  int64_t rows = 1;
  for (unsigned dim = 0; dim < type.getRank(); ++dim) {
    if (type.isDynamicDim(dim))
      return shape;
    rows *= dim == 1 ? 1 : type.getDimSize(dim);
  }
  shape.rows = rows;
  return shape;
}

::atc::PhysicalLayout ConvolutionAnalysis::filterLayout(int64_t width) const {
  ::atc::PhysicalLayout layout = channelsLast(window.rank() + 2);
  if (hasGroupedFilter(width))
    layout.tiles = {{0, outputChannels}, {0, width}};
  else
    layout.tiles = {{0, width}};
  return layout;
}

bool ConvolutionAnalysis::widensInput() const {
  Type element = cast<RankedTensorType>(input.getType()).getElementType();
  return storageType(element) != accumulator;
}

//===----------------------------------------------------------------------===//
// ConvolutionSteps
//===----------------------------------------------------------------------===//

/// The smallest number of equal parts of at most `limit` and at least a quarter
/// of it; 0 if there is none. `inFours`: parts are multiples of 4.
static int64_t divideEvenly(int64_t size, int64_t limit, bool inFours) {
  for (int64_t parts = llvm::divideCeil(size, limit);
       parts <= size && size / parts * 4 >= limit; ++parts)
    if (size % parts == 0 && (!inFours || size / parts % 4 == 0))
      return parts;
  return 0;
}

ConvolutionSteps ConvolutionSteps::plan(const SlidingWindow &window,
                                        int64_t channels, bool linesMerge,
                                        int64_t limit) {
  ConvolutionSteps steps;
  steps.line = channels;
  unsigned dims = window.rank();
  if (linesMerge)
    steps.line *= window.kernel[--dims];

  // A line longer than the limit is divided, evenly where its size allows.
  steps.run = steps.line;
  if (steps.line > limit) {
    steps.parts = divideEvenly(steps.line, limit, /*inFours=*/true);
    if (steps.parts == 0)
      steps.parts = llvm::divideCeil(steps.line, limit);
    steps.run = llvm::divideCeil(steps.line, steps.parts);
    if (steps.line % steps.parts != 0)
      steps.run = llvm::alignTo(steps.run, 4);
    steps.parts = llvm::divideCeil(steps.line, steps.run);
  }

  // Window dims join the block, fastest first, until it is full.
  int64_t size = steps.run;
  bool isFull = steps.parts > 1;
  for (unsigned dim = dims; dim-- > 0;) {
    int64_t kernel = window.kernel[dim];
    if (kernel == 1)
      continue;
    if (!isFull && size * kernel <= limit) {
      steps.inner.insert(steps.inner.begin(), {dim, kernel});
      size *= kernel;
      continue;
    }
    int64_t parts =
        isFull ? 0
               : divideEvenly(kernel, std::max<int64_t>(limit / size, 1),
                              /*inFours=*/false);
    isFull = true;
    int64_t inside = parts ? kernel / parts : 1;
    if (inside > 1)
      steps.inner.insert(steps.inner.begin(), {dim, inside});
    steps.blocks.insert(steps.blocks.begin(), {dim, kernel / inside, inside});
    size *= inside;
  }
  return steps;
}

int64_t ConvolutionSteps::blockCount() const {
  int64_t count = parts;
  for (const Dim &dim : blocks)
    count *= dim.size;
  return count;
}

int64_t ConvolutionSteps::blockSize() const {
  int64_t size = run;
  for (const Dim &dim : inner)
    size *= dim.size;
  return size;
}
