// The template of depthwise convolutions: which kernels it takes, and how.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Codegen/Cpu/Depthwise.h"
#include "atc/Codegen/Cpu/ConvolutionAnalysis.h"

using namespace mlir;
using namespace mlir::atc;
using namespace mlir::atc::cpu;

/// Matches convolutions whose groups are single channels.
static std::optional<ConvolutionAnalysis> analyze(Block &block,
                                                  std::string &reason) {
  std::optional<ConvolutionAnalysis> conv =
      ConvolutionAnalysis::analyze(block, reason);
  if (!conv || conv->groups == 1 || conv->inputChannels != 1 ||
      conv->outputChannels != 1)
    return std::nullopt;
  return conv;
}

/// The filter as [kernel..., channel].
static ::atc::PhysicalLayout tapLayout(unsigned rank) {
  ::atc::PhysicalLayout layout = ::atc::PhysicalLayout::rowMajor(rank);
  std::rotate(layout.permutation.begin(), layout.permutation.begin() + 2,
              layout.permutation.end());
  std::swap(layout.permutation[rank - 2], layout.permutation[rank - 1]);
  return layout;
}

void DepthwiseTemplate::addCandidates(
    graph::KernelOp kernel, const CpuDescription &cpu,
    SmallVectorImpl<KernelCandidate> &candidates, std::string &reason) const {
  std::optional<ConvolutionAnalysis> conv =
      analyze(kernel.getBodyBlock(), reason);
  if (!conv)
    return;
  unsigned rank = conv->window.rank() + 2;
  KernelCandidate candidate;
  candidate.name = getName().str();
  requestChannelsLast(kernel, rank, candidate);
  auto inputType = cast<RankedTensorType>(conv->input.getType());
  auto resultType = cast<RankedTensorType>(conv->result.getType());
  candidate.operands[*conv->region.argumentNumber(conv->input)] =
      LayoutRequest::permuted(
          conv->window.haloLayout(inputType.getShape(), resultType.getShape()));
  candidate.operands[*conv->region.argumentNumber(conv->filter)] =
      LayoutRequest::exact(tapLayout(rank));
  double points = conv->gemmShape().rows.value_or(3136);
  double bytes = conv->accumulator.getIntOrFloatBitWidth() / 8;
  candidate.cost =
      predictTime(cpu, conv->accumulator, points * conv->groups * conv->depth(),
                  /*efficiency=*/0.5, 2 * points * conv->groups * bytes);
  candidates.push_back(std::move(candidate));
}

/// Rows and columns of the result that a register tile covers. `taps` is the
/// number of filter taps whose products are unrolled for each.
static std::pair<int64_t, int64_t> tileSize(const SlidingWindow &window) {
  unsigned rank = window.rank();
  int64_t columns = window.strides[rank - 1] == 1 ? 4 : 2;
  if (rank == 1)
    return {1, columns};
  int64_t taps = window.kernel[rank - 1] * window.kernel[rank - 2];
  // Long unrolled code is no faster and compiles slowly.
  if (taps > 49)
    return {1, columns};
  return {2, columns};
}

FailureOr<graph::ConfigAttr>
DepthwiseTemplate::configure(graph::KernelOp kernel, StringRef candidate,
                             const CpuDescription &cpu) const {
  std::string reason;
  std::optional<ConvolutionAnalysis> conv =
      analyze(kernel.getBodyBlock(), reason);
  if (!conv)
    return kernel.emitOpError("is no depthwise convolution: ") << reason;
  MLIRContext *context = kernel.getContext();
  auto [rows, columns] = tileSize(conv->window);
  AffineExpr tiles = getAffineConstantExpr(1, context);
  for (unsigned dim = 0; dim < conv->window.rank() + 2; ++dim) {
    FailureOr<AffineExpr> size = sizeExpression(conv->result, dim);
    if (failed(size))
      return kernel.emitOpError("does not tell the size of its anchor's result "
                                "in 'shapes'");
    bool isRow = conv->window.rank() > 1 && dim == conv->window.rank();
    bool isColumn = dim == conv->window.rank() + 1;
    if (dim != 1 && !isColumn)
      tiles = tiles * (isRow ? size->ceilDiv(rows) : *size);
  }
  Builder builder(context);
  NamedAttrList params;
  params.set("rows", builder.getI64IntegerAttr(rows));
  params.set("columns", builder.getI64IntegerAttr(columns));
  AffineMap grid = AffineMap::get(0, kernel.getDims().size(), tiles);
  return graph::ConfigAttr::get(builder.getStringAttr(getName()), {grid}, 0, {},
                                {}, params.getDictionary(context));
}

