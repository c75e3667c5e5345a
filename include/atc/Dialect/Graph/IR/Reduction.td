// Ops that combine elements along dims.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_DIALECT_GRAPH_IR_REDUCTION_TD
#define ATC_DIALECT_GRAPH_IR_REDUCTION_TD

include "atc/Dialect/Graph/IR/GraphAttributes.td"
include "atc/Dialect/Graph/IR/GraphInterfaces.td"

def Graph_ReduceOp : Graph_PureOp<"reduce", [
    DeclareOpInterfaceMethods<ReductionInterface>]> {
  let summary = "sum, mean, product, maximum or minimum along dims";
  let description = [{
    Combines all elements that agree in the other indices. Over no element a sum
    is 0, a product 1, a mean NaN, a maximum the type's lowest value (-inf) and
    a minimum its highest; integers wrap; maximum and minimum propagate NaN. On
    booleans maximum is "any", minimum is "all". The order of a float
    sum is the target's choice, but fixed by the shape.

    Constraints: (C1) axes ascend and lie in the rank of `x`; (C2) booleans only
    have max and min.

    ```mlir
    %r = graph.reduce mean, %x axes [2, 3] keep_dims
        : (tensor<1x8x7x7xf32>) -> tensor<1x8x1x1xf32>
    ```
  }];
  let arguments = (ins Graph_ReductionKindAttr:$kind,
                       AnyTypeOf<[Graph_NumberTensor, Graph_BoolTensor]>:$x,
                       DenseI64ArrayAttr:$axes, UnitAttr:$keep_dims);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = [{
    `` $kind `,` $x `axes` $axes (`keep_dims` $keep_dims^)? attr-dict
    `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Graph_ArgReduceOp : Graph_PureOp<"arg_reduce"> {
  let summary = "index of the largest or smallest element along a dim";
  let description = [{
    The first of equal elements, or the last with `select_last`. A NaN counts as
    the extremum, the first one found.

    Constraints: (C1) `axis` lies in the rank of `x`; (C2) the dim is not empty.

    ```mlir
    %r = graph.arg_reduce max, %x axis 1 : (tensor<2x5xf32>) -> tensor<2xi64>
    ```
  }];
  let arguments = (ins Graph_ExtremumAttr:$kind, Graph_NumberTensor:$x,
                       Graph_AxisAttr:$axis, UnitAttr:$keep_dims,
                       UnitAttr:$select_last);
  let results = (outs TensorOf<[I64]>:$result);
  let assemblyFormat = [{
    `` $kind `,` $x `axis` $axis (`keep_dims` $keep_dims^)?
    (`select_last` $select_last^)? attr-dict
    `:` functional-type(operands, results)
  }];
}

def Graph_CumulativeSumOp : Graph_PureOp<"cumulative_sum"> {
  let summary = "sums of all elements up to each one along a dim";
  let description = [{
    `exclusive` leaves out the element itself; `reverse` sums from the end.
    Constraint (C1): `axis` lies in the rank of `x`.

    ```mlir
    %r = graph.cumulative_sum %x axis 0 exclusive
        : (tensor<5xi64>) -> tensor<5xi64>
    ```
  }];
  let arguments = (ins Graph_NumberTensor:$x, Graph_AxisAttr:$axis,
                       UnitAttr:$exclusive, UnitAttr:$reverse);
  let results = (outs Graph_NumberTensor:$result);
  let assemblyFormat = [{
    $x `axis` $axis (`exclusive` $exclusive^)? (`reverse` $reverse^)? attr-dict
    `:` functional-type(operands, results)
  }];
}

#endif // ATC_DIALECT_GRAPH_IR_REDUCTION_TD
