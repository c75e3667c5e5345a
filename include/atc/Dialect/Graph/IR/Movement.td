// Ops that move elements and compute none.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_DIALECT_GRAPH_IR_MOVEMENT_TD
#define ATC_DIALECT_GRAPH_IR_MOVEMENT_TD

include "atc/Dialect/Graph/IR/GraphAttributes.td"
include "atc/Dialect/Graph/IR/GraphInterfaces.td"

/// A movement whose element positions are affine; `guarded` where they may lie
/// outside an operand.
class Graph_AffineMovement<string mnemonic, bit guarded = 0>
    : Graph_PureOp<mnemonic, [DeclareOpInterfaceMethods<
          TileMapInterface, !if(guarded, ["isOperandGuarded"], [])>]> {
  let results = (outs Graph_Tensor:$result);
  let hasFolder = 1;
}

/// The same with a result type that does not follow from the operands.
class Graph_ShapedMovement<string mnemonic>
    : Graph_Op<mnemonic, [
          Pure, DeclareOpInterfaceMethods<TileMapInterface>,
          DeclareOpInterfaceMethods<TypeRefinementInterface>]> {
  let results = (outs Graph_Tensor:$result);
  let hasFolder = 1;
  let hasVerifier = 1;
}

def Graph_TransposeOp : Graph_AffineMovement<"transpose"> {
  let summary = "dims in another order";
  let description = [{
    Dim i of the result is dim permutation[i] of `x`.
    Constraint (C1): `permutation` is a permutation of the dims of `x`.

    ```mlir
    %r = graph.transpose %x [0, 2, 1]
        : (tensor<1x2x3xf32>) -> tensor<1x3x2xf32>
    ```
  }];
  let arguments = (ins Graph_Tensor:$x, DenseI64ArrayAttr:$permutation);
  let assemblyFormat = [{
    $x $permutation attr-dict `:` functional-type(operands, results)
  }];
}

def Graph_ReshapeOp : Graph_ShapedMovement<"reshape"> {
  let summary = "the same elements in the same order under another shape";
  let description = [{
    The result type gives the shape. While it is not static, `shape` holds the
    sizes: -1, at most once, stands for what is left; 0 copies the size of `x`
    at that position, or is a size of 0 with `allow_zero`. Without `shape` at
    most one size of the result is `?`; it is what is left. (Inside a kernel the
    attribute `graph.sizes` tells the sizes, and `shape` is absent.)

    Constraints: (C1) element types are equal; (C2) numbers of elements agree;
    (C3) `shape` is 1-D with one element per dim of the result; (C4) without
    `shape` at most one dim of the result is dynamic.

    ```mlir
    %r = graph.reshape %x : (tensor<2x3x4xf32>) -> tensor<6x4xf32>
    %s = graph.reshape %y shape %n
        : (tensor<?x3x4xf32>, tensor<2xi64>) -> tensor<?x12xf32>
    ```
  }];
  let arguments = (ins Graph_Tensor:$x, Optional<Graph_ShapeTensor>:$shape,
                       UnitAttr:$allow_zero);
  let assemblyFormat = [{
    $x (`shape` $shape^)? (`allow_zero` $allow_zero^)? attr-dict
    `:` functional-type(operands, results)
  }];
}

def Graph_ExpandOp : Graph_ShapedMovement<"expand"> {
  let summary = "broadcast to a shape";
  let description = [{
    The result has the shape that `x` and `shape` broadcast to (ONNX Expand; the
    sizes in `shape` may be 1 where `x` is larger). `shape` is absent when the
    result type is static, each dynamic dim of it is one of `x`, or the
    attribute `graph.sizes` tells the sizes.

    Constraints: (C1) element types are equal; (C2) `x` broadcasts to the
    result's shape; (C3) `shape` is 1-D with at most one element per dim of the
    result; (C4) without `shape` a dynamic dim of the result is dynamic in `x`.

    ```mlir
    %r = graph.expand %x : (tensor<3x1xf32>) -> tensor<2x3x4xf32>
    ```
  }];
  let arguments = (ins Graph_Tensor:$x, Optional<Graph_ShapeTensor>:$shape);
  let assemblyFormat = [{
    $x (`shape` $shape^)? attr-dict `:` functional-type(operands, results)
  }];
}

