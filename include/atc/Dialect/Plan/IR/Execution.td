// The program and its instructions.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_DIALECT_PLAN_IR_EXECUTION_TD
#define ATC_DIALECT_PLAN_IR_EXECUTION_TD

include "atc/Dialect/Plan/IR/PlanBase.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"

def Plan_ProgramOp : Plan_Op<"program", [
    IsolatedFromAbove, Symbol, SingleBlock, NoTerminator,
    NoRegionArguments]> {
  let summary = "what one run of the model does";
  let description = [{
    Buffers first, then instructions in order. `arena` and `lower_bound` are
    set by the memory planner: the bytes that it used, and the most bytes that
    live at one time.

    The verifier holds the program to what the runtime's format can say:
    `scf.if` and `scf.while` carry scalars only, and ports are numbered from
    zero without gaps.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name,
                       OptionalAttr<I64Attr>:$arenaBytes,
                       OptionalAttr<I64Attr>:$lowerBound);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $sym_name (`arena` custom<Integer>($arenaBytes)^)?
    (`lower_bound` custom<Integer>($lowerBound)^)?
    attr-dict-with-keyword $body
  }];
  let builders = [OpBuilder<(ins "StringRef":$name)>];
  let skipDefaultBuilders = 1;
  let hasRegionVerifier = 1;
}

def Plan_DimOp : Plan_Op<"dim", [Pure]> {
  let summary = "the size of an input's dim";
  let description = [{
    Known when the inputs of a run are set. A size outside [min, max] is
    refused there. Two `plan.dim` of the same symbol `name` demand equal sizes;
    an empty name is no one else's.

    Example: `%n = plan.dim %x[0] "batch" from 1 to 64 : !plan.buffer<input>`
  }];
  let arguments = (ins Plan_BufferType:$port, I64Prop:$axis, StrAttr:$name,
                       I64Prop:$min, I64Prop:$max);
  let results = (outs Index:$size);
  let assemblyFormat = [{
    $port `[` $axis `]` $name `from` $min `to` $max attr-dict `:` qualified(type($port))
  }];
  let hasVerifier = 1;
}

def Plan_LaunchOp : Plan_Instruction<"launch", [
    AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "run all tiles of one launch of a kernel";
  let description = [{
    `kernel` names a module beside the program; a kernel has one launch or
    several, executed in order. The kernel's buffers are the operands in order:
    its operands, its results, its workspaces. `scratch` is bytes per thread.
    `flops` and `traffic` (bytes) are estimates for the profile and for keeping
    small launches on one thread; zero where unknown.

    Example:
    ```mlir
    plan.launch @kernel_3[0] (read %x : !plan.view<1x8xf32>,
                              write %y : !plan.view<1x8xf32>)
        scalars(%n) tiles 42 scratch 4096 flops 64
    ```
  }];
  let arguments = (ins
    FlatSymbolRefAttr:$kernel,
    I64Prop:$launch,
    Variadic<Plan_ViewType>:$views,
    DenseI32ArrayAttr:$accesses,
    Variadic<Index>:$scalars,
    Optional<Index>:$tiles,
    I64Prop:$staticTiles,
    Optional<Index>:$scratch,
    I64Prop:$staticScratch,
    Optional<Index>:$flops,
    DefaultValuedProp<I64Prop, "0">:$staticFlops,
    Optional<Index>:$traffic,
    DefaultValuedProp<I64Prop, "0">:$staticTraffic);
  let assemblyFormat = [{
    $kernel `[` $launch `]`
    custom<Accesses>($views, type($views), $accesses)
    (`scalars` `(` $scalars^ `)`)?
    `tiles` custom<StaticOrValue>($tiles, $staticTiles)
    `scratch` custom<StaticOrValue>($scratch, $staticScratch)
    (`flops` custom<StaticOrValue>($flops, $staticFlops)^)?
    (`traffic` custom<StaticOrValue>($traffic, $staticTraffic)^)?
    attr-dict
  }];
  let builders = [
    OpBuilder<(ins "FlatSymbolRefAttr":$kernel, "int64_t":$launch,
                   "ValueRange":$views, "ArrayRef<Access>":$accesses,
                   "ValueRange":$scalars, "OpFoldResult":$tiles,
                   "OpFoldResult":$scratch, "OpFoldResult":$flops,
                   "OpFoldResult":$traffic)>
  ];
  let extraClassDeclaration = [{
    Access getAccess(unsigned operand) {
      return static_cast<Access>(getAccesses()[operand]);
    }
  }];
  let hasVerifier = 1;
}

