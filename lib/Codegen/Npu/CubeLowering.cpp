// Builds the instructions of an implicit GEMM.
// SPDX-License-Identifier: Apache-2.0
#include "CubeLowering.h"

using namespace mlir;
using namespace mlir::atc;
using namespace mlir::atc::npu;
namespace hw = ::atc::isa;

static constexpr int64_t blockBytes = 32, fractalBytes = 512;

CubeLowering::CubeLowering(KernelLaunch &launch, const CubeProblem &problem,
                           const CubeTiling &tiling)
    : launch(launch), index(launch.getIndex()), problem(problem),
      tiling(tiling), elementBytes(byteSize(problem.type)) {}

void CubeLowering::allocate() {
  int64_t pixelBlocks = llvm::divideCeil(tiling.pixels(), 16);
  imageL1 = launch.allocate(hw::Space::L1, tiling.imageBytes(problem), 2);
  filterL1 = launch.allocate(hw::Space::L1, tiling.filterBytes(problem), 2);
  leftL0 = launch.allocate(hw::Space::L0A,
                           pixelBlocks * tiling.depthBlocks * fractalBytes, 2);
  rightL0 = launch.allocate(
      hw::Space::L0B, tiling.channels / 16 * tiling.depthBlocks * fractalBytes,
      2);
  accumulators = launch.allocate(hw::Space::L0C, tiling.accumulatorBytes(),
                                 tiling.accumulators);
  if (!problem.epilogue.bias)
    return;
  biasL1 = launch.allocate(hw::Space::L1,
                           tiling.channels * byteSize(problem.biasType), 2);
  biasTable = launch.allocate(hw::Space::BT, tiling.channels * 4, 2);
}