def Graph_ConcatOp : Graph_AffineMovement<"concat", /*guarded=*/1> {
  let summary = "tensors one behind the other along a dim";
  let description = [{
    Constraints: (C1) there is at least one operand; (C2) ranks are equal and
    above `axis`; (C3) sizes agree outside `axis`; (C4) element types are equal.

    ```mlir
    %r = graph.concat %a, %b axis 1
        : (tensor<2x3xf32>, tensor<2x5xf32>) -> tensor<2x8xf32>
    ```
  }];
  let arguments = (ins Variadic<Graph_Tensor>:$xs, Graph_AxisAttr:$axis);
  let assemblyFormat = [{
    $xs `axis` $axis attr-dict `:` functional-type(operands, results)
  }];
}

def Graph_SliceOp : Graph_AffineMovement<"slice"> {
  let summary = "a regular part of a tensor";
  let description = [{
    Takes elements starts[d], starts[d] + steps[d], ... below limits[d] of each
    dim. A limit beyond the dim, such as INT64_MAX, means its end; a start
    beyond it gives an empty result. The size of dim d is

        max(0, ceil((min(limit, size) - start) / step)).

    Steps are positive: import expresses negative ones with `reverse`.

    Constraints: (C1) `starts`, `limits` and `steps` have one entry per dim;
    (C2) starts and limits are not negative; (C3) steps are positive.

    ```mlir
    %r = graph.slice %x starts [0, 1] limits [2, 9223372036854775807]
        steps [1, 2] : (tensor<2x6xf32>) -> tensor<2x3xf32>
    ```
  }];
  let arguments = (ins Graph_Tensor:$x, DenseI64ArrayAttr:$starts,
                       DenseI64ArrayAttr:$limits, DenseI64ArrayAttr:$steps);
  let assemblyFormat = [{
    $x `starts` $starts `limits` $limits `steps` $steps attr-dict
    `:` functional-type(operands, results)
  }];
}