namespace {
/// Fills the launch of a depthwise convolution.
class DepthwiseLowering {
public:
  DepthwiseLowering(KernelLaunch &launch, const ConvolutionAnalysis &conv,
                    graph::ConfigAttr config, const CpuDescription &cpu)
      : launch(launch), conv(conv), window(conv.window), rank(window.rank()),
        tileRows(config.getParam("rows")),
        tileColumns(config.getParam("columns")),
        lanes(cpu.lanes(conv.accumulator)),
        type(VectorType::get({lanes}, conv.accumulator)),
        b(*launch.builder, conv.region.anchor->getLoc()), index(b.index),
        input(*launch.region->getView(conv.input)),
        filter(*launch.region->getView(conv.filter)),
        store(launch, conv.region) {
    for (unsigned dim = 0; dim < rank; ++dim)
      counts.push_back(window.count(index, dim, input.sizes[dim + 2]));
  }

  LogicalResult run();

private:
  /// A register tile: the first point of the result and its size.
  struct Tile {
    SmallVector<OpFoldResult> point;
    int64_t rows, columns;
    OpFoldResult channel;
    OpFoldResult active;
    int64_t count() const { return rows * columns; }
  };

  void buildRows(SmallVector<OpFoldResult> point, int64_t rows);
  void buildChannels(SmallVector<OpFoldResult> point, int64_t rows,
                     int64_t columns);
  void buildTile(const Tile &tile);
  SmallVector<Value> buildTaps(const Tile &tile, unsigned dim, Address element,
                               Address tap, ValueRange sums);
  SmallVector<Value> buildProducts(const Tile &tile, unsigned first,
                                   const Address &element, const Address &tap,
                                   ValueRange sums);
  /// The first window dim whose taps are unrolled.
  unsigned firstUnrolled() const;

  KernelLaunch &launch;
  const ConvolutionAnalysis &conv;
  const SlidingWindow &window;
  unsigned rank;
  int64_t tileRows, tileColumns, lanes;
  VectorType type;
  KernelBuilder b;
  IndexBuilder &index;
  const TensorView &input, &filter;
  AnchoredStore store;
  /// Windows along each spatial dim.
  SmallVector<OpFoldResult> counts;
};
} // namespace

unsigned DepthwiseLowering::firstUnrolled() const {
  int64_t products = tileRows * tileColumns;
  unsigned first = rank;
  // A tile of several rows shares elements between them only if both of the
  // last dims are unrolled.
  while (first > 0 && rank - first < 2 &&
         (products * window.kernel[first - 1] <= 400 ||
          (tileRows > 1 && rank - first < 2)))
    products *= window.kernel[--first];
  return first;
}

