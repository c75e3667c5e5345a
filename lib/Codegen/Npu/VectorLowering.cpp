// Builds the instructions of a group of elementwise ops.
// SPDX-License-Identifier: Apache-2.0
#include "VectorLowering.h"
#include "CubeProblem.h"
#include "atc/Support/Float16.h"

using namespace mlir;
using namespace mlir::atc;
using namespace mlir::atc::npu;
namespace hw = ::atc::isa;

static constexpr int64_t blockBytes = 32, repeatBytes = 256;
static constexpr int64_t maxRepeats = 255;

VectorLowering::VectorLowering(KernelLaunch &launch,
                               const VectorProblem &problem,
                               const VectorTiling &tiling)
    : launch(launch), index(launch.getIndex()), problem(problem),
      tiling(tiling), temporaryPlan(problem) {}

//===----------------------------------------------------------------------===//
// Instructions on tiles
//===----------------------------------------------------------------------===//

int64_t VectorLowering::bitsOf(double number, hw::DataType type) {
  float value = static_cast<float>(number);
  switch (type) {
  case hw::DataType::F16:
    return ::atc::floatToHalf(value);
  case hw::DataType::BF16:
    return ::atc::floatToBfloat(value);
  default:
    return static_cast<int32_t>(::atc::floatBits(value));
  }
}

Value VectorLowering::address(const Place &place, int64_t element) {
  int64_t offset = place.isScalar ? 0 : element * byteSize(place.type);
  return launch.address(place.buffer, index.constant(offset), place.slot);
}

int64_t VectorLowering::repeatStride(const Place &place, int64_t lanes) {
  return place.isScalar ? 0 : lanes * byteSize(place.type) / blockBytes;
}

static int64_t blockStride(bool isScalar) { return isScalar ? 0 : 1; }

void VectorLowering::forEachRun(
    int64_t lanes, llvm::function_ref<void(int64_t, int64_t)> body) {
  int64_t repeats = tiling.elements / lanes;
  for (int64_t first = 0; first < repeats; first += maxRepeats)
    body(first * lanes, std::min(maxRepeats, repeats - first));
}

void VectorLowering::unary(hw::UnaryFunction function, const Place &dst,
                           const Place &src) {
  int64_t lanes = repeatBytes / byteSize(dst.type);
  forEachRun(lanes, [&](int64_t first, int64_t repeats) {
    launch.create<VectorUnaryOp>(
        function, dst.type, address(dst, first), address(src, first), lanes,
        repeats, 1, blockStride(src.isScalar), repeatStride(dst, lanes),
        repeatStride(src, lanes));
  });
}

void VectorLowering::binary(hw::BinaryFunction function, const Place &dst,
                            const Place &a, const Place &b) {
  int64_t lanes = repeatBytes / byteSize(dst.type);
  forEachRun(lanes, [&](int64_t first, int64_t repeats) {
    launch.create<VectorBinaryOp>(
        function, dst.type, address(dst, first), address(a, first),
        address(b, first), lanes, repeats, 1, blockStride(a.isScalar),
        blockStride(b.isScalar), repeatStride(dst, lanes),
        repeatStride(a, lanes), repeatStride(b, lanes));
  });
}

void VectorLowering::scalar(hw::ScalarFunction function, const Place &dst,
                            const Place &src, double number) {
  int64_t lanes = repeatBytes / byteSize(dst.type);
  forEachRun(lanes, [&](int64_t first, int64_t repeats) {
    launch.create<VectorScalarOp>(
        function, dst.type, address(dst, first), address(src, first),
        bitsOf(number, dst.type), lanes, repeats, 1, blockStride(src.isScalar),
        repeatStride(dst, lanes), repeatStride(src, lanes));
  });
}

