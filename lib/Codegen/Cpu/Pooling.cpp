// The template of pooling.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Codegen/Cpu/Pooling.h"
#include "atc/Codegen/Cpu/ConvolutionAnalysis.h"

using namespace mlir;
using namespace mlir::atc;
using namespace mlir::atc::cpu;

//===----------------------------------------------------------------------===//
// Analysis
//===----------------------------------------------------------------------===//

namespace {
/// A pooling kernel.
struct PoolingAnalysis {
  AnchoredKernel region;
  Value input, result;
  SlidingWindow window;
  bool isMax = false, ceilMode = false, countsPadding = false;
  bool isUnsigned = false;
  Type type;

  static std::optional<PoolingAnalysis> analyze(Block &block,
                                                std::string &reason);
  /// The number of channels, 0 if unknown.
  int64_t channels() const {
    auto tensor = cast<RankedTensorType>(input.getType());
    return tensor.isDynamicDim(1) ? 0 : tensor.getDimSize(1);
  }
  /// The number of windows along a dim of `size` elements.
  OpFoldResult count(IndexBuilder &index, unsigned dim,
                     OpFoldResult size) const;

private:
  template <typename OpT>
  void read(OpT op);
};
} // namespace

template <typename OpT>
void PoolingAnalysis::read(OpT op) {
  input = op.getX();
  result = op.getResult();
  ceilMode = op.getCeilMode();
  unsigned rank = op.getSpatialRank();
  window.kernel.assign(op.getKernel().begin(), op.getKernel().end());
  window.strides.assign(op.getStrides().begin(), op.getStrides().end());
  window.dilations.assign(op.getDilations().begin(), op.getDilations().end());
  window.begins.assign(op.getPads().begin(), op.getPads().begin() + rank);
  window.ends.assign(op.getPads().begin() + rank, op.getPads().end());
}

std::optional<PoolingAnalysis> PoolingAnalysis::analyze(Block &block,
                                                        std::string &reason) {
  PoolingAnalysis pool;
  std::optional<AnchoredKernel> region =
      AnchoredKernel::match<graph::MaxPoolOp>(block, reason);
  pool.isMax = region.has_value();
  if (!region)
    region = AnchoredKernel::match<graph::AvgPoolOp>(block, reason);
  if (!region)
    return std::nullopt;
  pool.region = *region;
  if (auto op = dyn_cast<graph::MaxPoolOp>(region->anchor)) {
    pool.read(op);
  } else {
    auto average = cast<graph::AvgPoolOp>(region->anchor);
    pool.read(average);
    pool.countsPadding = average.getCountIncludePad();
  }
  auto type = dyn_cast<RankedTensorType>(pool.input.getType());
  if (!type) {
    reason = "pooling of a tensor without a rank";
    return std::nullopt;
  }
  pool.isUnsigned = type.getElementType().isUnsignedInteger();
  pool.type = computeType(type.getElementType());
  return pool;
}

OpFoldResult PoolingAnalysis::count(IndexBuilder &index, unsigned dim,
                                    OpFoldResult size) const {
  auto tensor = cast<RankedTensorType>(result.getType());
  if (!tensor.isDynamicDim(dim + 2))
    return index.constant(tensor.getDimSize(dim + 2));
  if (!ceilMode)
    return window.count(index, dim, size);
  int64_t stride = window.strides[dim];
  OpFoldResult room = index.max(
      index.sub(index.add(size, window.begins[dim] + window.ends[dim]),
                index.constant(window.extent(dim))),
      index.constant(0));
  OpFoldResult windows = index.add(index.ceilDiv(room, stride), 1);
  // A last window that starts behind the elements is dropped.
  OpFoldResult starts =
      index.ceilDiv(index.add(size, window.begins[dim]), stride);
  return index.min(windows, starts);
}

//===----------------------------------------------------------------------===//
// Selection
//===----------------------------------------------------------------------===//

