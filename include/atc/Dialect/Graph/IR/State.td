// Variables: tensors that outlive a run.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_DIALECT_GRAPH_IR_STATE_TD
#define ATC_DIALECT_GRAPH_IR_STATE_TD

include "atc/Dialect/Graph/IR/GraphAttributes.td"
include "mlir/IR/SymbolInterfaces.td"

def Graph_VariableResource
    : Resource<"::mlir::atc::graph::VariableResource">;

def Graph_VariableOp : Graph_Op<"variable", [
    Symbol, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "a tensor that a session owns";
  let description = [{
    Holds `initial`, a `weight_data` or `recipe`, when a session starts, or
    zeros. Constraints: (C1) the type is a static tensor; (C2) `initial` has that type.

    ```mlir
    graph.variable @cache : tensor<1x8x512x64xf16>
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name,
                       TypeAttrOf<AnyStaticShapeTensor>:$type,
                       OptionalAttr<FlatSymbolRefAttr>:$initial);
  let assemblyFormat = [{
    $sym_name `:` $type (`initial` $initial^)? attr-dict
  }];
}

class Graph_VariableUser<string mnemonic>
    : Graph_Op<mnemonic, [DeclareOpInterfaceMethods<SymbolUserOpInterface>]>;

def Graph_ReadOp : Graph_VariableUser<"read"> {
  let summary = "the present value of a variable";
  let description = [{
    Constraint (C1): the symbol is a variable of the result's type.
  }];
  let arguments = (ins Arg<FlatSymbolRefAttr, "the variable",
                           [MemRead<Graph_VariableResource>]>:$variable);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "$variable attr-dict `:` type($result)";
}

def Graph_AssignOp : Graph_VariableUser<"assign"> {
  let summary = "a new value for a variable";
  let description = [{
    Constraint (C1): the symbol is a variable of the value's type.
  }];
  let arguments = (ins Arg<FlatSymbolRefAttr, "the variable",
                           [MemWrite<Graph_VariableResource>]>:$variable,
                       Graph_Tensor:$value);
  let assemblyFormat = "$variable `,` $value attr-dict `:` type($value)";
}

def Graph_AssignSliceOp : Graph_VariableUser<"assign_slice"> {
  let summary = "a new value for a part of a variable";
  let description = [{
    Writes `value` at `starts`, one position per dim. A part beyond the variable
    is an error at run time.

    Constraints: (C1) the symbol is a variable of the value's element type and
    rank; (C2) no size of `value` exceeds the variable's; (C3) `starts` is 1-D
    with one element per dim.

    ```mlir
    graph.assign_slice @cache, %value at %starts
        : tensor<1x8x1x64xf16>, tensor<4xi64>
    ```
  }];
  let arguments = (ins Arg<FlatSymbolRefAttr, "the variable",
                           [MemWrite<Graph_VariableResource>]>:$variable,
                       Graph_Tensor:$value, Graph_IndexTensor:$starts);
  let assemblyFormat = [{
    $variable `,` $value `at` $starts attr-dict
    `:` type($value) `,` type($starts)
  }];
}

#endif // ATC_DIALECT_GRAPH_IR_STATE_TD