void VectorLowering::cast(const Place &dst, const Place &src) {
  int64_t lanes =
      repeatBytes / std::max(byteSize(dst.type), byteSize(src.type));
  forEachRun(lanes, [&](int64_t first, int64_t repeats) {
    launch.create<VectorCastOp>(
        src.type, dst.type, hw::Rounding::Nearest, address(dst, first),
        address(src, first), lanes, repeats, 1, blockStride(src.isScalar),
        repeatStride(dst, lanes), repeatStride(src, lanes));
  });
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

VectorLowering::Place VectorLowering::placeOf(Value value) {
  value = lookThroughLayouts(value);
  auto constant = constants.find(value);
  return constant != constants.end() ? constant->second : places.at(value);
}

void VectorLowering::prepareConstants() {
  hw::DataType type = problem.computeType;
  int64_t lanes = blockBytes / byteSize(type);
  for (Operation *op : problem.ops)
    for (Value operand : op->getOperands()) {
      std::optional<APFloat> number = getSplat(operand);
      if (!number || constants.contains(operand))
        continue;
      Value buffer = launch.allocate(hw::Space::UB, blockBytes);
      Place place{buffer, Value(), type, /*isScalar=*/true};
      launch.create<VectorDuplicateOp>(type, address(place, 0),
                                       bitsOf(number->convertToDouble(), type),
                                       lanes, 1, 1, 0);
      constants[operand] = place;
    }
}

/// Lanes that no row fills are computed with: they must hold numbers.
void VectorLowering::clear(Value buffer, int64_t slots, hw::DataType type) {
  int64_t lanes = repeatBytes / byteSize(type);
  for (int64_t i = 0; i < slots; ++i) {
    Place place{buffer, index.value(i), type};
    forEachRun(lanes, [&](int64_t first, int64_t repeats) {
      launch.create<VectorDuplicateOp>(type, address(place, first), 0, lanes,
                                       repeats, 1, repeatStride(place, lanes));
    });
  }
}

void VectorLowering::convertInputs() {
  for (auto [tensor, buffer] : llvm::zip_equal(problem.inputs, inputBuffers)) {
    Place loaded{buffer, slot, tensor.type};
    if (tensor.type == problem.computeType || problem.ops.empty()) {
      places[tensor.value] = loaded;
      continue;
    }
    Place wide = temporary(temporaryPlan.temporaryOf.at(tensor.value));
    cast(wide, loaded);
    places[tensor.value] = wide;
  }
}

/// A value that is used on keeps the rounding that the model asks for; one that
/// leaves is rounded then.
void VectorLowering::computeCast(Operation *op) {
  Place src = placeOf(op->getOperand(0));
  auto rounding = temporaryPlan.roundingOf.find(op);
  if (rounding == temporaryPlan.roundingOf.end()) {
    places[op->getResult(0)] = src;
    return;
  }
  Place narrow = temporary(rounding->second);
  auto type = mlir::cast<RankedTensorType>(op->getResult(0).getType());
  narrow.type = *getDataType(type.getElementType());
  Place wide = temporary(temporaryPlan.temporaryOf.at(op->getResult(0)));
  cast(narrow, src);
  cast(wide, narrow);
  places[op->getResult(0)] = wide;
}

void VectorLowering::compute(Operation *op) {
  auto operand = [&](unsigned number) {
    return placeOf(op->getOperand(number));
  };
  if (isa<graph::CastOp>(op))
    return computeCast(op);
  Place dst = temporary(temporaryPlan.temporaryOf.at(op->getResult(0)));
  SmallVector<Place, 3> scratch = llvm::map_to_vector<3>(
      temporaryPlan.scratchOf.lookup(op),
      [&](unsigned number) { return temporary(number); });
  using U = hw::UnaryFunction;
  using B = hw::BinaryFunction;
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](graph::AbsOp) { unary(U::Abs, dst, operand(0)); })
      .Case([&](graph::ExpOp) { unary(U::Exp, dst, operand(0)); })
      .Case([&](graph::LogOp) { unary(U::Ln, dst, operand(0)); })
      .Case([&](graph::SqrtOp) { unary(U::Sqrt, dst, operand(0)); })
      .Case([&](graph::RsqrtOp) { unary(U::Rsqrt, dst, operand(0)); })
      .Case([&](graph::ReciprocalOp) { unary(U::Reciprocal, dst, operand(0)); })
      .Case([&](graph::ReluOp) { unary(U::Relu, dst, operand(0)); })
      .Case([&](graph::NegOp) {
        scalar(hw::ScalarFunction::Multiply, dst, operand(0), -1);
      })
      .Case([&](graph::LeakyReluOp leaky) {
        scalar(hw::ScalarFunction::LeakyRelu, dst, operand(0),
               leaky.getAlpha());
      })
      .Case([&](graph::SigmoidOp) { sigmoid(dst, operand(0)); })
      .Case([&](graph::TanhOp) { tanh(dst, operand(0), scratch); })
      .Case([&](graph::ErfOp) { erf(dst, operand(0), scratch); })
      .Case([&](graph::GeluOp gelu) {
        this->gelu(dst, operand(0), scratch, gelu.getApproximate());
      })
      .Case([&](graph::AddOp) { binary(B::Add, dst, operand(0), operand(1)); })
      .Case([&](graph::SubOp) {
        binary(B::Subtract, dst, operand(0), operand(1));
      })
      .Case([&](graph::MulOp) {
        binary(B::Multiply, dst, operand(0), operand(1));
      })
      .Case(
          [&](graph::DivOp) { binary(B::Divide, dst, operand(0), operand(1)); })
      .Case([&](graph::MaxOp) {
        binary(B::Maximum, dst, operand(0), operand(1));
      })
      .Case([&](graph::MinOp) {
        binary(B::Minimum, dst, operand(0), operand(1));
      })
      .Default([](Operation *) { llvm_unreachable("analyze refuses others"); });
  places[op->getResult(0)] = dst;
}

