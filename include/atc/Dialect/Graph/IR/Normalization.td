// Normalizations that kernels compute whole.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_DIALECT_GRAPH_IR_NORMALIZATION_TD
#define ATC_DIALECT_GRAPH_IR_NORMALIZATION_TD

include "atc/Dialect/Graph/IR/GraphAttributes.td"
include "atc/Dialect/Graph/IR/GraphInterfaces.td"

class Graph_Normalization<string mnemonic, list<Trait> traits = []>
    : Graph_PureOp<mnemonic, traits> {
  let results = (outs Graph_FloatTensor:$result);
}

def Graph_SoftmaxOp : Graph_Normalization<"softmax"> {
  let summary = "exp(x) / sum(exp(x)) along one dim";
  let description = [{
    Computed as exp(x - max) / sum(exp(x - max)). Constraint (C1): `axis` lies
    in the rank of `x`.

    ```mlir
    %r = graph.softmax %x axis 1 : (tensor<2x10xf32>) -> tensor<2x10xf32>
    ```
  }];
  let arguments = (ins Graph_FloatTensor:$x, Graph_AxisAttr:$axis);
  let assemblyFormat = [{
    $x `axis` $axis attr-dict `:` functional-type(operands, results)
  }];
}

def Graph_LogSoftmaxOp : Graph_Normalization<"log_softmax"> {
  let summary = "log(softmax(x)) along one dim";
  let description = [{
    Computed as x - max - log(sum(exp(x - max))). Constraint (C1): `axis` lies
    in the rank of `x`.
  }];
  let arguments = (ins Graph_FloatTensor:$x, Graph_AxisAttr:$axis);
  let assemblyFormat = [{
    $x `axis` $axis attr-dict `:` functional-type(operands, results)
  }];
}

def Graph_LayerNormOp : Graph_Normalization<"layer_norm", [
    AttrSizedOperandSegments]> {
  let summary = "normalization over the dims from `axis` on";
  let description = [{
    (x - mean) / sqrt(variance + epsilon) * scale + bias, where mean and
    (biased) variance are taken over the dims [axis, rank) (ONNX
    LayerNormalization 17).

    Constraints: (C1) `axis` lies in the rank of `x`; (C2) `scale` and `bias`
    broadcast to the shape of `x`; (C3) element types are equal.

    ```mlir
    %r = graph.layer_norm %x scale %s bias %b axis 2 epsilon 1.0e-05
        : (tensor<1x128x768xf32>, tensor<768xf32>, tensor<768xf32>)
        -> tensor<1x128x768xf32>
    ```
  }];
  let arguments = (ins Graph_FloatTensor:$x, Optional<Graph_FloatTensor>:$scale,
                       Optional<Graph_FloatTensor>:$bias, Graph_AxisAttr:$axis,
                       Graph_RealAttr:$epsilon);
  let assemblyFormat = [{
    $x (`scale` $scale^)? (`bias` $bias^)? `axis` $axis `epsilon` $epsilon
    attr-dict `:` functional-type(operands, results)
  }];
}

def Graph_RmsNormOp : Graph_Normalization<"rms_norm"> {
  let summary = "division by the root of the mean square";
  let description = [{
    x / sqrt(mean(x^2) + epsilon) * scale, the mean over the dims [axis, rank)
    (ONNX RMSNormalization 23).

    Constraints: (C1) `axis` lies in the rank of `x`; (C2) `scale` broadcasts to
    the shape of `x`; (C3) element types are equal.
  }];
  let arguments = (ins Graph_FloatTensor:$x, Optional<Graph_FloatTensor>:$scale,
                       Graph_AxisAttr:$axis, Graph_RealAttr:$epsilon);
  let assemblyFormat = [{
    $x (`scale` $scale^)? `axis` $axis `epsilon` $epsilon attr-dict
    `:` functional-type(operands, results)
  }];
}

def Graph_BatchNormOp : Graph_Normalization<"batch_norm"> {
  let summary = "affine map per channel from stored statistics";
  let description = [{
    (x - mean) / sqrt(variance + epsilon) * scale + bias, all parameters of
    shape [C] and applied along dim 1 (ONNX BatchNormalization, inference).

    Constraints: (C1) `x` has rank 2 or more; (C2) parameters are 1-D of size C;
    (C3) parameters are floats.
  }];
  let arguments = (ins Graph_FloatTensor:$x, Graph_FloatTensor:$scale,
                       Graph_FloatTensor:$bias, Graph_FloatTensor:$mean,
                       Graph_FloatTensor:$variance, Graph_RealAttr:$epsilon);
  let assemblyFormat = [{
    $x `,` $scale `,` $bias `,` $mean `,` $variance `epsilon` $epsilon attr-dict
    `:` functional-type(operands, results)
  }];
}

def Graph_InstanceNormOp : Graph_Normalization<"instance_norm"> {
  let summary = "normalization of each channel of each sample";
  let description = [{
    (x - mean) / sqrt(variance + epsilon) * scale + bias with statistics over
    the spatial dims; `scale` and `bias` of shape [C].

    Constraints: (C1) `x` has rank 3 or more; (C2) parameters are 1-D of size C;
    (C3) element types are equal.
  }];
  let arguments = (ins Graph_FloatTensor:$x, Graph_FloatTensor:$scale,
                       Graph_FloatTensor:$bias, Graph_RealAttr:$epsilon);
  let assemblyFormat = [{
    $x `,` $scale `,` $bias `epsilon` $epsilon attr-dict
    `:` functional-type(operands, results)
  }];
}

def Graph_GroupNormOp : Graph_Normalization<"group_norm"> {
  let summary = "normalization of groups of channels";
  let description = [{
    As instance_norm, statistics over `groups` groups of neighbouring channels
    and the spatial dims (ONNX GroupNormalization 21: parameters of shape [C]).

    Constraints: (C1) `x` has rank 3 or more; (C2) parameters are 1-D of size C;
    (C3) element types are equal; (C4) C is a multiple of `groups`.
  }];
  let arguments = (ins Graph_FloatTensor:$x, Graph_FloatTensor:$scale,
                       Graph_FloatTensor:$bias, Graph_CountAttr:$groups,
                       Graph_RealAttr:$epsilon);
  let assemblyFormat = [{
    $x `,` $scale `,` $bias `groups` $groups `epsilon` $epsilon attr-dict
    `:` functional-type(operands, results)
  }];
}

def Graph_LrnOp : Graph_Normalization<"lrn"> {
  let summary = "local response normalization across channels";
  let description = [{
    x / (bias + alpha / size * s)^beta, where s sums the squares of channels
    [c - floor((size - 1) / 2), c + ceil((size - 1) / 2)] that exist (ONNX LRN).

    Constraint (C1): `x` has rank 2 or more.
  }];
  let arguments = (ins Graph_FloatTensor:$x, Graph_CountAttr:$size,
                       Graph_RealAttr:$alpha, Graph_RealAttr:$beta,
                       Graph_RealAttr:$bias);
  let assemblyFormat = [{
    $x `size` $size `alpha` $alpha `beta` $beta `bias` $bias attr-dict
    `:` functional-type(operands, results)
  }];
}

#endif // ATC_DIALECT_GRAPH_IR_NORMALIZATION_TD
