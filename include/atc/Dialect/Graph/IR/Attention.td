// Scaled dot-product attention.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_DIALECT_GRAPH_IR_ATTENTION_TD
#define ATC_DIALECT_GRAPH_IR_ATTENTION_TD

include "atc/Dialect/Graph/IR/GraphAttributes.td"

def Graph_AttentionOp : Graph_PureOp<"attention"> {
  let summary = "softmax(q k^T * scale + mask) v";
  let description = [{
    `q` is [..., S, D], `k` [..., T, D], `v` [..., T, E], `mask` broadcasts to
    [..., S, T] and is added to the scaled scores; the result is [..., S, E].
    The leading dims (batch, heads) are equal.

    Constraints: (C1) ranks are equal and at least 2; (C2) leading dims agree;
    (C3) D of `q` and `k` agree; (C4) T of `k` and `v` agree; (C5) `mask`
    broadcasts to the scores; (C6) element types are equal.

    ```mlir
    %r = graph.attention %q, %k, %v mask %m scale 1.250000e-01
        : (tensor<1x12x128x64xf32>, tensor<1x12x128x64xf32>,
           tensor<1x12x128x64xf32>, tensor<1x1x1x128xf32>)
        -> tensor<1x12x128x64xf32>
    ```
  }];
  let arguments = (ins Graph_FloatTensor:$q, Graph_FloatTensor:$k,
                       Graph_FloatTensor:$v, Optional<Graph_FloatTensor>:$mask,
                       Graph_RealAttr:$scale);
  let results = (outs Graph_FloatTensor:$result);
  let assemblyFormat = [{
    $q `,` $k `,` $v (`mask` $mask^)? `scale` $scale attr-dict
    `:` functional-type(operands, results)
  }];
}

#endif // ATC_DIALECT_GRAPH_IR_ATTENTION_TD
