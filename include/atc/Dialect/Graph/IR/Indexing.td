// Ops that read or write at positions which are data.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_DIALECT_GRAPH_IR_INDEXING_TD
#define ATC_DIALECT_GRAPH_IR_INDEXING_TD

include "atc/Dialect/Graph/IR/GraphAttributes.td"
include "atc/Dialect/Graph/IR/GraphInterfaces.td"

class Graph_Indexing<string mnemonic, list<Trait> traits = []>
    : Graph_PureOp<mnemonic, traits> {
  let results = (outs Graph_Tensor:$result);
}

def Graph_GatherOp : Graph_Indexing<"gather", [
    DeclareOpInterfaceMethods<TileMapInterface>]> {
  let summary = "slices of a tensor picked along a dim";
  let description = [{
    result[a..., i..., b...] = x[a..., indices[i...], b...], where a are the
    dims before `axis`. Negative indices count from the end; an index outside
    the dim is clamped to it.

    Constraint (C1): `axis` lies in the rank of `x`.

    ```mlir
    %r = graph.gather %table, %ids axis 0
        : (tensor<1000x64xf32>, tensor<2x8xi64>) -> tensor<2x8x64xf32>
    ```
  }];
  let arguments = (ins Graph_Tensor:$x, Graph_IndexTensor:$indices,
                       Graph_AxisAttr:$axis);
  let assemblyFormat = [{
    $x `,` $indices `axis` $axis attr-dict
    `:` functional-type(operands, results)
  }];
  let hasFolder = 1;
}

def Graph_GatherElementsOp : Graph_Indexing<"gather_elements"> {
  let summary = "elements of a tensor picked along a dim";
  let description = [{
    The result has the shape of `indices`; result[i] is x[i] with the index
    along `axis` replaced by indices[i]. Negative indices count from the end.

    Constraints: (C1) ranks are equal and above `axis`; (C2) sizes of `indices`
    do not exceed those of `x` outside `axis`.
  }];
  let arguments = (ins Graph_Tensor:$x, Graph_IndexTensor:$indices,
                       Graph_AxisAttr:$axis);
  let assemblyFormat = [{
    $x `,` $indices `axis` $axis attr-dict
    `:` functional-type(operands, results)
  }];
}

def Graph_GatherNDOp : Graph_Indexing<"gather_nd"> {
  let summary = "slices of a tensor picked by index tuples";
  let description = [{
    The last dim of `indices` holds tuples into the dims of `x` that follow the
    first `batch_dims`, which both tensors share. With tuples of length k the
    result has shape indices.shape[:-1] + x.shape[batch_dims + k:] (ONNX
    GatherND 13).

    Constraints: (C1) both ranks exceed `batch_dims`; (C2) batch dims agree;
    (C3) the tuple length is static and at most the rank of `x` minus
    `batch_dims`.
  }];
  let arguments = (ins Graph_Tensor:$x, Graph_IndexTensor:$indices,
                       Graph_AxisAttr:$batch_dims);
  let assemblyFormat = [{
    $x `,` $indices `batch_dims` $batch_dims attr-dict
    `:` functional-type(operands, results)
  }];
}

def Graph_ScatterElementsOp : Graph_Indexing<"scatter_elements"> {
  let summary = "a copy with elements replaced along a dim";
  let description = [{
    For every index i of `updates`, combines updates[i] into the element of `x`
    at i with the index along `axis` replaced by indices[i]. Without a
    `reduction` indices must not repeat.

    Constraints: (C1) ranks are equal and above `axis`; (C2) `indices` and
    `updates` have one shape; (C3) element types of `x` and `updates` are equal.
  }];
  let arguments = (ins Graph_Tensor:$x, Graph_IndexTensor:$indices,
                       Graph_Tensor:$updates, Graph_AxisAttr:$axis,
                       Graph_ScatterReductionAttr:$reduction);
  let assemblyFormat = [{
    $x `,` $indices `,` $updates `axis` $axis `reduction` `` $reduction
    attr-dict `:` functional-type(operands, results)
  }];
}

def Graph_ScatterNDOp : Graph_Indexing<"scatter_nd"> {
  let summary = "a copy with slices replaced at index tuples";
  let description = [{
    The last dim of `indices` holds tuples of length k into `x`; `updates` has
    shape indices.shape[:-1] + x.shape[k:] (ONNX ScatterND 18). Without a
    `reduction` tuples must not repeat.

    Constraints: (C1) both ranks are at least 1; (C2) the tuple length is static
    and at most the rank of `x`; (C3) `updates` has the shape above; (C4)
    element types of `x` and `updates` are equal.
  }];
  let arguments = (ins Graph_Tensor:$x, Graph_IndexTensor:$indices,
                       Graph_Tensor:$updates,
                       Graph_ScatterReductionAttr:$reduction);
  let assemblyFormat = [{
    $x `,` $indices `,` $updates `reduction` `` $reduction attr-dict
    `:` functional-type(operands, results)
  }];
}

def Graph_OneHotOp : Graph_Indexing<"one_hot"> {
  let summary = "vectors with one element on";
  let description = [{
    Inserts a dim of size `depth` at `axis`; along it the result is `on` at the
    index and `off` elsewhere. Negative indices count from the end; an index out
    of range gives all `off`.

    Constraints: (C1) `axis` is at most the rank of `indices`; (C2) `depth`,
    `on` and `off` have rank 0; (C3) `on` and `off` have one element type.
  }];
  let arguments = (ins Graph_NumberTensor:$indices, Graph_IndexTensor:$depth,
                       Graph_Tensor:$on, Graph_Tensor:$off,
                       Graph_AxisAttr:$axis);
  let assemblyFormat = [{
    $indices `,` $depth `,` $on `,` $off `axis` $axis attr-dict
    `:` functional-type(operands, results)
  }];
}

#endif // ATC_DIALECT_GRAPH_IR_INDEXING_TD