def Plan_HostCallOp : Plan_Instruction<"host_call",
                                       [AttrSizedOperandSegments]> {
  let summary = "call an operator of the runtime library";
  let description = [{
    `callee` is the operator's name in the runtime's table; `parameters` are its
    constant attributes. The results are scalars that the operator sets, e.g. a
    count.

    Example:
    ```mlir
    %n = plan.host_call "NonZero" (read %x : !plan.view<8xf32>,
                                   write %y : !plan.view<1x8xi64>) -> index
    ```
  }];
  let arguments = (ins
    StrAttr:$callee,
    Variadic<Plan_ViewType>:$views,
    DenseI32ArrayAttr:$accesses,
    Variadic<Plan_Scalar>:$scalars,
    OptionalAttr<DictionaryAttr>:$parameters);
  let results = (outs Variadic<Index>:$scalarResults);
  let assemblyFormat = [{
    $callee custom<Accesses>($views, type($views), $accesses)
    (`scalars` `(` $scalars^ `:` type($scalars) `)`)?
    (`parameters` $parameters^)? attr-dict (`->` type($scalarResults)^)?
  }];
  let extraClassDeclaration = [{
    Access getAccess(unsigned operand) {
      return static_cast<Access>(getAccesses()[operand]);
    }
  }];
  let hasVerifier = 1;
}

def Plan_CopyOp : Plan_Instruction<"copy"> {
  let summary = "copy a view to another of the same dims and element type";
  let description = [{
    Strides and layouts may differ. The two do not overlap.

    Example:
    ```mlir
    plan.copy %a to %b : !plan.view<2x4xf32>, !plan.view<2x4xf32, [8, 1]>
    ```
  }];
  let arguments = (ins Plan_ViewType:$source, Plan_ViewType:$destination);
  let assemblyFormat = [{
    $source `to` $destination attr-dict
    `:` qualified(type($source)) `,` qualified(type($destination))
  }];
  let hasVerifier = 1;
}

def Plan_FillOp : Plan_Instruction<"fill"> {
  let summary = "set every element of a view to the same bytes";
  let description = [{
    The low bytes of `pattern`, as many as an element has.

    Example: `plan.fill %v with 0 : !plan.view<4xf32>`
  }];
  let arguments = (ins Plan_ViewType:$view, I64Prop:$pattern);
  let assemblyFormat = "$view `with` $pattern attr-dict `:` qualified(type($view))";
  let hasVerifier = 1;
}

def Plan_ZeroHaloOp : Plan_Instruction<"zero_halo"> {
  let summary = "zero what surrounds a strided view";
  let description = [{
    Zeroes all elements of the box that extends dim d by `low[d]` before and
    `high[d]` after it, except the view itself.

    Example:
    ```mlir
    plan.zero_halo %v low [0, 0, 1, 1] high [0, 0, 1, 1]
        : !plan.view<1x8x4x4xf32, [288, 1, 48, 8]>
    ```
  }];
  let arguments = (ins Plan_ViewType:$view, DenseI64ArrayAttr:$low,
                       DenseI64ArrayAttr:$high);
  let assemblyFormat = [{
    $view `low` $low `high` $high attr-dict `:` qualified(type($view))
  }];
  let hasVerifier = 1;
}

def Plan_LoadScalarOp : Plan_Instruction<"load_scalar"> {
  let summary = "read one element as a scalar";
  let description = [{
    For integer and boolean element types.

    Example: `%n = plan.load_scalar %v[%i] : !plan.view<4xi64>`
  }];
  let arguments = (ins Plan_ViewType:$view, Variadic<Index>:$indices);
  let results = (outs Index:$value);
  let assemblyFormat = "$view `[` $indices `]` attr-dict `:` qualified(type($view))";
  let hasVerifier = 1;
}

def Plan_StoreScalarOp : Plan_Instruction<"store_scalar"> {
  let summary = "write a scalar to one element";
  let description = [{
    For integer and boolean element types; the runtime refuses a value that the
    type cannot hold.

    Example: `plan.store_scalar %n, %v[%i] : !plan.view<4xi64>`
  }];
  let arguments = (ins Index:$value, Plan_ViewType:$view,
                       Variadic<Index>:$indices);
  let assemblyFormat = [{
    $value `,` $view `[` $indices `]` attr-dict `:` qualified(type($view))
  }];
  let hasVerifier = 1;
}

def Plan_CheckOp : Plan_Op<"check"> {
  let summary = "end the run with a message unless the condition holds";
  let description = [{
    Example: `plan.check %c, "rows of a and columns of b differ"`
  }];
  let arguments = (ins I1:$condition, StrAttr:$message);
  let assemblyFormat = "$condition `,` $message attr-dict";
}

#endif // ATC_DIALECT_PLAN_IR_EXECUTION_TD
