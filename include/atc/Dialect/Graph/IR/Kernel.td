// Kernels and what stands beside them: custom ops, host calls, relayouts.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_DIALECT_GRAPH_IR_KERNEL_TD
#define ATC_DIALECT_GRAPH_IR_KERNEL_TD

include "atc/Dialect/Graph/IR/GraphAttributes.td"
include "atc/Dialect/Graph/IR/GraphInterfaces.td"
include "mlir/IR/SymbolInterfaces.td"

def Graph_GenericOp : Graph_Op<"generic", [
    Pure, IsolatedFromAbove, SingleBlock]> {
  let summary = "loops around a scalar body";
  let description = [{
    A loop nest with one iterator per dim of the maps. `indexing_maps` gives for
    each operand, then each result, the element that an iteration uses. The body
    takes one scalar per operand and, where an iterator is a reduction, one
    accumulator per result, which starts as the entry of `identities`; it yields
    one scalar per result.

    Constraints: (C1) one map per operand and result, one iterator per dim of
    each map, no symbols; (C2) each map has the rank of its tensor; (C3) maps of
    results are projected permutations over the parallel iterators; (C4) body
    arguments and yields are scalars of the tensors' element types, unsigned
    ones signless; (C5) `identities` has one number per result exactly when an
    iterator is a reduction; (C6) the body has no effects and uses nothing from
    outside.

    ```mlir
    %r = graph.generic %x
        maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>]
        iterators [#graph.iterator<parallel>, #graph.iterator<reduction>]
        identities [0.0 : f32] : (tensor<4x8xf32>) -> tensor<4xf32> {
    ^bb0(%a: f32, %sum: f32):
      %s = arith.addf %sum, %a : f32
      graph.yield %s : f32
    }
    ```
  }];
  let arguments = (ins Variadic<Graph_Tensor>:$inputs,
                       AffineMapArrayAttr:$indexing_maps,
                       TypedArrayAttrBase<Graph_IteratorKindAttr,
                                          "iterators">:$iterators,
                       OptionalAttr<ArrayAttr>:$identities);
  let results = (outs Variadic<Graph_Tensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $inputs `maps` $indexing_maps `iterators` $iterators
    (`identities` $identities^)? attr-dict
    `:` functional-type(operands, results) $body
  }];
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    ::llvm::SmallVector<::mlir::AffineMap> getMaps() {
      return ::llvm::to_vector(
          getIndexingMaps().getAsValueRange<::mlir::AffineMapAttr>());
    }
    bool hasReduction();
  }];
}

