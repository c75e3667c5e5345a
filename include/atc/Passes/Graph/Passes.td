// Passes on the graph dialect that come before kernels exist.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_PASSES_GRAPH_PASSES_TD
#define ATC_PASSES_GRAPH_PASSES_TD

include "mlir/Pass/PassBase.td"

def FuseAttentionPass : Pass<"atc-fuse-attention", "func::FuncOp"> {
  let summary = "Recognize scaled dot-product attention";
  let description = [{
    Rewrites matmul, scale, optional mask, softmax over the last dim and matmul
    to one `graph.attention`, if no value between is used elsewhere:

    ```mlir
    %s = graph.matmul %q, %k {transpose_rhs = true}
    %t = graph.mul %s, %scale          // or div, or no scale
    %m = graph.add %t, %mask           // optional
    %p = graph.softmax %m {axis = 3}
    %o = graph.matmul %p, %v
    // becomes
    %o = graph.attention %q, %k, %v, %mask {scale = ...}
    ```
    A transposition of k that only swaps its last two dims is absorbed.
  }];
  let dependentDialects = ["::mlir::atc::graph::GraphDialect"];
}

def FuseNormalizationPass : Pass<"atc-fuse-normalization", "func::FuncOp"> {
  let summary = "Recognize layer normalization that is spelled out";
  let description = [{
    Exporters before operator set 17 write LayerNormalization as nine ops:
    mean, subtract, square, mean, add epsilon, square root, divide and an affine
    part. They become one `graph.layer_norm` over the last dims.
  }];
  let dependentDialects = ["::mlir::atc::graph::GraphDialect"];
}

def InferShapesPass : Pass<"atc-infer-shapes", "func::FuncOp"> {
  let summary = "Refine types from operands and fold shape arithmetic";
  let description = [{
    One walk in def-use order. Each op is folded if its operands allow, else its
    result types are inferred again from the refined operand types. Values of
    small integer tensors are followed through the folders, so that chains of
    shape_of, gather, arithmetic and concat that end in a reshape disappear.
    Ends by refining the function's result types.
  }];
  let dependentDialects = ["::mlir::atc::graph::GraphDialect"];
}

def MaterializeSizesPass : Pass<"atc-materialize-sizes", "func::FuncOp"> {
  let summary = "Compute open sizes as index values";
  let description = [{
    Makes index arithmetic at the head of the function of what is known about
    sizes that only the inputs of a run tell:

    - a tensor of sizes (shape_of, and what gather, concat and arithmetic make
      of it) becomes a `graph.pack_sizes` of index values;
    - what must hold of sizes for an op to be right, and does not follow while
      compiling, becomes a `cf.assert` that names the op;
    - a tile along dims of size one becomes an expand;
    - a type takes the sizes that are numbers after all.

    Functions whose tensors are all static stay as they are.
  }];
  let dependentDialects = ["::mlir::atc::graph::GraphDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::cf::ControlFlowDialect"];
}

def OutlineConstantsPass : Pass<"atc-outline-constants", "ModuleOp"> {
  let summary = "Move computations on constants into recipes";
  let description = [{
    A pure op whose operands are all constant joins a `graph.recipe`, a constant
    function that is evaluated when the model is written; its uses read the
    recipe by `graph.weight`. An op whose result is much larger than its
    operands (more than `growth` times and above 1 MiB) stays: a broadcast or a
    tile is cheaper to compute than to store.
  }];
  let options = [
    Option<"growth", "growth", "int64_t", /*default=*/"4",
           "Largest ratio of result bytes to operand bytes">
  ];
  let dependentDialects = ["::mlir::atc::graph::GraphDialect"];
  let statistics = [
    Statistic<"numRecipes", "recipes", "Number of recipes made">
  ];
}

def RefineInputsPass : Pass<"atc-refine-inputs", "func::FuncOp"> {
  let summary = "Fix open sizes of inputs for which the model leaves no choice";
  let description = [{
    A filter fixes the channels of its input, a weight the inner size of a
    product, a reshape to constant sizes the elements. Where such a demand leaves
    one value of an input's open dim, the input's type takes it; all dims of the
    same name (`graph.dims`) with it. Types behind it are refined by
    `atc-infer-shapes`. Demands that contradict each other are an error.
  }];
  let dependentDialects = ["::mlir::atc::graph::GraphDialect"];
}

def SimplifyPass : Pass<"atc-simplify", "func::FuncOp"> {
  let summary = "Canonicalize, and fold normalization into weights";
  let description = [{
    The canonicalization of the graph dialect together with rewrites that need
    inference semantics:

    - `batch_norm` becomes a multiplication and an addition per channel;
    - a per-channel multiplication by a constant moves through the additions of
      constants into the weight of the convolution or matmul before it;
    - two additions (multiplications) of constants become one;
    - a division by a constant becomes a multiplication where that is exact to
      the last bit of the reciprocal, i.e. for powers of two.

    Constant operands are computed by ops here; `atc-outline-constants` turns
    these into recipes.
  }];
  let dependentDialects = ["::mlir::atc::graph::GraphDialect"];
}

#endif // ATC_PASSES_GRAPH_PASSES_TD