//===----------------------------------------------------------------------===//
// Transfers
//===----------------------------------------------------------------------===//

/// The first element of the tile in a tensor, in bytes.
static OpFoldResult tileOffset(IndexBuilder &index, const VectorTensor &tensor,
                               ArrayRef<OpFoldResult> outer,
                               OpFoldResult firstRow,
                               OpFoldResult firstElement) {
  OpFoldResult offset = firstElement;
  for (auto [position, stride] :
       llvm::zip_equal(outer, ArrayRef(tensor.strides).drop_back()))
    offset = index.add(offset, index.mul(position, stride));
  offset = index.add(offset, index.mul(firstRow, tensor.strides.back()));
  return index.mul(offset, tensor.elementBytes());
}

void VectorLowering::load(const VectorTensor &tensor, Value source,
                          Value target) {
  int64_t size = tensor.elementBytes();
  OpFoldResult offset =
      tileOffset(index, tensor, tileOuter, firstRow, firstElement);
  launch.create<CopyGmToUbOp>(launch.address(target, index.constant(0), slot),
                              launch.address(source, offset), tileRows,
                              index.mul(tileRun, size), tiling.pitch * size,
                              tensor.strides.back() * size);
}

void VectorLowering::store(const VectorTensor &tensor, const Place &source,
                           Value target) {
  int64_t size = tensor.elementBytes();
  OpFoldResult offset =
      tileOffset(index, tensor, tileOuter, firstRow, firstElement);
  launch.create<CopyUbToGmOp>(
      launch.address(target, offset), address(source, 0), tileRows,
      index.mul(tileRun, size), tensor.strides.back() * size,
      tiling.pitch * size);
}

void VectorLowering::finishOutput(const VectorTensor &tensor, unsigned number,
                                  unsigned firstOutput) {
  Value target = launch.getBuffer(firstOutput + number);
  Place result = placeOf(tensor.value);
  // What was only moved leaves from where it arrived.
  if (result.slot && result.type == tensor.type)
    return store(tensor, result, target);
  Place out{outputBuffers[number], slot, tensor.type};
  if (result.type == tensor.type)
    unary(hw::UnaryFunction::Copy, out, result);
  else
    cast(out, result);
  store(tensor, out, target);
}

void VectorLowering::build(ArrayRef<unsigned> inputs, unsigned firstOutput) {
  for (const VectorTensor &tensor : problem.inputs)
    inputBuffers.push_back(launch.allocate(
        hw::Space::UB, tiling.elements * tensor.elementBytes(), 2));
  for (const VectorTensor &tensor : problem.outputs)
    outputBuffers.push_back(launch.allocate(
        hw::Space::UB, tiling.elements * tensor.elementBytes(), 2));
  for (unsigned i = 0; i < temporaryPlan.count; ++i)
    temporaries.push_back(launch.allocate(
        hw::Space::UB, tiling.elements * byteSize(problem.computeType)));
  prepareConstants();
  if (!tiling.isExact(problem))
    for (auto [tensor, buffer] : llvm::zip_equal(problem.inputs, inputBuffers))
      clear(buffer, 2, tensor.type);

  scf::ForOp tiles = launch.createTileLoop(tiling.tileCount(problem));
  Value number = tiles.getInductionVar();
  slot = index.value(index.rem(OpFoldResult(number), 2));
  SmallVector<OpFoldResult> sizes;
  for (int64_t size : problem.outer)
    sizes.push_back(index.constant(size));
  sizes.push_back(index.constant(tiling.rowTiles(problem)));
  sizes.push_back(index.constant(tiling.runTiles(problem)));
  SmallVector<OpFoldResult> place =
      index.delinearize(OpFoldResult(number), sizes);
  tileOuter.assign(place.begin(), place.end() - 2);
  auto part = [&](OpFoldResult tile, int64_t total, int64_t step,
                  OpFoldResult &first) -> OpFoldResult {
    first = index.mul(tile, step);
    if (total % step == 0)
      return index.constant(step);
    return index.min(index.constant(step),
                     index.sub(index.constant(total), first));
  };
  tileRows = part(place[place.size() - 2], problem.rows, tiling.rows, firstRow);
  tileRun = part(place.back(), problem.run, tiling.run, firstElement);

  for (auto [tensor, number, buffer] :
       llvm::zip_equal(problem.inputs, inputs, inputBuffers))
    load(tensor, launch.getBuffer(number), buffer);
  convertInputs();
  for (Operation *op : problem.ops)
    compute(op);
  for (auto [number, tensor] : llvm::enumerate(problem.outputs))
    finishOutput(tensor, number, firstOutput);
  launch.leave(tiles);
  launch.finish();
}
