// Buffers, ports and views.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_DIALECT_PLAN_IR_MEMORY_TD
#define ATC_DIALECT_PLAN_IR_MEMORY_TD

include "atc/Dialect/Plan/IR/PlanBase.td"
include "mlir/IR/OpAsmInterface.td"

/// An op that names a range of bytes.
class Plan_BufferOp<string mnemonic, string space, list<Trait> traits = []>
    : Plan_Op<mnemonic, traits # [Pure]> {
  let results = (outs Plan_BufferIn<space>:$buffer);
  code spaceDeclaration = [{
    static constexpr Space space = Space::}] # space # [{;
  }];
  let extraClassDeclaration = spaceDeclaration;
}

def Plan_InputOp : Plan_BufferOp<"input", "Input"> {
  let summary = "the data of an input port";
  let description = [{
    Port `index` of the model, called `name`. Its data is dense and row-major
    and stays the caller's: it is read only. Dims written `?` are those that
    `plan.dim` binds.

    Example: `%x = plan.input 0 "x" : !plan.view<?x3x224x224xf32>`
  }];
  let arguments = (ins I64Prop:$index, StrAttr:$name,
                       TypeAttrOf<Plan_ViewType>:$portType);
  let assemblyFormat = "$index $name `:` qualified($portType) attr-dict";
  let builders = [OpBuilder<(ins "int64_t":$index, "StringAttr":$name,
                                 "ViewType":$portType)>];
  let hasVerifier = 1;
}

def Plan_OutputOp : Plan_BufferOp<"output", "Output"> {
  let summary = "the data of an output port";
  let description = [{
    Port `index` of the model, called `name`; `sizes` gives each `?` of its
    type.

    Example: `%y = plan.output 0 "y" sizes(%n) : !plan.view<?x1000xf32>`
  }];
  let arguments = (ins I64Prop:$index, StrAttr:$name,
                       TypeAttrOf<Plan_ViewType>:$portType,
                       Variadic<Index>:$sizes);
  let assemblyFormat = [{
    $index $name (`sizes` `(` $sizes^ `)`)? `:` qualified($portType) attr-dict
  }];
  let builders = [OpBuilder<(ins "int64_t":$index, "StringAttr":$name,
                                 "ViewType":$portType,
                                 CArg<"ValueRange", "{}">:$sizes)>];
  let hasVerifier = 1;
}

def Plan_ArenaOp : Plan_BufferOp<"arena", "Arena"> {
  let summary = "a range of the arena";
  let description = [{
    `bytes` bytes that hold their contents from the first to the last
    instruction that touches a view of them, and no longer. `at` is the place
    that the memory planner gave. The placement tells when size and place are
    known: in the file (`fixed`), when a shape is first seen (`shape`), or only
    between `plan.allocate` and `plan.free` (`data`).

    Example: `%b = plan.arena fixed 65536 at 4096`
  }];
  let arguments = (ins
    EnumProp<Plan_Placement>:$placement,
    Optional<Index>:$bytes,
    I64Prop:$staticBytes,
    OptionalAttr<I64Attr>:$offset);
  let assemblyFormat = [{
    $placement custom<StaticOrValue>($bytes, $staticBytes)
    (`at` custom<Integer>($offset)^)? attr-dict
  }];
  let builders = [
    OpBuilder<(ins "int64_t":$bytes)>,
    OpBuilder<(ins "Placement":$placement, "Value":$bytes)>
  ];
  let hasVerifier = 1;
}

def Plan_WeightOp : Plan_BufferOp<"weight", "Weights"> {
  let summary = "a constant of the file";
  let description = [{
    The bytes that `graph.weight_data` or `graph.recipe` of this name gives, in
    the physical layout of its type. Equal constants share their bytes in the
    file, whatever their names.

    Example: `%w = plan.weight @w0 bytes 4096`
  }];
  let arguments = (ins FlatSymbolRefAttr:$symbol, I64Prop:$bytes);
  let assemblyFormat = "$symbol `bytes` $bytes attr-dict";
  let builders = [OpBuilder<(ins "FlatSymbolRefAttr":$symbol,
                                 "int64_t":$bytes)>];
  let hasVerifier = 1;
}

def Plan_ConstantOp : Plan_BufferOp<"constant", "Weights"> {
  let summary = "a small constant, its value beside it";
  let description = [{
    Row-major bytes of the value in the weights.

    Example: `%c = plan.constant dense<[1.0, 2.0]> : tensor<2xf32>`
  }];
  let arguments = (ins ElementsAttr:$value);
  let assemblyFormat = "$value attr-dict";
  let builders = [OpBuilder<(ins "ElementsAttr":$value)>];
}

def Plan_VariableOp : Plan_BufferOp<"variable", "Variable"> {
  let summary = "state of the session";
  let description = [{
    Outlives a run. A new session begins with the bytes of the constant
    `initial`, or with zeros.

    Example: `%k = plan.variable "past_key" : !plan.view<1x4x256x64xf32>`
  }];
  let arguments = (ins StrAttr:$name, TypeAttrOf<Plan_ViewType>:$variableType,
                       OptionalAttr<FlatSymbolRefAttr>:$initial);
  let assemblyFormat = "$name (`initial` $initial^)? `:` qualified($variableType) attr-dict";
  let builders = [OpBuilder<(ins "StringAttr":$name, "ViewType":$type,
                                 "FlatSymbolRefAttr":$initial)>];
  let hasVerifier = 1;
}

def Plan_ViewOp : Plan_Op<"view", [Pure, AttrSizedOperandSegments]> {
  let summary = "a tensor inside a buffer";
  let description = [{
    `offset` is in bytes and leads to element zero, behind a halo; in a tiled
    layout it leads to the first physical element. `sizes` and `strides` give
    the `?` of the type, in order. The view lies inside its buffer: where all is
    static, the verifier checks it.

    Example:
    ```mlir
    %v = plan.view %b[3840] : !plan.buffer<arena>
        -> !plan.view<1x64x56x56xf32, [215296, 1, 3712, 64]>
    ```
  }];
  let arguments = (ins
    Plan_BufferType:$buffer,
    Optional<Index>:$offset,
    I64Prop:$staticOffset,
    Variadic<Index>:$sizes,
    Variadic<Index>:$strides);
  let results = (outs Plan_ViewType:$view);
  let assemblyFormat = [{
    $buffer `[` custom<StaticOrValue>($offset, $staticOffset) `]`
    (`sizes` `(` $sizes^ `)`)? (`strides` `(` $strides^ `)`)? attr-dict
    `:` qualified(type($buffer)) `->` qualified(type($view))
  }];
  let builders = [
    OpBuilder<(ins "ViewType":$type, "Value":$buffer, "OpFoldResult":$offset,
                   CArg<"ValueRange", "{}">:$sizes,
                   CArg<"ValueRange", "{}">:$strides)>
  ];
  let hasVerifier = 1;
}

def Plan_AllocateOp : Plan_Instruction<"allocate"> {
  let summary = "give a buffer of placement `data` its memory";
  let arguments = (ins Plan_BufferType:$buffer);
  let assemblyFormat = "$buffer attr-dict `:` qualified(type($buffer))";
  let hasVerifier = 1;
}

def Plan_FreeOp : Plan_Instruction<"free"> {
  let summary = "take the memory back before the run ends";
  let arguments = (ins Plan_BufferType:$buffer);
  let assemblyFormat = "$buffer attr-dict `:` qualified(type($buffer))";
  let hasVerifier = 1;
}

#endif // ATC_DIALECT_PLAN_IR_MEMORY_TD
