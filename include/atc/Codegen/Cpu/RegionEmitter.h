// Emits code for values of a kernel's region, a vector at a time.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_CODEGEN_CPU_REGIONEMITTER_H
#define ATC_CODEGEN_CPU_REGIONEMITTER_H

#include "atc/Codegen/Cpu/TensorView.h"
#include "atc/Codegen/Cpu/VectorPoint.h"
#include "atc/Target/CpuDescription.h"
#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace mlir::atc::cpu {

/// Whether `value` can compute the op from its operands' elements, i.e. the op
/// is elementwise, moves data, indexes or makes a constant. Otherwise `reason`
/// tells why, for a user.
bool isPointwise(Operation *op, std::string &reason);

/// The same for an op of a kernel, which must tell the sizes of its tensors.
bool isKernelPointwise(Operation *op, std::string &reason);

/// The layout in which a reshape's result lies in the buffer of its operand of
/// layout `layout`; nullopt if strides cannot express it.
std::optional<::atc::PhysicalLayout>
reshapedLayout(const ::atc::PhysicalLayout &layout, Operation *reshape);

/// lane < active, one bit per lane.
Value laneMask(OpBuilder &builder, Location loc, Value active, int64_t lanes);

/// Computes elements of the tensors of one kernel function. The template makes
/// loops; inside them it asks for the elements that a vector holds:
///
///   RegionEmitter region(builder, loc, cpu);
///   region.setView(kernel.getArgument(0), view);       // per operand
///   ...                                                // loops
///   region.bind(anchor, accumulator);                  // if it has an anchor
///   VectorPoint point = VectorPoint::along({row, column}, 1, 8);
///   region.store(resultView, point, region.value(result, point));
///
/// A value is found by walking from the tensor to its sources: elementwise ops
/// by their scalar body, movement ops by mapping the point, function arguments
/// by loads, constants by themselves. Values have the compute type of their
/// tensor (see computeType): halves stay in f32 between ops, but a cast of the
/// model rounds.
///
/// What was computed for the same tensor and point is used again as long as
/// the insertion point is inside the region that computed it, so that e.g. a
/// bias is loaded once for several rows. Code must therefore be inserted in
/// execution order.
class RegionEmitter {
public:
  /// `dims` are the values of the kernel's dim operands, arguments of the
  /// function.
  RegionEmitter(OpBuilder &builder, Location loc, const CpuDescription &cpu,
                ValueRange dims = {});

  OpBuilder &getBuilder() { return builder; }
  IndexBuilder &getIndex() { return index; }
  const CpuDescription &getCpu() const { return cpu; }

  /// Where the elements of a function argument lie.
  void setView(Value tensor, TensorView view);
  const TensorView *getView(Value tensor) const;

  /// Where the elements of a constant that is no splat lie; makes a global of
  /// the kernel's module.
  TensorView viewOfConstant(Operation *op);

  /// Where the elements of a reshape of an argument lie in the argument's
  /// buffer, where strides can tell.
  std::optional<TensorView> viewOfReshape(Operation *reshape);

  /// From now on `value` stands for `tensor` at every point that is asked for,
  /// until bound again. The lanes must be those that the points name after
  /// mapping to `tensor`. Values that used the old binding are forgotten.
  void bind(Value tensor, Value value);
  /// Ends the binding of `tensor`, if it has one: from now on it is computed.
  void unbind(Value tensor);

  /// The size of a dim of any tensor in the function.
  OpFoldResult sizeOf(Value tensor, unsigned dim);
  /// A size expression over the kernel's dims (see KernelSizes.h), computed
  /// once, in the function's entry block.
  OpFoldResult evaluate(AffineExpr expr);

  /// The elements of `tensor` at `point`, of type point.typeFor(computeType).
  /// Fails with a diagnostic at the op that has no pointwise form.
  FailureOr<Value> value(Value tensor, const VectorPoint &point);

  /// An index tensor's element as a coordinate in [0, size): negative ones
  /// count from the end, others are clamped.
  FailureOr<Coordinate> indexCoordinate(Value indices, const VectorPoint &point,
                                        OpFoldResult size);