def Graph_SliceDynamicOp : Graph_PureOp<"slice_dynamic"> {
  let summary = "a regular part of a tensor, bounds known at run time";
  let description = [{
    As ONNX Slice: for the i-th of `axes` the elements starts[i], starts[i] +
    steps[i], ... before ends[i]. Negative starts and ends count from the end,
    then both are clamped to the dim; a negative step walks backwards. Without
    `steps` every step is 1.

    Constraints: (C1) `axes` are distinct and lie in the rank of `x`; (C2)
    `starts`, `ends` and `steps` are 1-D with one element per axis; (C3) a step
    that is known is not 0.
  }];
  let arguments = (ins Graph_Tensor:$x, Graph_IndexTensor:$starts,
                       Graph_IndexTensor:$ends,
                       Optional<Graph_IndexTensor>:$steps,
                       DenseI64ArrayAttr:$axes);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = [{
    $x `starts` $starts `ends` $ends (`steps` $steps^)? `axes` $axes attr-dict
    `:` functional-type(operands, results)
  }];
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def Graph_PadOp : Graph_AffineMovement<"pad", /*guarded=*/1> {
  let summary = "elements added at, or cut off, both ends of dims";
  let description = [{
    Adds low[d] and high[d] elements; negative numbers remove. `constant` fills
    with `value`; `reflect` mirrors without repeating the edge, `edge` repeats
    it, `wrap` continues at the other end. The other modes ignore `value`.

    Constraints: (C1) `low` and `high` have one entry per dim; (C2) no result
    size is negative; (C3) `value` has the element type of `x` and one element;
    (C4) the modes reflect, edge and wrap need a non-empty dim where they add.

    ```mlir
    %r = graph.pad %x, %zero low [0, 1] high [0, 1] mode constant
        : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x5xf32>
    ```
  }];
  let arguments = (ins Graph_Tensor:$x, Graph_Tensor:$value,
                       DenseI64ArrayAttr:$low, DenseI64ArrayAttr:$high,
                       Graph_PadModeAttr:$mode);
  let assemblyFormat = [{
    $x `,` $value `low` $low `high` $high `mode` `` $mode attr-dict
    `:` functional-type(operands, results)
  }];
}

def Graph_PadDynamicOp : Graph_PureOp<"pad_dynamic"> {
  let summary = "padding by amounts known at run time";
  let description = [{
    As `pad`; `pads` holds the lows of all `axes`, then the highs.

    Constraints: (C1) `axes` are distinct and lie in the rank of `x`; (C2)
    `pads` is 1-D with two elements per axis; (C3) `value` has the element type
    of `x` and one element.
  }];
  let arguments = (ins Graph_Tensor:$x, Graph_IndexTensor:$pads,
                       Graph_Tensor:$value, DenseI64ArrayAttr:$axes,
                       Graph_PadModeAttr:$mode);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = [{
    $x `,` $pads `,` $value `axes` $axes `mode` `` $mode attr-dict
    `:` functional-type(operands, results)
  }];
  let hasCanonicalizer = 1;
}

def Graph_TileOp : Graph_AffineMovement<"tile"> {
  let summary = "a tensor repeated along each dim";
  let description = [{
    Constraints: (C1) `repeats` has one entry per dim; (C2) none is negative.

    ```mlir
    %r = graph.tile %x [1, 3] : (tensor<2x2xf32>) -> tensor<2x6xf32>
    ```
  }];
  let arguments = (ins Graph_Tensor:$x, DenseI64ArrayAttr:$repeats);
  let assemblyFormat = [{
    $x $repeats attr-dict `:` functional-type(operands, results)
  }];
}

def Graph_TileDynamicOp : Graph_PureOp<"tile_dynamic"> {
  let summary = "a tensor repeated, counts known at run time";
  let description = [{
    Constraint (C1): `repeats` is 1-D with one element per dim of `x`.
  }];
  let arguments = (ins Graph_Tensor:$x, Graph_IndexTensor:$repeats);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = [{
    $x `,` $repeats attr-dict `:` functional-type(operands, results)
  }];
  let hasCanonicalizer = 1;
}

def Graph_ReverseOp : Graph_AffineMovement<"reverse"> {
  let summary = "dims read backwards";
  let description = [{
    Constraint (C1): `axes` ascend and lie in the rank of `x`.

    ```mlir
    %r = graph.reverse %x axes [1] : (tensor<2x3xf32>) -> tensor<2x3xf32>
    ```
  }];
  let arguments = (ins Graph_Tensor:$x, DenseI64ArrayAttr:$axes);
  let assemblyFormat = [{
    $x `axes` $axes attr-dict `:` functional-type(operands, results)
  }];
}

/// What a resampling is made of, whether or not its sizes are known.
class Graph_Resampling {
  code resamplingText = [{
    `coordinate_transform` maps a coordinate of the result to one of the input,
    `mode` interpolates there: `nearest` rounds by `nearest_rounding`, `linear`
    and `cubic` weigh 2 or 4 neighbours per dim (with `antialias` more, when the
    dim shrinks), `cubic` by Keys' kernel with coefficient `cubic_coefficient`.
    `exclude_outside` gives neighbours beyond the edge no weight. With
    tf_crop_and_resize, `roi` holds normalised starts, then ends, and
    coordinates outside the input yield `extrapolation_value`. All as in ONNX
    Resize 19.
  }];
  dag resamplingAttributes = (ins
    Graph_ResizeModeAttr:$mode,
    Graph_CoordinateTransformAttr:$coordinate_transform,
    Graph_NearestRoundingAttr:$nearest_rounding,
    Graph_RealAttr:$cubic_coefficient,
    Graph_RealAttr:$extrapolation_value,
    UnitAttr:$exclude_outside,
    UnitAttr:$antialias);
}

def Graph_ResizeOp : Graph_PureOp<"resize">, Graph_Resampling {
  let summary = "resampling to another size";
  let description = !strconcat(resamplingText, [{

    scales[d] is the ratio used by the coordinate transform; 0 stands for the
    ratio of the result's size to that of `x`, where only a run knows it.
    sizes[d] is the result's size, or -1 for floor(size * scale) in single
    precision; with a scale of 0, -1 leaves it open.

    Constraints: (C1) `scales` and `sizes` have one entry per dim; (C2) scales
    are finite and not negative; (C3) sizes are -1 or more; (C4) `roi` has two
    entries per dim, and is given exactly with tf_crop_and_resize; (C5) sizes
    that are not 0 need a non-empty input.

    ```mlir
    %r = graph.resize %x scales [1.0, 1.0, 2.0, 2.0] sizes [-1, -1, -1, -1]
        mode nearest coordinate_transform asymmetric nearest_rounding floor
        cubic_coefficient -7.500000e-01 extrapolation_value 0.0
        : (tensor<1x3x8x8xf32>) -> tensor<1x3x16x16xf32>
    ```
  }]);
  let arguments = !con(
      (ins Graph_NumberTensor:$x, DenseF64ArrayAttr:$scales,
           DenseI64ArrayAttr:$sizes, OptionalAttr<DenseF64ArrayAttr>:$roi),
      resamplingAttributes);
  let results = (outs Graph_NumberTensor:$result);
  let assemblyFormat = [{
    $x `scales` $scales `sizes` $sizes (`roi` $roi^)? `mode` `` $mode
    `coordinate_transform` `` $coordinate_transform
    `nearest_rounding` `` $nearest_rounding
    `cubic_coefficient` $cubic_coefficient
    `extrapolation_value` $extrapolation_value
    (`exclude_outside` $exclude_outside^)? (`antialias` $antialias^)? attr-dict
    `:` functional-type(operands, results)
  }];
  let hasFolder = 1;
}

def Graph_ResizeDynamicOp : Graph_PureOp<"resize_dynamic", [
    AttrSizedOperandSegments]>, Graph_Resampling {
  let summary = "resampling to a size known at run time";
  let description = !strconcat(resamplingText, [{

    Exactly one of `scales` and `sizes` is given, one element for each of
    `axes`; other dims stay. `aspect_policy` tells how sizes that would change
    the aspect ratio bind. `roi` has two elements per axis.

    Constraints: (C1) exactly one of `scales` and `sizes`; (C2) `axes` are
    distinct and lie in the rank of `x`; (C3) `scales` and `sizes` are 1-D with
    one element per axis, `roi` with two; (C4) `roi` is given exactly with
    tf_crop_and_resize.
  }]);
  let arguments = !con(
      (ins Graph_NumberTensor:$x, Optional<TensorOf<[F32]>>:$scales,
           Optional<Graph_ShapeTensor>:$sizes,
           Optional<Graph_FloatTensor>:$roi, DenseI64ArrayAttr:$axes,
           Graph_AspectPolicyAttr:$aspect_policy),
      resamplingAttributes);
  let results = (outs Graph_NumberTensor:$result);
  let assemblyFormat = [{
    $x (`scales` $scales^)? (`sizes` $sizes^)? (`roi` $roi^)? `axes` $axes
    `aspect_policy` `` $aspect_policy `mode` `` $mode
    `coordinate_transform` `` $coordinate_transform
    `nearest_rounding` `` $nearest_rounding
    `cubic_coefficient` $cubic_coefficient
    `extrapolation_value` $extrapolation_value
    (`exclude_outside` $exclude_outside^)? (`antialias` $antialias^)? attr-dict
    `:` functional-type(operands, results)
  }];
  let hasCanonicalizer = 1;
}

#endif // ATC_DIALECT_GRAPH_IR_MOVEMENT_TD
