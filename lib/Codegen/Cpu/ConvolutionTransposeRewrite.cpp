// Turns transposed convolutions whose windows do not overlap into convolutions.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Codegen/Cpu/AnchoredKernel.h"
#include "atc/Codegen/Cpu/ConvolutionTranspose.h"
#include "atc/Dialect/Graph/IR/KernelSizes.h"
#include "mlir/IR/Remarks.h"

using namespace mlir;
using namespace mlir::atc;
using namespace mlir::atc::cpu;

/// Whether each element of the result is one product of a pixel's channels:
/// windows of results that lie side by side and cover all.
static bool tilesResult(graph::ConvTransposeOp op) {
  auto filter = dyn_cast<RankedTensorType>(op.getW().getType());
  auto isZero = [](int64_t number) { return number == 0; };
  return filter && filter.hasStaticShape() && op.getGroups() == 1 &&
         llvm::equal(filter.getShape().drop_front(2), op.getStrides()) &&
         llvm::all_of(op.getDilations(),
                      [](int64_t dilation) { return dilation == 1; }) &&
         llvm::all_of(op.getPads(), isZero) &&
         llvm::all_of(op.getOutputPadding(), isZero);
}

namespace {
/// Makes the ops that stand for one transposed convolution
/// [N, I, s...] * [I, O, k...] -> [N, O, s * k...].
class PatchRewriter {
public:
  PatchRewriter(OpBuilder &builder, graph::ConvTransposeOp op)
      : builder(builder), op(op),
        filter(cast<RankedTensorType>(op.getW().getType())),
        kernel(filter.getShape().drop_front(2)),
        sizes(*graph::getKernelSizes(op.getX())) {}

  /// The filter [k * O, I, 1...].
  Value rearrangeFilter(Value w);
  /// Products of each pixel with that filter, put side by side.
  Value build(Value w);

private:
  AffineExpr constant(int64_t number) {
    return getAffineConstantExpr(number, builder.getContext());
  }
  int64_t columns() const {
    return filter.getNumElements() / filter.getDimSize(0);
  }
  /// Reshapes to `shape`, or permutes to it.
  Value reshape(Value x, ArrayRef<AffineExpr> shape);
  Value transpose(Value x, ArrayRef<int64_t> permutation,
                  ArrayRef<AffineExpr> shape);
  /// The type of a tensor of these sizes.
  RankedTensorType typeOf(ArrayRef<AffineExpr> shape);
  /// Says the sizes beside an op with an open result.
  template <typename OpT>
  Value tell(OpT made, ArrayRef<AffineExpr> shape);

  OpBuilder &builder;
  graph::ConvTransposeOp op;
  RankedTensorType filter;
  ArrayRef<int64_t> kernel;
  /// Of the input.
  AffineMap sizes;
};
} // namespace

RankedTensorType PatchRewriter::typeOf(ArrayRef<AffineExpr> shape) {
  return RankedTensorType::get(
      llvm::map_to_vector(shape,
                          [](AffineExpr size) {
                            auto number = dyn_cast<AffineConstantExpr>(size);
                            return number ? number.getValue()
                                          : ShapedType::kDynamic;
                          }),
      filter.getElementType());
}

template <typename OpT>
Value PatchRewriter::tell(OpT made, ArrayRef<AffineExpr> shape) {
  if (!cast<RankedTensorType>(made.getType()).hasStaticShape())
    made->setAttr(graph::GraphDialect::getSizesAttrName(),
                  builder.getAffineMapArrayAttr({AffineMap::get(
                      0, sizes.getNumSymbols(), shape, builder.getContext())}));
  return made.getResult();
}

Value PatchRewriter::reshape(Value x, ArrayRef<AffineExpr> shape) {
  return tell(graph::ReshapeOp::create(builder, op.getLoc(), typeOf(shape), x,
                                       /*shape=*/Value()),
              shape);
}

Value PatchRewriter::transpose(Value x, ArrayRef<int64_t> permutation,
                               ArrayRef<AffineExpr> shape) {
  return tell(graph::TransposeOp::create(builder, op.getLoc(), typeOf(shape), x,
                                         permutation),
              shape);
}

Value PatchRewriter::rearrangeFilter(Value w) {
  unsigned rank = kernel.size();
  SmallVector<int64_t> permutation;
  for (unsigned dim = 0; dim < rank; ++dim)
    permutation.push_back(dim + 2);
  permutation.append({1, 0});
  SmallVector<AffineExpr> shape;
  for (int64_t dim : permutation)
    shape.push_back(constant(filter.getDimSize(dim)));
  Value moved = transpose(w, permutation, shape);
  shape.assign(rank + 2, constant(1));
  shape[0] = constant(columns());
  shape[1] = constant(filter.getDimSize(0));
  return reshape(moved, shape);
}