def Graph_CustomOp : Graph_Op<"custom", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "an op whose implementation a target provides";
  let description = [{
    `name` selects the implementation, `parameters` go to it. With `stateful` it
    is neither removed, merged nor moved.

    Constraint (C1): `name` is not empty.

    ```mlir
    %r = graph.custom "my_filter"(%x) {radius = 2 : i64}
        : (tensor<8x8xf32>) -> tensor<8x8xf32>
    ```
  }];
  let arguments = (ins StrAttr:$name, Variadic<AnyType>:$args,
                       DictionaryAttr:$parameters, UnitAttr:$stateful);
  let results = (outs Variadic<AnyType>:$results);
  let assemblyFormat = [{
    $name `(` $args `)` (`stateful` $stateful^)? $parameters attr-dict
    `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def Graph_KernelOp : Graph_Op<"kernel", [
    AttrSizedOperandSegments, IsolatedFromAbove, SingleBlock,
    RecursiveMemoryEffects]> {
  let summary = "a region that a target computes in one piece";
  let description = [{
    The block's arguments are `args`, then `dims`. `dims` are the dynamic sizes
    that the region uses. `shapes`, where present, gives for each operand, then
    each result, its sizes as constants and symbols, one symbol per `dims`:
    equal expression, equal size. An op of the region whose result has dynamic
    sizes says them in the attribute `graph.sizes`, a map per result in the same
    symbols. `config` is how the target carries the region out; a kernel has it
    from `select` on.

    Constraints: (C1) block arguments have the operands' types; (C2) the region
    holds only ops of this dialect, and ends in a yield of the result types;
    (C3) `shapes` has one map per operand and result, of one symbol per `dims`
    and one result per dim of the tensor, which agrees with static sizes; (C4)
    `config` names existing operands and results in `inplace`, and its tiles use
    one symbol per `dims`.

    ```mlir
    %r = graph.kernel(%x, %y)
        : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
    ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
      %s = graph.add %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      graph.yield %s : tensor<4xf32>
    }
    ```
  }];
  let arguments = (ins Variadic<Graph_Tensor>:$args, Variadic<Index>:$dims,
                       OptionalAttr<Graph_ConfigAttr>:$config,
                       OptionalAttr<AffineMapArrayAttr>:$shapes);
  let results = (outs Variadic<Graph_Tensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    `(` $args `)` (`dims` `(` $dims^ `)`)? (`config` $config^)?
    (`shapes` $shapes^)? attr-dict
    `:` functional-type(operands, results) $body
  }];
  let builders = [
    OpBuilder<(ins "::mlir::TypeRange":$results, "::mlir::ValueRange":$args,
                   CArg<"::mlir::ValueRange", "{}">:$dims)>];
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::Block &getBodyBlock() { return getBody().front(); }
    /// The block's arguments that stand for `args`.
    ::llvm::MutableArrayRef<::mlir::BlockArgument> getTensorArguments() {
      return getBodyBlock().getArguments().take_front(getArgs().size());
    }
    /// The block's arguments that stand for `dims`.
    ::llvm::MutableArrayRef<::mlir::BlockArgument> getDimArguments() {
      return getBodyBlock().getArguments().drop_front(getArgs().size());
    }
    /// The values that the region yields.
    ::mlir::OperandRange getYielded() {
      return getBodyBlock().getTerminator()->getOperands();
    }
  }];
}

def Graph_LaunchOp : Graph_Op<"launch", [
    AttrSizedOperandSegments, Pure,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "a call of an outlined kernel";
  let description = [{
    Constraints: (C1) the symbol is a module that holds a function of the same
    name; (C2) until it is lowered, the function takes `args`, then `dims`, and
    returns the results.

    ```mlir
    %r = graph.launch @kernel_0(%x, %y)
        : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$kernel, Variadic<Graph_Tensor>:$args,
                       Variadic<Index>:$dims);
  let results = (outs Variadic<Graph_Tensor>:$results);
  let assemblyFormat = [{
    $kernel `(` $args `)` (`dims` `(` $dims^ `)`)? attr-dict
    `:` functional-type(operands, results)
  }];
}

def Graph_HostCallOp : Graph_Op<"host_call", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "an op that the runtime computes";
  let description = [{
    `name` is an entry of the runtime's table of host ops. With `stateful` it is
    neither removed, merged nor moved.

    Constraint (C1): `name` is not empty.

    ```mlir
    %r = graph.host_call "NonZero"(%x) {} : (tensor<4xf32>) -> tensor<1x?xi64>
    ```
  }];
  let arguments = (ins StrAttr:$name, Variadic<AnyType>:$args,
                       DictionaryAttr:$parameters, UnitAttr:$stateful);
  let results = (outs Variadic<AnyType>:$results);
  let assemblyFormat = [{
    $name `(` $args `)` (`stateful` $stateful^)? $parameters attr-dict
    `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def Graph_RelayoutOp : Graph_Op<"relayout", [
    Pure, DeclareOpInterfaceMethods<TileMapInterface>]> {
  let summary = "the same tensor in another layout";
  let description = [{
    Constraint (C1): operand and result differ at most in the encoding.

    ```mlir
    %r = graph.relayout %x : (tensor<1x8x4x4xf32>)
        -> tensor<1x8x4x4xf32, #graph.layout<perm = [0, 2, 3, 1]>>
    ```
  }];
  let arguments = (ins Graph_Tensor:$x);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "$x attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

#endif // ATC_DIALECT_GRAPH_IR_KERNEL_TD
