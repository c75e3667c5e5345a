// Conversions between real and quantized values.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_DIALECT_GRAPH_IR_QUANTIZATION_TD
#define ATC_DIALECT_GRAPH_IR_QUANTIZATION_TD

include "atc/Dialect/Graph/IR/GraphAttributes.td"
include "atc/Dialect/Graph/IR/GraphInterfaces.td"

class Graph_Quantization<string mnemonic> : Graph_PureOp<mnemonic> {
  code granularityText = [{
    `scale` and `zero_point` have one shape: rank 0 (one for the tensor), rank 1
    (one per index along `axis`), or, with a `block` above 0, the rank of `x`
    and ceil(size / block) entries along `axis`, each for `block` elements.

    Constraints: (C1) `axis` lies in the rank of `x`, or is 0; (C2) `scale` and
    `zero_point` have one shape; (C3) that shape is one of the above.
  }];
  let results = (outs Graph_NumberTensor:$result);
}

def Graph_QuantizeOp : Graph_Quantization<"quantize"> {
  let summary = "saturate(round(x / scale) + zero_point)";
  let description = !strconcat(granularityText, [{
    The result has the element type of `zero_point`; rounding is half to even;
    8- and 4-bit floats saturate with `saturate` (ONNX QuantizeLinear 25).

    ```mlir
    %r = graph.quantize %x, %scale, %zero axis 0 block 0
        : (tensor<4xf32>, tensor<f32>, tensor<ui8>) -> tensor<4xui8>
    ```
  }]);
  let arguments = (ins AnyTypeOf<[Graph_FloatTensor, Graph_IntegerTensor]>:$x,
                       Graph_FloatTensor:$scale,
                       Graph_NumberTensor:$zero_point, Graph_AxisAttr:$axis,
                       Graph_AxisAttr:$block, UnitAttr:$saturate);
  let assemblyFormat = [{
    $x `,` $scale `,` $zero_point `axis` $axis `block` $block
    (`saturate` $saturate^)? attr-dict `:` functional-type(operands, results)
  }];
}

def Graph_DequantizeOp : Graph_Quantization<"dequantize"> {
  let summary = "(x - zero_point) * scale";
  let description = !strconcat(granularityText, [{
    (C4) `zero_point` has the element type of `x`. The result has the element
    type of `scale` (ONNX DequantizeLinear 25).
  }]);
  let arguments = (ins Graph_NumberTensor:$x, Graph_FloatTensor:$scale,
                       Graph_NumberTensor:$zero_point, Graph_AxisAttr:$axis,
                       Graph_AxisAttr:$block);
  let assemblyFormat = [{
    $x `,` $scale `,` $zero_point `axis` $axis `block` $block attr-dict
    `:` functional-type(operands, results)
  }];
}

#endif // ATC_DIALECT_GRAPH_IR_QUANTIZATION_TD