Value CubeLowering::slotOf(OpFoldResult number, int64_t count) {
  return count == 1 ? Value() : index.value(index.rem(number, count));
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

/// What is left of `total` from `begin` on, at most `step`; a constant where
/// `step` divides `total`.
static OpFoldResult remaining(IndexBuilder &index, OpFoldResult begin,
                              int64_t total, int64_t step) {
  if (total % step == 0)
    return index.constant(step);
  if (total < step)
    return index.constant(total);
  return index.min(index.constant(step),
                   index.sub(index.constant(total), begin));
}

CubeLowering::ImageRange
CubeLowering::imageRange(OpFoldResult window, OpFoldResult windows,
                         int64_t stride, int64_t extent, int64_t pad,
                         int64_t size, int64_t allWindows) {
  OpFoldResult zero = index.constant(0);
  int64_t overhang = (allWindows - 1) * stride + extent - pad - size;
  // In coordinates that begin with the padding, nothing is negative.
  OpFoldResult first = index.mul(window, stride);
  OpFoldResult reach =
      index.add(index.mul(index.add(windows, -1), stride), extent);
  OpFoldResult last = index.add(first, reach);
  ImageRange range{first, reach, zero, zero};
  if (pad > 0) {
    range.padBefore = index.max(index.sub(index.constant(pad), first), zero);
    range.begin = index.max(index.sub(first, index.constant(pad)), zero);
  }
  if (overhang > 0)
    range.padAfter =
        index.max(index.sub(last, index.constant(pad + size)), zero);
  range.size = index.sub(index.sub(reach, range.padBefore), range.padAfter);
  return range;
}

CubeLowering::Tile CubeLowering::describeTile(Value number) {
  Tile tile;
  tile.number = number;
  int64_t rowTiles = llvm::divideCeil(problem.outHeight, tiling.rows);
  int64_t columnTiles = llvm::divideCeil(problem.outWidth, tiling.columns);
  int64_t channelTiles = llvm::divideCeil(problem.outChannels, tiling.channels);
  SmallVector<OpFoldResult> place = index.delinearize(
      OpFoldResult(number),
      {index.constant(problem.batches), index.constant(rowTiles),
       index.constant(columnTiles), index.constant(channelTiles)});
  tile.batch = place[0];
  tile.row = index.mul(place[1], tiling.rows);
  tile.column = index.mul(place[2], tiling.columns);
  tile.channel = index.mul(place[3], tiling.channels);
  tile.rows = remaining(index, tile.row, problem.outHeight, tiling.rows);
  tile.columns =
      remaining(index, tile.column, problem.outWidth, tiling.columns);
  tile.channels =
      remaining(index, tile.channel, problem.outChannels, tiling.channels);
  tile.channelBlocks = index.ceilDiv(tile.channels, 16);
  tile.pixels = index.mul(tile.rows, tile.columns);
  tile.paddedPixels = index.mul(index.ceilDiv(tile.pixels, 16), 16);

  ImageRange rows = imageRange(tile.row, tile.rows, problem.strideHeight,
                               problem.imageRows(1), problem.padTop,
                               problem.height, problem.outHeight);
  ImageRange columns = imageRange(
      tile.column, tile.columns, problem.strideWidth, problem.imageColumns(1),
      problem.padLeft, problem.width, problem.outWidth);
  tile.imageRow = rows.begin;
  tile.imageRows = rows.size;
  tile.padTop = rows.padBefore;
  tile.padBottom = rows.padAfter;
  tile.imageColumn = columns.begin;
  tile.imageColumns = columns.size;
  tile.padLeft = columns.padBefore;
  tile.padRight = columns.padAfter;
  tile.accumulatorSlot = slotOf(OpFoldResult(number), tiling.accumulators);
  tile.biasSlot =
      problem.epilogue.bias ? slotOf(OpFoldResult(number), 2) : Value();
  return tile;
}

//===----------------------------------------------------------------------===//
// Global memory to L1
//===----------------------------------------------------------------------===//

void CubeLowering::loadBias(const Tile &tile, Value bias) {
  int64_t size = byteSize(problem.biasType);
  Value source = launch.address(bias, index.mul(tile.channel, size));
  Value inL1 = launch.address(biasL1, index.constant(0), tile.biasSlot);
  Value table = launch.address(biasTable, index.constant(0), tile.biasSlot);
  launch.create<CopyGmToL1Op>(inL1, source, 1, index.mul(tile.channels, size),
                              0, 0);
  launch.create<LoadBiasOp>(problem.biasType, table, inL1, tile.channels);
}

void CubeLowering::loadImage(const Tile &tile, Value image,
                             OpFoldResult firstBlock, OpFoldResult channels,
                             Value slot) {
  OpFoldResult offset = index.dot(
      {tile.batch, tile.imageRow, tile.imageColumn, firstBlock},
      {index.constant(problem.leftBatch), index.constant(problem.leftRow),
       index.constant(problem.leftPixel),
       index.constant(problem.blockElements())});
  Value source = launch.address(image, index.mul(offset, elementBytes));
  Value target = launch.address(imageL1, index.constant(0), slot);
  OpFoldResult pixels = index.mul(tile.imageRows, tile.imageColumns);
  OpFoldResult planeBytes = index.mul(pixels, blockBytes);
  OpFoldResult rowBytes = index.mul(tile.imageColumns, blockBytes);
  // Each image row is a matrix of pixels by channels.
  launch.create<Nd2NzOp>(
      hw::ElementWidth::B16, hw::Toggle::Off, target, source, tile.imageRows,
      tile.imageColumns, channels, problem.leftRow * elementBytes,
      problem.leftPixel * elementBytes, rowBytes, planeBytes);
}

void CubeLowering::loadFilter(const Tile &tile, Value filter,
                              OpFoldResult firstBlock, OpFoldResult blocks,
                              OpFoldResult channels, Value slot) {
  Value target = launch.address(filterL1, index.constant(0), slot);
  if (problem.rightLayout == RightLayout::Packed) {
    OpFoldResult depth = index.mul(firstBlock, problem.taps());
    OpFoldResult offset = index.add(index.mul(depth, problem.columnBlocks()),
                                    index.div(tile.channel, 16));
    Value source = launch.address(filter, index.mul(offset, fractalBytes));
    OpFoldResult rowBytes = index.mul(tile.channelBlocks, fractalBytes);
    launch.create<CopyGmToL1Op>(
        target, source, index.mul(blocks, problem.taps()), rowBytes, rowBytes,
        problem.columnBlocks() * fractalBytes);
    return;
  }
  bool isTransposed = problem.rightLayout == RightLayout::Transposed;
  OpFoldResult depth = index.mul(firstBlock, problem.blockElements());
  OpFoldResult row = isTransposed ? tile.channel : depth;
  OpFoldResult column = isTransposed ? depth : tile.channel;
  OpFoldResult offset =
      index.add(index.add(index.mul(tile.batch, problem.rightBatch),
                          index.mul(row, problem.rightRow)),
                column);
  Value source = launch.address(filter, index.mul(offset, elementBytes));
  OpFoldResult rows = isTransposed ? tile.channels : channels;
  OpFoldResult columns = isTransposed ? channels : tile.channels;
  OpFoldResult columnBytes = index.mul(index.ceilDiv(rows, 16), fractalBytes);
  launch.create<Nd2NzOp>(hw::ElementWidth::B16, hw::Toggle::Off, target, source,
                         1, rows, columns, 0, problem.rightRow * elementBytes,
                         0, columnBytes);
}

//===----------------------------------------------------------------------===//
// L1 to L0, products
//===----------------------------------------------------------------------===//

void CubeLowering::loadOperands(const Tile &tile, OpFoldResult channelBlocks,
                                OpFoldResult channels, OpFoldResult firstDepth,
                                OpFoldResult depth, Value l1Slot,
                                Value l0Slot) {
  Value image = launch.address(imageL1, index.constant(0), l1Slot);
  Value left = launch.address(leftL0, index.constant(0), l0Slot);
  launch.create<Load3dL0AOp>(
      left, image, tile.imageRows, tile.imageColumns, channelBlocks,
      tile.padLeft, tile.padRight, tile.padTop, tile.padBottom,
      problem.strideWidth, problem.strideHeight, problem.filterWidth,
      problem.filterHeight, problem.dilationWidth, problem.dilationHeight, 0,
      index.mul(firstDepth, blockBytes), tile.paddedPixels,
      index.mul(depth, blockBytes));

  if (problem.rightLayout != RightLayout::RowMajor) {
    // Fractals of the wanted rows lie together.
    OpFoldResult first =
        index.mul(index.mul(firstDepth, tile.channelBlocks), fractalBytes);
    Value filter = launch.address(filterL1, first, l1Slot);
    Value right = launch.address(rightL0, index.constant(0), l0Slot);
    launch.create<Load2dL0BOp>(hw::Toggle::Off, right, filter,
                               index.mul(depth, tile.channelBlocks), 1, 1);
    return;
  }
  // Columns of fractals, each to be transposed, become rows.
  scf::ForOp loop = launch.createLoop(tile.channelBlocks);
  Value column = loop.getInductionVar();
  OpFoldResult columnBlocks = index.ceilDiv(channels, 16);
  OpFoldResult first =
      index.add(index.mul(OpFoldResult(column), columnBlocks), firstDepth);
  Value filter =
      launch.address(filterL1, index.mul(first, fractalBytes), l1Slot);
  Value right = launch.address(
      rightL0, index.mul(OpFoldResult(column), fractalBytes), l0Slot);
  launch.create<Load2dL0BOp>(hw::Toggle::On, right, filter, depth,
                             tile.channelBlocks, 1);
  launch.leave(loop);
}

void CubeLowering::multiply(const Tile &tile, OpFoldResult depth, Value step,
                            Value l0Slot) {
  Value left = launch.address(leftL0, index.constant(0), l0Slot);
  Value right = launch.address(rightL0, index.constant(0), l0Slot);
  Value sums =
      launch.address(accumulators, index.constant(0), tile.accumulatorSlot);
  auto product = [&](hw::MmadInit init) {
    OpFoldResult bias = index.constant(0);
    if (init == hw::MmadInit::Bias)
      bias = launch.address(biasTable, index.constant(0), tile.biasSlot);
    launch.create<MmadOp>(problem.type, init, sums, left, right, bias,
                          tile.pixels, tile.channels, depth);
  };
  hw::MmadInit init =
      problem.epilogue.bias ? hw::MmadInit::Bias : hw::MmadInit::Zero;
  if (!step)
    return product(init);
  OpBuilder &builder = launch.getBuilder();
  Location loc = launch.getLoc();
  Value isFirst = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                        step, index.value(0));
  auto branch = scf::IfOp::create(builder, loc, isFirst, /*withElse=*/true);
  builder.setInsertionPointToStart(branch.thenBlock());
  product(init);
  builder.setInsertionPointToStart(branch.elseBlock());
  product(hw::MmadInit::Accumulate);
  builder.setInsertionPointAfter(branch);
}