/// Products of the tile's points with the taps of the unrolled dims. Each
/// element is loaded once and used for every point whose window covers it.
SmallVector<Value> DepthwiseLowering::buildProducts(const Tile &tile,
                                                    unsigned first,
                                                    const Address &element,
                                                    const Address &tap,
                                                    ValueRange initial) {
  SmallVector<Value> sums(initial);
  auto sizeOf = [&](unsigned dim) {
    return dim < first ? 1 : window.kernel[dim];
  };
  bool hasRows = rank > 1;
  int64_t kernelRows = hasRows ? sizeOf(rank - 2) : 1;
  int64_t kernelColumns = sizeOf(rank - 1);
  int64_t rowStride = hasRows ? window.strides[rank - 2] : 1;
  int64_t columnStride = window.strides[rank - 1];
  int64_t rowStep = hasRows ? window.dilations[rank - 2] : 1;
  int64_t columnStep = window.dilations[rank - 1];
  Value mask = tile.active ? b.mask(tile.active, lanes) : Value();

  SmallVector<Value> taps(kernelRows * kernelColumns);
  auto tapAt = [&](int64_t row, int64_t column) {
    Value &value = taps[row * kernelColumns + column];
    if (!value) {
      Address place = tap;
      if (hasRows)
        place = place.moved(b, index.mul(filter.strides[rank], row));
      place = place.moved(b, index.mul(filter.strides[rank + 1], column));
      value = loadWidened(b, filter.buffer, place, type, mask);
    }
    return value;
  };
  // Rows and columns of elements that any window of the tile covers.
  int64_t height = (tile.rows - 1) * rowStride + (kernelRows - 1) * rowStep + 1;
  int64_t width =
      (tile.columns - 1) * columnStride + (kernelColumns - 1) * columnStep + 1;
  for (int64_t y = 0; y < height; ++y) {
    for (int64_t x = 0; x < width; ++x) {
      Value loaded;
      for (int64_t point = 0; point < tile.count(); ++point) {
        int64_t row = y - point / tile.columns * rowStride;
        int64_t column = x - point % tile.columns * columnStride;
        if (row < 0 || row % rowStep || row / rowStep >= kernelRows ||
            column < 0 || column % columnStep ||
            column / columnStep >= kernelColumns)
          continue;
        if (!loaded) {
          Address place = element;
          if (hasRows)
            place = place.moved(b, index.mul(input.strides[rank], y));
          place = place.moved(b, index.mul(input.strides[rank + 1], x));
          loaded = loadWidened(b, input.buffer, place, type, mask);
        }
        sums[point] = multiplyAdd(
            b, loaded, tapAt(row / rowStep, column / columnStep), sums[point]);
      }
    }
  }
  return sums;
}

SmallVector<Value> DepthwiseLowering::buildTaps(const Tile &tile, unsigned dim,
                                                Address element, Address tap,
                                                ValueRange sums) {
  unsigned first = firstUnrolled();
  if (dim == first)
    return buildProducts(tile, first, element, tap, sums);
  OpFoldResult step = index.mul(input.strides[dim + 2], window.dilations[dim]);
  return b.loop(index.constant(0), index.constant(window.kernel[dim]),
                index.constant(1), sums, [&](Value number, ValueRange current) {
                  return buildTaps(
                      tile, dim + 1, element.moved(b, index.mul(number, step)),
                      tap.moved(b, index.mul(number, filter.strides[dim + 2])),
                      current);
                });
}

void DepthwiseLowering::buildTile(const Tile &tile) {
  Address element{input.base, 0};
  element = element.moved(b, index.mul(tile.point[0], input.strides[0]))
                .moved(b, index.mul(tile.channel, input.strides[1]));
  for (unsigned dim = 0; dim < rank; ++dim) {
    // May step into the halo, never in front of the buffer: the sum stays
    // positive because the base counts the halo.
    OpFoldResult stride = input.strides[dim + 2];
    element.base =
        index.sub(element.base, index.mul(stride, window.begins[dim]));
    element = element.moved(
        b,
        index.mul(index.mul(tile.point[dim + 2], window.strides[dim]), stride));
  }
  Address tap{filter.base, 0};
  tap = tap.moved(b, index.mul(tile.channel, filter.strides[0]));

  SmallVector<Value> sums(tile.count(), b.splat(type, 0));
  sums = buildTaps(tile, 0, element, tap, sums);
  Value active = tile.active ? index.value(tile.active) : Value();
  for (int64_t number = 0; number < tile.count(); ++number) {
    SmallVector<OpFoldResult> point = tile.point;
    point[1] = tile.channel;
    if (rank > 1)
      point[rank] = index.add(point[rank], number / tile.columns);
    point[rank + 1] = index.add(point[rank + 1], number % tile.columns);
    store.store(VectorPoint::along(point, 1, lanes, 1, active), sums[number]);
  }
}

