// Ops on the sizes of tensors.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_DIALECT_GRAPH_IR_SHAPE_TD
#define ATC_DIALECT_GRAPH_IR_SHAPE_TD

include "atc/Dialect/Graph/IR/GraphAttributes.td"

def Graph_ShapeOfOp : Graph_PureOp<"shape_of"> {
  let summary = "the sizes of a tensor";
  let description = [{
    ```mlir
    %r = graph.shape_of %x : (tensor<?x3xf32>) -> tensor<2xi64>
    ```
  }];
  let arguments = (ins Graph_Tensor:$x);
  let results = (outs Graph_ShapeTensor:$result);
  let assemblyFormat = "$x attr-dict `:` functional-type(operands, results)";
  let hasFolder = 1;
}

def Graph_DimOp : Graph_Op<"dim", [Pure]> {
  let summary = "one size of a tensor";
  let description = [{
    Constraint (C1): `axis` lies in the rank of `x`.

    ```mlir
    %n = graph.dim %x axis 0 : (tensor<?x3xf32>) -> index
    ```
  }];
  let arguments = (ins Graph_Tensor:$x, Graph_AxisAttr:$axis);
  let results = (outs Index:$result);
  let assemblyFormat = [{
    $x `axis` $axis attr-dict `:` functional-type(operands, results)
  }];
  let hasFolder = 1;
  let hasVerifier = 1;
}

def Graph_PackSizesOp : Graph_Op<"pack_sizes", [Pure]> {
  let summary = "sizes as a tensor";
  let description = [{
    Constraints: (C1) the result has rank 0 or 1 and one element per size; (C2)
    its elements are i32 or i64.

    ```mlir
    %r = graph.pack_sizes %n, %m : tensor<2xi64>
    ```
  }];
  let arguments = (ins Variadic<Index>:$sizes);
  let results = (outs TensorOf<[I32, I64]>:$result);
  let assemblyFormat = "$sizes attr-dict `:` type($result)";
  let hasFolder = 1;
  let hasVerifier = 1;
}

def Graph_RangeOp : Graph_PureOp<"range"> {
  let summary = "start, start + delta, ... before limit";
  let description = [{
    max(0, ceil((limit - start) / delta)) elements.

    Constraints: (C1) operands have rank 0; (C2) element types are equal; (C3) a
    `delta` that is known is not 0.

    ```mlir
    %r = graph.range %start, %limit, %delta
        : (tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<?xi64>
    ```
  }];
  let arguments = (ins Graph_NumberTensor:$start, Graph_NumberTensor:$limit,
                       Graph_NumberTensor:$delta);
  let results = (outs Graph_NumberTensor:$result);
  let assemblyFormat = [{
    $start `,` $limit `,` $delta attr-dict
    `:` functional-type(operands, results)
  }];
  let hasFolder = 1;
}

#endif // ATC_DIALECT_GRAPH_IR_SHAPE_TD