void CubeLowering::buildChannelStep(const Tile &tile, Value step,
                                    const Buffers &buffers) {
  int64_t channelSteps = tiling.channelSteps(problem);
  int64_t depthSteps = tiling.depthSteps(problem);
  OpFoldResult firstBlock = index.mul(OpFoldResult(step), tiling.channelBlocks);
  OpFoldResult blocks = remaining(index, firstBlock, problem.channelBlocks(),
                                  tiling.channelBlocks);
  OpFoldResult channels = remaining(
      index, index.mul(firstBlock, problem.blockElements()), problem.channels,
      tiling.channelBlocks * problem.blockElements());
  OpFoldResult turn = index.add(
      index.mul(OpFoldResult(tile.number), channelSteps), OpFoldResult(step));
  Value l1Slot = slotOf(turn, 2);
  loadImage(tile, launch.getBuffer(buffers.left), firstBlock, channels, l1Slot);
  loadFilter(tile, launch.getBuffer(buffers.right), firstBlock, blocks,
             channels, l1Slot);

  OpFoldResult allDepth = index.mul(blocks, problem.taps());
  scf::ForOp loop =
      launch.createLoop(index.ceilDiv(allDepth, tiling.depthBlocks));
  OpFoldResult firstDepth =
      index.mul(OpFoldResult(loop.getInductionVar()), tiling.depthBlocks);
  OpFoldResult depth =
      problem.channelBlocks() % tiling.channelBlocks == 0
          ? remaining(index, firstDepth, tiling.channelBlocks * problem.taps(),
                      tiling.depthBlocks)
          : index.min(index.constant(tiling.depthBlocks),
                      index.sub(allDepth, firstDepth));
  Value l0Slot = slotOf(index.add(index.mul(turn, depthSteps),
                                  OpFoldResult(loop.getInductionVar())),
                        2);
  loadOperands(tile, blocks, channels, firstDepth, depth, l1Slot, l0Slot);
  OpFoldResult elements = index.mul(depth, problem.blockElements());
  // Packed operands hold zeros behind the last channel, others do not.
  if (problem.rightLayout != RightLayout::Packed &&
      problem.channels % (tiling.depthBlocks * problem.blockElements()) != 0)
    elements = index.min(
        elements,
        index.sub(channels, index.mul(firstDepth, problem.blockElements())));
  Value number;
  if (channelSteps * depthSteps > 1)
    number = index.value(index.add(index.mul(OpFoldResult(step), depthSteps),
                                   OpFoldResult(loop.getInductionVar())));
  multiply(tile, elements, number, l0Slot);
  launch.leave(loop);
}