void PoolingTemplate::addCandidates(
    graph::KernelOp kernel, const CpuDescription &cpu,
    SmallVectorImpl<KernelCandidate> &candidates, std::string &reason) const {
  std::optional<PoolingAnalysis> pool =
      PoolingAnalysis::analyze(kernel.getBodyBlock(), reason);
  if (!pool)
    return;
  KernelCandidate candidate;
  candidate.name = getName().str();
  int64_t lanes = cpu.lanes(pool->type);
  bool isVector = pool->channels() >= lanes;
  if (isVector) {
    requestChannelsLast(kernel, pool->window.rank() + 2, candidate);
  } else {
    candidate.operands.assign(kernel.getArgs().size(),
                              LayoutRequest::strided());
    candidate.results.assign(kernel.getNumResults(), LayoutRequest::strided());
  }
  double elements = 1;
  for (int64_t size : cast<RankedTensorType>(pool->result.getType()).getShape())
    elements *= ShapedType::isDynamic(size) ? 64 : size;
  for (int64_t size : pool->window.kernel)
    elements *= size;
  candidate.cost = elements / (isVector ? lanes : 1) * 1.5 / cpu.gigahertz;
  candidates.push_back(std::move(candidate));
}

FailureOr<graph::ConfigAttr>
PoolingTemplate::configure(graph::KernelOp kernel, StringRef candidate,
                           const CpuDescription &cpu) const {
  std::string reason;
  std::optional<PoolingAnalysis> pool =
      PoolingAnalysis::analyze(kernel.getBodyBlock(), reason);
  if (!pool)
    return kernel.emitOpError("is no pooling: ") << reason;
  MLIRContext *context = kernel.getContext();
  // A tile is one line of the result, all channels of it.
  AffineExpr tiles = getAffineConstantExpr(1, context);
  for (unsigned dim = 0; dim + 1 < pool->window.rank() + 2; ++dim) {
    if (dim == 1)
      continue;
    FailureOr<AffineExpr> size = sizeExpression(pool->result, dim);
    if (failed(size))
      return kernel.emitOpError("does not tell the size of its anchor's result "
                                "in 'shapes'");
    tiles = tiles * *size;
  }
  return graph::ConfigAttr::get(
      StringAttr::get(context, getName()),
      {AffineMap::get(0, kernel.getDims().size(), tiles)});
}

//===----------------------------------------------------------------------===//
// Lowering
//===----------------------------------------------------------------------===//

namespace {
/// Fills the launch of a pooling kernel.
class PoolingLowering {
public:
  PoolingLowering(KernelLaunch &launch, const PoolingAnalysis &pool,
                  const CpuDescription &cpu)
      : launch(launch), pool(pool), window(pool.window), rank(window.rank()),
        b(*launch.builder, pool.region.anchor->getLoc()), index(b.index),
        store(launch, pool.region) {
    for (unsigned dim = 0; dim < rank + 2; ++dim)
      sizes.push_back(launch.region->sizeOf(pool.input, dim));
    if (isChannelsLast())
      lanes = cpu.lanes(pool.type);
  }

  LogicalResult run();

private:
  /// The part of a window that lies inside the tensor, along one dim: taps
  /// [first, last), the coordinate of tap 0 plus `begin`, and the divisor's
  /// share.
  struct Span {
    OpFoldResult first, last, start, count;
  };

  bool isChannelsLast() const;
  Type valueType() const {
    return lanes == 1 ? pool.type : VectorType::get({lanes}, pool.type);
  }
  Span spanOf(unsigned dim, OpFoldResult number);
  void buildPoint(SmallVector<OpFoldResult> point);
  void buildChannels(ArrayRef<OpFoldResult> point, ArrayRef<Span> spans,
                     OpFoldResult channel, int64_t vectors, Value active);
  SmallVector<Value> buildTaps(ArrayRef<Span> spans,
                               SmallVector<OpFoldResult> from, unsigned dim,
                               OpFoldResult channel, Value active,
                               ValueRange values);
  Value identity();
  Value combine(Value lhs, Value rhs);
  Value finish(Value value, ArrayRef<Span> spans);