void DepthwiseLowering::buildChannels(SmallVector<OpFoldResult> point,
                                      int64_t rows, int64_t columns) {
  int64_t whole = conv.groups / lanes * lanes;
  b.loop(
      index.constant(0), index.constant(whole), index.constant(lanes),
      [&](Value channel) { buildTile({point, rows, columns, channel, {}}); });
  if (whole != conv.groups)
    buildTile({point, rows, columns, index.constant(whole),
               index.constant(conv.groups - whole)});
}

/// The columns of one or more rows. A last tile that would stick out starts
/// earlier and computes some points again; where even that does not fit, or
/// sizes are unknown, single columns take the rest.
void DepthwiseLowering::buildRows(SmallVector<OpFoldResult> point,
                                  int64_t rows) {
  OpFoldResult count = counts[rank - 1];
  std::optional<int64_t> known = IndexBuilder::getConstant(count);
  if (known && *known >= tileColumns) {
    OpFoldResult last = index.constant(*known - tileColumns);
    b.loop(index.constant(0), count, index.constant(tileColumns),
           [&](Value column) {
             point[rank + 1] = index.min(column, last);
             buildChannels(point, rows, tileColumns);
           });
    return;
  }
  OpFoldResult whole = index.sub(count, index.rem(count, tileColumns));
  b.loop(index.constant(0), whole, index.constant(tileColumns),
         [&](Value column) {
           point[rank + 1] = column;
           buildChannels(point, rows, tileColumns);
         });
  b.loop(whole, count, index.constant(1), [&](Value column) {
    point[rank + 1] = column;
    buildChannels(point, rows, 1);
  });
}

LogicalResult DepthwiseLowering::run() {
  // The grid: images, outer spatial dims, groups of rows.
  SmallVector<OpFoldResult> grid = {input.sizes[0]};
  for (unsigned dim = 0; dim + 1 < rank; ++dim)
    grid.push_back(dim + 2 == rank ? index.ceilDiv(counts[dim], tileRows)
                                   : counts[dim]);
  b.loop(launch.begin, launch.end, index.constant(1), [&](Value tile) {
    SmallVector<OpFoldResult> point = index.delinearize(tile, grid);
    point.insert(point.begin() + 1, index.constant(0));
    point.resize(rank + 2, index.constant(0));
    if (rank == 1)
      return buildRows(point, 1);
    OpFoldResult first = index.mul(point[rank], tileRows);
    std::optional<int64_t> known = IndexBuilder::getConstant(counts[rank - 2]);
    if (known && *known >= tileRows) {
      point[rank] = index.min(first, index.constant(*known - tileRows));
      return buildRows(point, tileRows);
    }
    OpFoldResult last = index.min(index.add(first, tileRows), counts[rank - 2]);
    b.loop(first, last, index.constant(1), [&](Value row) {
      point[rank] = row;
      buildRows(point, 1);
    });
  });
  return store.result();
}

LogicalResult DepthwiseTemplate::lower(func::FuncOp kernel,
                                       const CpuDescription &cpu) const {
  std::string reason;
  std::optional<ConvolutionAnalysis> conv =
      analyze(kernel.getBody().front(), reason);
  auto config = kernel->getAttrOfType<graph::ConfigAttr>(configAttrName);
  if (!conv || !config)
    return kernel.emitOpError("is no configured depthwise convolution: ")
           << reason;
  KernelLaunch launch = KernelLaunch::create(kernel, 0, cpu);
  if (failed(DepthwiseLowering(launch, *conv, config, cpu).run()))
    return failure();
  launch.finish();
  return success();
}
