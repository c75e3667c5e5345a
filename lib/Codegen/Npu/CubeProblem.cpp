// Finds the implicit GEMM of a kernel region.
// SPDX-License-Identifier: Apache-2.0
#include "CubeProblem.h"

using namespace mlir;
using namespace mlir::atc;
using namespace mlir::atc::npu;
namespace hw = ::atc::isa;

static RankedTensorType typeOf(Value value) {
  return dyn_cast<RankedTensorType>(value.getType());
}

std::optional<hw::DataType> mlir::atc::npu::getDataType(Type elementType) {
  if (elementType.isF16())
    return hw::DataType::F16;
  if (elementType.isBF16())
    return hw::DataType::BF16;
  if (elementType.isF32())
    return hw::DataType::F32;
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Epilogue
//===----------------------------------------------------------------------===//

unsigned mlir::atc::npu::getColumnDim(Operation *anchor) {
  if (isa<graph::ConvOp>(anchor))
    return 1;
  return typeOf(anchor->getResult(0)).getRank() - 1;
}

bool mlir::atc::npu::isColumnVector(Value bias, Value result,
                                    unsigned columnDim) {
  RankedTensorType type = typeOf(bias), resultType = typeOf(result);
  if (!type || !resultType || !type.hasStaticShape() ||
      type.getRank() > resultType.getRank())
    return false;
  unsigned shift = resultType.getRank() - type.getRank();
  if (columnDim < shift)
    return false;
  for (unsigned dim = 0; dim < type.getRank(); ++dim) {
    int64_t expected =
        dim + shift == columnDim ? resultType.getDimSize(columnDim) : 1;
    if (type.getDimSize(dim) != expected)
      return false;
  }
  return true;
}

/// The operand that is added to `value`, or null.
static Value getAddend(graph::AddOp op, Value value) {
  if (op.getLhs() == value)
    return op.getRhs();
  return op.getRhs() == value ? Value(op.getLhs()) : Value();
}

static bool isConversion(graph::CastOp op) {
  return getDataType(typeOf(op.getX()).getElementType()) &&
         getDataType(typeOf(op.getResult()).getElementType());
}

std::optional<CubeEpilogue> CubeEpilogue::follow(Operation *anchor,
                                                 std::string &reason) {
  CubeEpilogue epilogue;
  epilogue.result = anchor->getResult(0);
  unsigned columnDim = getColumnDim(anchor);
  bool converted = false;
  while (epilogue.result.hasOneUse()) {
    Operation *user = *epilogue.result.getUsers().begin();
    if (user->hasTrait<OpTrait::IsTerminator>() || isa<graph::KernelOp>(user))
      return epilogue;
    if (typeOf(user->getResult(0)) == nullptr ||
        typeOf(user->getResult(0)).getShape() !=
            typeOf(epilogue.result).getShape())
      break;
    if (auto add = dyn_cast<graph::AddOp>(user)) {
      Value addend = getAddend(add, epilogue.result);
      if (epilogue.bias || epilogue.relu || converted || !addend ||
          !isColumnVector(addend, epilogue.result, columnDim))
        break;
      epilogue.bias = addend;
    } else if (isa<graph::ReluOp>(user)) {
      if (epilogue.relu || converted)
        break;
      epilogue.relu = true;
    } else if (auto cast = dyn_cast<graph::CastOp>(user)) {
      if (converted || !isConversion(cast))
        break;
      converted = true;
    } else {
      break;
    }
    epilogue.result = user->getResult(0);
  }
  bool isYielded =
      llvm::all_of(epilogue.result.getUsers(), [](Operation *user) {
        return user->hasTrait<OpTrait::IsTerminator>();
      });
  if (isYielded)
    return epilogue;
  reason = "the cube does only bias, relu and cast, in this order, behind a "
           "product";
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Anchors
//===----------------------------------------------------------------------===//

/// Merges dims [begin, end) of a shape with strides into one; nullopt where no
/// single distance describes them.
static std::optional<int64_t> mergedStride(ArrayRef<int64_t> shape,
                                           ArrayRef<int64_t> strides,
                                           unsigned begin, unsigned end) {
  int64_t stride = 0, extent = 0;
  for (unsigned dim = end; dim-- > begin;) {
    if (shape[dim] == 1)
      continue;
    if (extent != 0 && strides[dim] != extent)
      return std::nullopt;
    if (extent == 0)
      stride = strides[dim];
    extent = strides[dim] * shape[dim];
  }
  return stride;
}

static int64_t product(ArrayRef<int64_t> shape) {
  int64_t result = 1;
  for (int64_t size : shape)
    result *= size;
  return result;
}

static bool analyzeConv(graph::ConvOp op, CubeProblem &problem,
                        CubeProblem::Strides strides, std::string &reason) {
  RankedTensorType input = typeOf(op.getX()), filter = typeOf(op.getW());
  RankedTensorType result = typeOf(op.getResult());
  if (op.getSpatialRank() > 2) {
    reason = "a convolution of three dims has no NPU kernel yet";
    return false;
  }
  if (op.getGroups() != 1) {
    reason = "a convolution in groups has no NPU kernel yet";
    return false;
  }
  problem.left = op.getX();
  problem.right = op.getW();
  SmallVector<int64_t> in = strides(op.getX());
  SmallVector<int64_t> out = strides(problem.epilogue.result);
  unsigned rank = op.getSpatialRank(), x = rank + 1;
  if ((input.getDimSize(1) > 1 && in[1] != 1) ||
      (result.getDimSize(1) > 1 && out[1] != 1)) {
    reason = "channels of a convolution must be contiguous";
    return false;
  }
  problem.batches = input.getDimSize(0);
  problem.channels = input.getDimSize(1);
  problem.outChannels = result.getDimSize(1);
  problem.leftBatch = in[0];
  problem.outBatch = out[0];
  problem.width = input.getDimSize(x);
  problem.outWidth = result.getDimSize(x);
  problem.leftPixel = in[x];
  problem.outPixel = out[x];
  problem.filterWidth = filter.getDimSize(x);
  problem.strideWidth = op.getStrides()[rank - 1];
  problem.dilationWidth = op.getDilations()[rank - 1];
  problem.padLeft = op.getPads()[rank - 1];
  problem.leftRow = in[x] * problem.width;
  problem.outRow = out[x] * problem.outWidth;
  if (rank == 2) {
    problem.height = input.getDimSize(2);
    problem.outHeight = result.getDimSize(2);
    problem.leftRow = in[2];
    problem.outRow = out[2];
    problem.filterHeight = filter.getDimSize(2);
    problem.strideHeight = op.getStrides()[0];
    problem.dilationHeight = op.getDilations()[0];
    problem.padTop = op.getPads()[0];
  }
  return true;
}

static bool analyzeMatMul(graph::MatMulOp op, CubeProblem &problem,
                          CubeProblem::Strides strides, std::string &reason) {
  RankedTensorType left = typeOf(op.getLhs()), right = typeOf(op.getRhs());
  RankedTensorType result = typeOf(op.getResult());
  unsigned leftRank = left.getRank(), rightRank = right.getRank();
  unsigned rank = result.getRank();
  unsigned leftRow = leftRank - (op.getTransposeLhs() ? 1 : 2);
  unsigned leftDepth = leftRank - (op.getTransposeLhs() ? 2 : 1);
  problem.left = op.getLhs();
  problem.right = op.getRhs();
  problem.channels = left.getDimSize(leftDepth);
  problem.outChannels = result.getDimSize(rank - 1);
  int64_t rows = result.getDimSize(rank - 2);
  SmallVector<int64_t> in = strides(op.getLhs());
  SmallVector<int64_t> out = strides(problem.epilogue.result);
  if ((problem.channels > 1 && in[leftDepth] != 1) ||
      (problem.outChannels > 1 && out[rank - 1] != 1)) {
    reason = "rows of matrices must be contiguous";
    return false;
  }
  ArrayRef<int64_t> leftBatches = left.getShape().drop_back(2);
  ArrayRef<int64_t> rightBatches = right.getShape().drop_back(2);
  ArrayRef<int64_t> outBatches = result.getShape().drop_back(2);
  problem.batches = product(outBatches);
  problem.width = problem.outWidth = rows;
  problem.leftPixel = in[leftRow];
  problem.outPixel = out[rank - 2];

  // A dim that broadcasts in part has no single distance.
  auto batchStride =
      [&](ArrayRef<int64_t> shape,
          ArrayRef<int64_t> distances) -> std::optional<int64_t> {
    if (product(shape) == 1)
      return 0;
    if (product(shape) != problem.batches)
      return std::nullopt;
    return mergedStride(shape, distances, 0, shape.size());
  };
  std::optional<int64_t> leftBatch = batchStride(leftBatches, in);
  std::optional<int64_t> outBatch = batchStride(outBatches, out);
  std::optional<int64_t> rightBatch = 0;
  if (problem.rightLayout != RightLayout::Packed) {
    SmallVector<int64_t> distances = strides(op.getRhs());
    rightBatch = batchStride(rightBatches, distances);
    problem.rightRow = distances[rightRank - 2];
    if (right.getDimSize(rightRank - 1) > 1 && distances[rightRank - 1] != 1) {
      reason = "rows of matrices must be contiguous";
      return false;
    }
  } else if (product(rightBatches) != 1) {
    rightBatch = std::nullopt;
  }
  if (!leftBatch || !outBatch || !rightBatch) {
    reason = "matrices that broadcast in part have no NPU kernel yet";
    return false;
  }
  problem.leftBatch = *leftBatch;
  problem.outBatch = *outBatch;
  problem.rightBatch = *rightBatch;
  // Rows of all products with one right-hand matrix follow each other.
  if (*rightBatch == 0 && *leftBatch == rows * problem.leftPixel &&
      *outBatch == rows * problem.outPixel) {
    problem.width = problem.outWidth = rows * problem.batches;
    problem.batches = 1;
  }
  problem.leftRow = problem.width * problem.leftPixel;
  problem.outRow = problem.outWidth * problem.outPixel;
  return true;
}

//===----------------------------------------------------------------------===//
// CubeProblem
//===----------------------------------------------------------------------===//

/// The region's only op that the cube does, or null.
static Operation *findAnchor(Block &block, std::string &reason) {
  Operation *anchor = nullptr;
  for (Operation &op : block.without_terminator()) {
    if (!isa<graph::ConvOp, graph::MatMulOp>(op))
      continue;
    if (anchor) {
      reason = "the region holds two products";
      return nullptr;
    }
    anchor = &op;
  }
  return anchor;
}

/// Limits of load3d and of the layouts that it needs.
static bool checkFields(const CubeProblem &problem, std::string &reason) {
  auto refuse = [&](const char *text) {
    reason = text;
    return false;
  };
  if (problem.filterHeight > 511 || problem.filterWidth > 511 ||
      problem.strideHeight > 63 || problem.strideWidth > 63 ||
      problem.dilationHeight > 255 || problem.dilationWidth > 255)
    return refuse("filter, stride or dilation exceed what img2col can do");
  int64_t extentHeight = problem.imageRows(1);
  int64_t extentWidth = problem.imageColumns(1);
  int64_t padBottom =
      problem.imageRows(problem.outHeight) - problem.padTop - problem.height;
  int64_t padRight =
      problem.imageColumns(problem.outWidth) - problem.padLeft - problem.width;
  if (problem.padTop >= extentHeight || problem.padLeft >= extentWidth ||
      padBottom >= extentHeight || padRight >= extentWidth)
    return refuse("windows that lie in the padding have no NPU kernel yet");
  if (std::max({problem.padTop, problem.padLeft, padBottom, padRight}) > 255)
    return refuse("padding exceeds what img2col can do");
  return true;
}

std::optional<CubeProblem>
CubeProblem::analyze(Block &block, const hw::DeviceRecord &device,
                     Strides strides, llvm::function_ref<bool(Value)> isPacked,
                     std::string &reason) {
  CubeProblem problem;
  problem.anchor = findAnchor(block, reason);
  if (!problem.anchor)
    return std::nullopt;
  for (Value value : problem.anchor->getOperands())
    if (!isa<BlockArgument>(value) || !typeOf(value) ||
        !typeOf(value).hasStaticShape()) {
      reason = "operands of a product must be tensors of static shape from "
               "outside of the kernel";
      return std::nullopt;
    }
  std::optional<CubeEpilogue> epilogue =
      CubeEpilogue::follow(problem.anchor, reason);
  if (!epilogue)
    return std::nullopt;
  problem.epilogue = *epilogue;
  if (block.getTerminator()->getNumOperands() != 1) {
    reason = "a product has one result";
    return std::nullopt;
  }
  RankedTensorType operand = typeOf(problem.anchor->getOperand(0));
  std::optional<hw::DataType> type = getDataType(operand.getElementType());
  bool isHalf = type == hw::DataType::F16 || type == hw::DataType::BF16;
  if (!isHalf || !((device.cubeTypes >> static_cast<unsigned>(*type)) & 1)) {
    reason = ("the cube of " + StringRef(device.name) +
              " has no kernel for this element type yet; try "
              "--precision_mode=force_fp16")
                 .str();
    return std::nullopt;
  }
  problem.type = *type;
  problem.outType =
      *getDataType(typeOf(problem.epilogue.result).getElementType());
  if (Value bias = problem.epilogue.bias) {
    std::optional<hw::DataType> biasType =
        getDataType(typeOf(bias).getElementType());
    if (!isa<BlockArgument>(bias) || !biasType || device.ports.l1ToBt == 0) {
      reason = "the bias cannot be added by the cube";
      return std::nullopt;
    }
    problem.biasType = *biasType;
  }
  if (device.ports.l0cToGm == 0) {
    reason = (StringRef(device.name) + " has no way from L0C to global memory")
                 .str();
    return std::nullopt;
  }
  Value right = problem.anchor->getOperand(1);
  auto matmul = dyn_cast<graph::MatMulOp>(problem.anchor);
  if (isPacked(right))
    problem.rightLayout = RightLayout::Packed;
  else if (matmul)
    problem.rightLayout = matmul.getTransposeRhs() ? RightLayout::Transposed
                                                   : RightLayout::RowMajor;
  else {
    reason = "a filter that is computed has no NPU kernel yet";
    return std::nullopt;
  }
  bool isSound = matmul ? analyzeMatMul(matmul, problem, strides, reason)
                        : analyzeConv(cast<graph::ConvOp>(problem.anchor),
                                      problem, strides, reason);
  if (!isSound || !checkFields(problem, reason))
    return std::nullopt;
  return problem;
}

::atc::PhysicalLayout mlir::atc::npu::getFractalLayout(Operation *anchor,
                                                       int64_t blockElements) {
  unsigned rank = typeOf(anchor->getOperand(1)).getRank();
  ::atc::PhysicalLayout layout = ::atc::PhysicalLayout::rowMajor(rank);
  if (auto matmul = dyn_cast<graph::MatMulOp>(anchor)) {
    // K1, N1, n0, k0.
    unsigned depth = rank - (matmul.getTransposeRhs() ? 1 : 2);
    unsigned column = rank - (matmul.getTransposeRhs() ? 2 : 1);
    layout.permutation[rank - 2] = depth;
    layout.permutation[rank - 1] = column;
    layout.tiles = {{column, 16}, {depth, blockElements}};
    return layout;
  }
  // I1, kernel..., O1, o0, i0.
  layout.permutation.erase(layout.permutation.begin());
  layout.permutation.push_back(0);
  layout.tiles = {{0, 16}, {1, blockElements}};
  return layout;
}