  KernelLaunch &launch;
  const PoolingAnalysis &pool;
  const SlidingWindow &window;
  unsigned rank;
  KernelBuilder b;
  IndexBuilder &index;
  AnchoredStore store;
  int64_t lanes = 1;
  SmallVector<OpFoldResult> sizes;
  bool hasFailed = false;
};
} // namespace

/// Whether vectors of channels are contiguous wherever the kernel looks.
bool PoolingLowering::isChannelsLast() const {
  int64_t channels = pool.channels();
  auto hasUnit = [&](const TensorView &view) {
    return view.getRank() != rank + 2 || view.getStaticStride(1) == 1;
  };
  return channels > 1 && llvm::all_of(launch.operands, hasUnit) &&
         llvm::all_of(launch.results, hasUnit);
}

PoolingLowering::Span PoolingLowering::spanOf(unsigned dim,
                                              OpFoldResult number) {
  int64_t begin = window.begins[dim], step = window.dilations[dim];
  int64_t taps = window.kernel[dim];
  Span span;
  span.start = index.mul(number, window.strides[dim]);
  OpFoldResult border = index.constant(begin);
  // Tap t lies at start + t * step - begin.
  OpFoldResult limit = index.add(sizes[dim + 2], begin);
  auto tapsBelow = [&](OpFoldResult end) {
    return index.min(index.ceilDiv(b.saturatingSub(end, span.start), step),
                     index.constant(taps));
  };
  span.first = index.constant(0);
  if (begin)
    span.first = index.ceilDiv(b.saturatingSub(border, span.start), step);
  span.last = tapsBelow(limit);
  span.count = pool.countsPadding
                   ? tapsBelow(index.add(limit, window.ends[dim]))
                   : b.saturatingSub(span.last, span.first);
  return span;
}

Value PoolingLowering::identity() {
  Type element = pool.type;
  if (!pool.isMax)
    return b.splat(valueType(), 0);
  if (isa<FloatType>(element))
    return b.splat(valueType(), -std::numeric_limits<double>::infinity());
  unsigned width = element.getIntOrFloatBitWidth();
  llvm::APInt least = pool.isUnsigned ? llvm::APInt::getMinValue(width)
                                      : llvm::APInt::getSignedMinValue(width);
  TypedAttr attr = b.builder.getIntegerAttr(element, least);
  if (auto vector = dyn_cast<VectorType>(valueType()))
    attr = DenseElementsAttr::get(vector, Attribute(attr));
  return arith::ConstantOp::create(b.builder, b.loc, attr);
}

Value PoolingLowering::combine(Value lhs, Value rhs) {
  if (!pool.isMax)
    return arith::AddFOp::create(b.builder, b.loc, lhs, rhs);
  if (isa<FloatType>(pool.type))
    return arith::MaximumFOp::create(b.builder, b.loc, lhs, rhs);
  if (pool.isUnsigned)
    return arith::MaxUIOp::create(b.builder, b.loc, lhs, rhs);
  return arith::MaxSIOp::create(b.builder, b.loc, lhs, rhs);
}

Value PoolingLowering::finish(Value value, ArrayRef<Span> spans) {
  if (pool.isMax)
    return value;
  OpFoldResult count = index.constant(1);
  for (const Span &span : spans)
    count = index.mul(count, span.count);
  Value divisor = arith::IndexCastOp::create(
      b.builder, b.loc, b.builder.getI64Type(), index.value(count));
  divisor = arith::SIToFPOp::create(b.builder, b.loc, pool.type, divisor);
  if (isa<VectorType>(value.getType()))
    divisor =
        vector::BroadcastOp::create(b.builder, b.loc, value.getType(), divisor);
  return arith::DivFOp::create(b.builder, b.loc, value, divisor);
}

