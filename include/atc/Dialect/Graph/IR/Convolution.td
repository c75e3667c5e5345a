// Convolutions of any spatial rank, and their Winograd form.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_DIALECT_GRAPH_IR_CONVOLUTION_TD
#define ATC_DIALECT_GRAPH_IR_CONVOLUTION_TD

include "atc/Dialect/Graph/IR/GraphAttributes.td"

def Graph_ConvOp : Graph_PureOp<"conv"> {
  let summary = "convolution";
  let description = [{
    `x` is [N, C, spatial...], `w` is [O, C / groups, kernel...]; the result is
    [N, O, spatial...], where each spatial size is

        floor((size + begin + end - (kernel - 1) * dilation - 1) / stride) + 1

    and at least 0 (ONNX Conv). `pads` holds all begins, then all ends.
    8-bit integer operands give i32.

    Constraints: (C1) ranks of `x` and `w` are equal and at least 3; (C2)
    `strides` and `dilations` have one positive entry per spatial dim; (C3)
    `pads` has two non-negative entries per spatial dim; (C4) channels of `x`
    are channels of `w` times `groups`; (C5) output channels are a multiple of
    `groups`; (C6) element types are equal, or both are 8-bit integers.

    ```mlir
    %r = graph.conv %x, %w strides [2, 2] pads [1, 1, 1, 1] dilations [1, 1]
        groups 1 : (tensor<1x3x224x224xf32>, tensor<64x3x3x3xf32>)
        -> tensor<1x64x112x112xf32>
    ```
  }];
  let arguments = (ins Graph_NumberTensor:$x, Graph_NumberTensor:$w,
                       DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$pads,
                       DenseI64ArrayAttr:$dilations, Graph_CountAttr:$groups);
  let results = (outs Graph_NumberTensor:$result);
  let assemblyFormat = [{
    $x `,` $w `strides` $strides `pads` $pads `dilations` $dilations
    `groups` $groups attr-dict `:` functional-type(operands, results)
  }];
  let extraClassDeclaration = [{
    /// Number of spatial dims.
    unsigned getSpatialRank() { return getStrides().size(); }
  }];
}

def Graph_ConvTransposeOp : Graph_PureOp<"conv_transpose"> {
  let summary = "transposed convolution";
  let description = [{
    The gradient of a convolution by its input. `x` is [N, C, spatial...], `w`
    is [C, O / groups, kernel...]; each spatial size of the result is

        stride * (size - 1) + output_padding + (kernel - 1) * dilation + 1
            - begin - end

    (ONNX ConvTranspose). `output_padding` adds to the end of the result.

    Constraints: (C1) ranks of `x` and `w` are equal and at least 3; (C2)
    `strides` and `dilations` have one positive entry per spatial dim; (C3)
    `pads` has two entries per spatial dim; (C4) `output_padding` has one
    non-negative entry per spatial dim, below stride or dilation; (C5) channels
    of `x` and of `w` agree and are a multiple of `groups`; (C6) element types
    are equal; (C7) no result size is negative.
  }];
  let arguments = (ins Graph_FloatTensor:$x, Graph_FloatTensor:$w,
                       DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$pads,
                       DenseI64ArrayAttr:$output_padding,
                       DenseI64ArrayAttr:$dilations, Graph_CountAttr:$groups);
  let results = (outs Graph_FloatTensor:$result);
  let assemblyFormat = [{
    $x `,` $w `strides` $strides `pads` $pads `output_padding` $output_padding
    `dilations` $dilations `groups` $groups attr-dict
    `:` functional-type(operands, results)
  }];
  let extraClassDeclaration = [{
    /// Number of spatial dims.
    unsigned getSpatialRank() { return getStrides().size(); }
  }];
}

def Graph_WinogradFilterOp : Graph_PureOp<"winograd_filter"> {
  let summary = "filter of a 3x3 convolution in the Winograd domain";
  let description = [{
    `w` [O, I, 3, 3] becomes U = G w G^T for every pair of channels, stored as
    [(tile + 2)^2, O, I], for F(tile x tile, 3 x 3) (Lavin and Gray 2015).

    Constraints: (C1) `w` has rank 4 and a 3x3 kernel; (C2) `tile` is 2, 4 or 6.
  }];
  let arguments = (ins Graph_FloatTensor:$w, Graph_CountAttr:$tile);
  let results = (outs Graph_FloatTensor:$result);
  let assemblyFormat = [{
    $w `tile` $tile attr-dict `:` functional-type(operands, results)
  }];
}

def Graph_ConvWinogradOp : Graph_PureOp<"conv_winograd"> {
  let summary = "3x3 convolution with stride 1 by Winograd's method";
  let description = [{
    `x` is [N, I, H, W], `u` the result of `winograd_filter` [(tile + 2)^2, O,
    I]; the result [N, O, H + begin + end - 2, W + begin + end - 2] equals that
    of `conv` but for rounding.

    Constraints: (C1) `x` has rank 4, `u` rank 3; (C2) `tile` is 2, 4 or 6 and
    `u` has (tile + 2)^2 planes; (C3) `pads` has four non-negative entries;
    (C4) channels agree; (C5) element types are equal.
  }];
  let arguments = (ins Graph_FloatTensor:$x, Graph_FloatTensor:$u,
                       Graph_CountAttr:$tile, DenseI64ArrayAttr:$pads);
  let results = (outs Graph_FloatTensor:$result);
  let assemblyFormat = [{
    $x `,` $u `tile` $tile `pads` $pads attr-dict
    `:` functional-type(operands, results)
  }];
}

#endif // ATC_DIALECT_GRAPH_IR_CONVOLUTION_TD