//===----------------------------------------------------------------------===//
// L0C to global memory
//===----------------------------------------------------------------------===//

void CubeLowering::store(const Tile &tile, Value result) {
  int64_t size = byteSize(problem.outType);
  hw::Activation activation =
      problem.epilogue.relu ? hw::Activation::Relu : hw::Activation::None;
  OpFoldResult offset = index.dot(
      {tile.batch, tile.row, tile.column, tile.channel},
      {index.constant(problem.outBatch), index.constant(problem.outRow),
       index.constant(problem.outPixel), index.constant(1)});
  // 16 columns of sums for all rows of fractals.
  OpFoldResult columnBytes = index.mul(tile.paddedPixels, 64);
  auto fixpipe = [&](OpFoldResult target, OpFoldResult source,
                     OpFoldResult pixels) {
    launch.create<FixpipeToGmOp>(
        hw::DataType::F32, problem.outType, activation, hw::FixpipeLayout::Nd,
        launch.address(result, index.mul(target, size)),
        launch.address(accumulators, source, tile.accumulatorSlot), pixels,
        tile.channels, problem.outPixel * size, columnBytes);
  };
  bool isWholeRow = tiling.columns >= problem.outWidth;
  bool isContiguous =
      isWholeRow && problem.outRow == problem.outWidth * problem.outPixel;
  if (isContiguous || tiling.rows == 1)
    return fixpipe(offset, index.constant(0), tile.pixels);
  scf::ForOp loop = launch.createLoop(tile.rows);
  OpFoldResult row = loop.getInductionVar();
  fixpipe(index.add(offset, index.mul(row, problem.outRow)),
          index.mul(index.mul(row, tile.columns), 64), tile.columns);
  launch.leave(loop);
}

void CubeLowering::build(const Buffers &buffers) {
  allocate();
  scf::ForOp tiles = launch.createTileLoop(tiling.tileCount(problem));
  Tile tile = describeTile(tiles.getInductionVar());
  if (problem.epilogue.bias)
    loadBias(tile, launch.getBuffer(buffers.bias));
  scf::ForOp steps =
      launch.createLoop(index.constant(tiling.channelSteps(problem)));
  buildChannelStep(tile, steps.getInductionVar(), buffers);
  launch.leave(steps);
  store(tile, launch.getBuffer(buffers.result));
  launch.leave(tiles);
  launch.finish();
}
