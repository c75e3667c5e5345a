// Matrix products.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_DIALECT_GRAPH_IR_MATMUL_TD
#define ATC_DIALECT_GRAPH_IR_MATMUL_TD

include "atc/Dialect/Graph/IR/GraphAttributes.td"

def Graph_MatMulOp : Graph_PureOp<"matmul"> {
  let summary = "product of matrices, with broadcast batch dims";
  let description = [{
    Multiplies the matrices in the last two dims: `lhs` [..., M, K] (with
    `transpose_lhs` [..., K, M]) and `rhs` [..., K, N] (with `transpose_rhs`
    [..., N, K]) give [..., M, N]. The leading dims broadcast.

    Two 8-bit integers, of whatever signedness, give i32 (ONNX MatMulInteger);
    otherwise the result has the operands' element type. Float sums are kept in
    at least f32.

    Constraints: (C1) both ranks are at least 2; (C2) K agrees; (C3) leading
    dims broadcast; (C4) element types are equal, or both are 8-bit integers.

    ```mlir
    %r = graph.matmul %a, %b transpose_rhs
        : (tensor<8x4x16xf32>, tensor<32x16xf32>) -> tensor<8x4x32xf32>
    ```
  }];
  let arguments = (ins Graph_NumberTensor:$lhs, Graph_NumberTensor:$rhs,
                       UnitAttr:$transpose_lhs, UnitAttr:$transpose_rhs);
  let results = (outs Graph_NumberTensor:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs (`transpose_lhs` $transpose_lhs^)?
    (`transpose_rhs` $transpose_rhs^)? attr-dict
    `:` functional-type(operands, results)
  }];
}

#endif // ATC_DIALECT_GRAPH_IR_MATMUL_TD
