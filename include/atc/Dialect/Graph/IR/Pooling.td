// Pooling over windows. Global pooling is a reduction over the spatial dims.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_DIALECT_GRAPH_IR_POOLING_TD
#define ATC_DIALECT_GRAPH_IR_POOLING_TD

include "atc/Dialect/Graph/IR/GraphAttributes.td"

class Graph_Pool<string mnemonic, TypeConstraint tensor>
    : Graph_PureOp<mnemonic> {
  code poolConstraints = [{
    `x` is [N, C, spatial...]; each spatial size of the result is

        round((size + begin + end - (kernel - 1) * dilation - 1) / stride) + 1

    where `round` is floor, or ceil with `ceil_mode`; with it a last window that
    would start in the end padding is dropped (ONNX MaxPool and AveragePool 19).

    Constraints: (C1) `x` has rank 3 or more; (C2) `kernel`, `strides` and
    `dilations` have one positive entry per spatial dim; (C3) `pads` has two
    non-negative entries per spatial dim, each smaller than the window.
  }];
  let results = (outs tensor:$result);
  let extraClassDeclaration = [{
    /// Number of spatial dims.
    unsigned getSpatialRank() { return getKernel().size(); }
  }];
}

def Graph_MaxPoolOp : Graph_Pool<"max_pool", Graph_NumberTensor> {
  let summary = "largest element of each window";
  let description = !strconcat([{
    Padding never wins; NaN does.

  }], poolConstraints, [{

    ```mlir
    %r = graph.max_pool %x kernel [3, 3] strides [2, 2] pads [1, 1, 1, 1]
        dilations [1, 1] : (tensor<1x64x112x112xf32>) -> tensor<1x64x56x56xf32>
    ```
  }]);
  let arguments = (ins Graph_NumberTensor:$x, DenseI64ArrayAttr:$kernel,
                       DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$pads,
                       DenseI64ArrayAttr:$dilations, UnitAttr:$ceil_mode);
  let assemblyFormat = [{
    $x `kernel` $kernel `strides` $strides `pads` $pads `dilations` $dilations
    (`ceil_mode` $ceil_mode^)? attr-dict `:` functional-type(operands, results)
  }];
}

def Graph_AvgPoolOp : Graph_Pool<"avg_pool", Graph_FloatTensor> {
  let summary = "mean of each window";
  let description = !strconcat([{
    The divisor counts elements of `x` in the window, with `count_include_pad`
    also those of the padding (but never what `ceil_mode` adds beyond it).

  }], poolConstraints);
  let arguments = (ins Graph_FloatTensor:$x, DenseI64ArrayAttr:$kernel,
                       DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$pads,
                       DenseI64ArrayAttr:$dilations, UnitAttr:$ceil_mode,
                       UnitAttr:$count_include_pad);
  let assemblyFormat = [{
    $x `kernel` $kernel `strides` $strides `pads` $pads `dilations` $dilations
    (`ceil_mode` $ceil_mode^)? (`count_include_pad` $count_include_pad^)?
    attr-dict `:` functional-type(operands, results)
  }];
}

#endif // ATC_DIALECT_GRAPH_IR_POOLING_TD