  /// Maps a point of `from` to the point of `to` that holds the same elements,
  /// where `to` follows from `from` by elementwise ops of equal shape,
  /// transposes, reshapes and expands along single-use operands: how an
  /// anchor's tile finds its place in the result.
  FailureOr<VectorPoint> mapForward(Value from, const VectorPoint &point,
                                    Value to);

  /// Reads elements of a view, converted to the compute type. Inactive lanes
  /// are zero.
  Value load(const TensorView &view, const VectorPoint &point);
  /// Converts from the compute type and writes the active lanes.
  void store(const TensorView &view, const VectorPoint &point, Value value);

  /// `value` of the compute type of `from` as that of `to`, with the rounding
  /// of a cast of the model.
  Value convert(Value value, Type from, Type to, bool saturate = false);

private:
  /// What is known of a tensor at a point.
  struct Entry {
    VectorPoint point;
    Value value;
    /// Whether a bound tensor took part.
    bool usesBinding;
  };
  /// A tensor that is asked for, with what its op needs.
  struct Frame;

  const Entry *lookup(Value tensor, const VectorPoint &point) const;
  void remember(Value tensor, const VectorPoint &point, Value value,
                bool usesBinding);
  /// Forgets the values that used a binding.
  void forgetBound();

  /// Values that need no other tensor: bound ones, arguments, constants. Null
  /// for others.
  Value leaf(Value tensor, const VectorPoint &point, bool &usesBinding);
  Value constant(Operation *op, const VectorPoint &point);
  /// Fills the frame with the operands that the op's elements come from; false
  /// if they depend on more than the point.
  bool describe(Frame &frame);
  FailureOr<Value> finish(Frame &frame, ValueRange operands);

  // Ops that read operands at other than mapped points (RegionMovement.cpp,
  // RegionIndexing.cpp, RegionResize.cpp, RegionNormalization.cpp).
  FailureOr<Value> compute(Operation *op, const VectorPoint &point);
  FailureOr<Value> computePad(Operation *op, const VectorPoint &point);
  FailureOr<Value> computeConcat(Operation *op, const VectorPoint &point);
  FailureOr<Value> computeSliceDynamic(Operation *op, const VectorPoint &point);
  FailureOr<Value> computeTileDynamic(Operation *op, const VectorPoint &point);
  FailureOr<Value> computeGather(Operation *op, const VectorPoint &point);
  FailureOr<Value> computeGatherElements(Operation *op,
                                         const VectorPoint &point);
  FailureOr<Value> computeGatherND(Operation *op, const VectorPoint &point);
  FailureOr<Value> computeOneHot(Operation *op, const VectorPoint &point);
  FailureOr<Value> computeRange(Operation *op, const VectorPoint &point);
  FailureOr<Value> computeQuantization(Operation *op, const VectorPoint &point);
  FailureOr<Value> computeResize(Operation *op, const VectorPoint &point);
  FailureOr<Value> computeBatchNorm(Operation *op, const VectorPoint &point);
  FailureOr<Value> computeLrn(Operation *op, const VectorPoint &point);

  /// Computes a value lane by lane, in a loop, with `body` for one element.
  FailureOr<Value>
  scalarize(Type scalarType, const VectorPoint &point,
            function_ref<FailureOr<Value>(const VectorPoint &element)> body);
  /// Makes `if condition { yes } else { no }` for values of `type`.
  FailureOr<Value> branch(Value condition, Type type,
                          function_ref<FailureOr<Value>()> yes,
                          function_ref<FailureOr<Value>()> no);

  OpBuilder &builder;
  Location loc;
  IndexBuilder index;
  const CpuDescription &cpu;
  SmallVector<Value> dims;
  /// Values of size expressions, and the op behind which the next one goes.
  llvm::DenseMap<AffineExpr, OpFoldResult> evaluated;
  Operation *lastEvaluated = nullptr;
  llvm::DenseMap<Value, TensorView> views;
  llvm::DenseMap<Value, Value> bindings;
  llvm::DenseMap<Value, SmallVector<Entry, 2>> memo;
  unsigned depth = 0;
  /// Whether a bound tensor took part in the values since the flag was reset.
  bool touchedBinding = false;
};

} // namespace mlir::atc::cpu

#endif // ATC_CODEGEN_CPU_REGIONEMITTER_H