Value PatchRewriter::build(Value w) {
  unsigned rank = kernel.size();
  SmallVector<AffineExpr> pixels(sizes.getResults());
  pixels[1] = constant(columns());
  SmallVector<int64_t> ones(rank, 1), zeros(2 * rank, 0);
  Value products =
      tell(graph::ConvOp::create(builder, op.getLoc(), typeOf(pixels),
                                 op.getX(), w, ones, zeros, ones, /*groups=*/1),
           pixels);
  // [N, k..., O, s...], then [N, O, (s, k)...].
  SmallVector<AffineExpr> split{pixels[0]};
  for (int64_t size : kernel)
    split.push_back(constant(size));
  split.push_back(constant(filter.getDimSize(1)));
  split.append(pixels.begin() + 2, pixels.end());
  SmallVector<int64_t> permutation{0, rank + 1};
  for (unsigned dim = 0; dim < rank; ++dim)
    permutation.append({rank + 2 + dim, dim + 1});
  SmallVector<AffineExpr> woven =
      llvm::map_to_vector(permutation, [&](int64_t dim) { return split[dim]; });
  SmallVector<AffineExpr> whole{split[0], split[rank + 1]};
  for (unsigned dim = 0; dim < rank; ++dim)
    whole.push_back(pixels[dim + 2] * kernel[dim]);
  Value patches = reshape(products, split);
  return reshape(transpose(patches, permutation, woven), whole);
}

/// Exchanges expressions in all sizes that a kernel tells.
static void replaceSizes(graph::KernelOp kernel,
                         const DenseMap<AffineExpr, AffineExpr> &replacement) {
  auto replaceIn = [&](ArrayAttr maps) {
    MLIRContext *context = kernel.getContext();
    auto replaced = llvm::map_to_vector(maps, [&](Attribute attr) -> Attribute {
      AffineMap map = cast<AffineMapAttr>(attr).getValue();
      SmallVector<AffineExpr> sizes =
          llvm::map_to_vector(map.getResults(), [&](AffineExpr size) {
            return size.replace(replacement);
          });
      return AffineMapAttr::get(
          AffineMap::get(0, map.getNumSymbols(), sizes, context));
    });
    return ArrayAttr::get(context, replaced);
  };
  StringRef name = graph::GraphDialect::getSizesAttrName();
  kernel.setShapesAttr(replaceIn(kernel.getShapesAttr()));
  for (Operation &op : kernel.getBodyBlock())
    if (auto sizes = op.getAttrOfType<ArrayAttr>(name))
      op.setAttr(name, replaceIn(sizes));
}

/// Lets the kernel know that open sizes of the result are multiples of the
/// operand's: so far each is a dim of its own.
static void relateSizes(graph::KernelOp kernel, graph::ConvTransposeOp op) {
  if (!kernel.getShapes())
    return;
  AffineMap from = *graph::getKernelSizes(op.getX());
  AffineMap to = *graph::getKernelSizes(op.getResult());
  DenseMap<AffineExpr, AffineExpr> replacement;
  for (auto [dim, stride] : llvm::enumerate(op.getStrides())) {
    AffineExpr size = to.getResult(dim + 2);
    if (isa<AffineSymbolExpr>(size) && stride != 1)
      replacement.try_emplace(size, from.getResult(dim + 2) * stride);
  }
  replaceSizes(kernel, replacement);
}

LogicalResult mlir::atc::cpu::rewriteTransposedPatches(RewriterBase &rewriter,
                                                       graph::KernelOp kernel) {
  std::string reason;
  std::optional<AnchoredKernel> region =
      AnchoredKernel::match<graph::ConvTransposeOp>(kernel.getBodyBlock(),
                                                    reason);
  if (!region)
    return success();
  auto op = cast<graph::ConvTransposeOp>(region->anchor);
  std::optional<unsigned> operand = region->argumentNumber(op.getW());
  if (!operand || !region->argumentNumber(op.getX()) || !tilesResult(op) ||
      !isConstantOperand(kernel, *operand) || !op.getW().hasOneUse() ||
      !graph::getKernelSizes(op.getX()) ||
      !graph::getKernelSizes(op.getResult()))
    return success();
  relateSizes(kernel, op);
  PatchRewriter patches(rewriter, op);
  rewriter.setInsertionPoint(kernel);
  Value filter = patches.rearrangeFilter(kernel.getArgs()[*operand]);
  Value argument = op.getW();
  rewriter.modifyOpInPlace(kernel, [&] {
    kernel->setOperand(*operand, filter);
    argument.setType(filter.getType());
    tellOperandShape(kernel, *operand);
  });
  rewriter.setInsertionPoint(op);
  rewriter.replaceOp(op, patches.build(argument));
  remark::passed(
      kernel.getLoc(),
      remark::RemarkOpts::name("TransposedPatches").category("select"))
      << "transposed convolution as a product of pixels";
  return success();
}