SmallVector<Value> PoolingLowering::buildTaps(ArrayRef<Span> spans,
                                              SmallVector<OpFoldResult> from,
                                              unsigned dim,
                                              OpFoldResult channel,
                                              Value active, ValueRange values) {
  if (dim == rank) {
    SmallVector<Value> combined;
    for (auto [number, value] : llvm::enumerate(values)) {
      from[1] = index.add(channel, number * lanes);
      VectorPoint point = lanes == 1
                              ? VectorPoint::scalar(from)
                              : VectorPoint::along(from, 1, lanes, 1, active);
      FailureOr<Value> element = launch.region->value(pool.input, point);
      hasFailed |= failed(element);
      combined.push_back(failed(element) ? value : combine(value, *element));
    }
    return combined;
  }
  return b.loop(
      spans[dim].first, spans[dim].last, index.constant(1), values,
      [&](Value tap, ValueRange current) {
        OpFoldResult at =
            index.add(spans[dim].start, index.mul(tap, window.dilations[dim]));
        from[dim + 2] = index.sub(at, index.constant(window.begins[dim]));
        return buildTaps(spans, from, dim + 1, channel, active, current);
      });
}

void PoolingLowering::buildChannels(ArrayRef<OpFoldResult> point,
                                    ArrayRef<Span> spans, OpFoldResult channel,
                                    int64_t vectors, Value active) {
  SmallVector<OpFoldResult> from(rank + 2);
  from[0] = point[0];
  SmallVector<Value> values(vectors, identity());
  values = buildTaps(spans, from, 0, channel, active, values);
  for (auto [number, value] : llvm::enumerate(values)) {
    SmallVector<OpFoldResult> to(point);
    to[1] = index.add(channel, number * lanes);
    store.store(lanes == 1 ? VectorPoint::scalar(to)
                           : VectorPoint::along(to, 1, lanes, 1, active),
                finish(value, spans));
  }
}

void PoolingLowering::buildPoint(SmallVector<OpFoldResult> point) {
  SmallVector<Span> spans;
  for (unsigned dim = 0; dim < rank; ++dim)
    spans.push_back(spanOf(dim, point[dim + 2]));
  if (lanes == 1) {
    b.loop(index.constant(0), sizes[1], index.constant(1),
           [&](Value channel) { buildChannels(point, spans, channel, 1, {}); });
    return;
  }
  // Several vectors share the walk over the window.
  int64_t channels = pool.channels(), channel = 0;
  for (int64_t vectors : {4, 1}) {
    int64_t step = vectors * lanes;
    int64_t end = channel + (channels - channel) / step * step;
    b.loop(
        index.constant(channel), index.constant(end), index.constant(step),
        [&](Value first) { buildChannels(point, spans, first, vectors, {}); });
    channel = end;
  }
  if (channel < channels)
    buildChannels(point, spans, index.constant(channel), 1,
                  index.value(channels - channel));
}

LogicalResult PoolingLowering::run() {
  SmallVector<OpFoldResult> counts;
  for (unsigned dim = 0; dim < rank; ++dim)
    counts.push_back(pool.count(index, dim, sizes[dim + 2]));
  SmallVector<OpFoldResult> grid = {sizes[0]};
  grid.append(counts.begin(), counts.end() - 1);
  b.loop(launch.begin, launch.end, index.constant(1), [&](Value tile) {
    SmallVector<OpFoldResult> point = index.delinearize(tile, grid);
    point.insert(point.begin() + 1, index.constant(0));
    point.push_back({});
    b.loop(index.constant(0), counts.back(), index.constant(1),
           [&](Value column) {
             point.back() = column;
             buildPoint(point);
           });
  });
  return success(!hasFailed && succeeded(store.result()));
}

LogicalResult PoolingTemplate::lower(func::FuncOp kernel,
                                     const CpuDescription &cpu) const {
  std::string reason;
  std::optional<PoolingAnalysis> pool =
      PoolingAnalysis::analyze(kernel.getBody().front(), reason);
  if (!pool)
    return kernel.emitOpError("is no pooling: ") << reason;
  KernelLaunch launch = KernelLaunch::create(kernel, 0, cpu);
  if (failed(PoolingLowering(launch, *pool, cpu).run()))
    return failure();
  launch.finish();
  return success();
}
