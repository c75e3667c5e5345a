// Constants.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_DIALECT_GRAPH_IR_CREATION_TD
#define ATC_DIALECT_GRAPH_IR_CREATION_TD

include "atc/Dialect/Graph/IR/GraphAttributes.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/SymbolInterfaces.td"

def Graph_ConstantOp : Graph_PureOp<"constant", [ConstantLike]> {
  let summary = "a small constant";
  let description = [{
    Holds the value in the IR. Constraint (C1): the value is a splat or takes at
    most 1 KiB; larger constants are `weight_data`.

    ```mlir
    %c = graph.constant dense<[1, 2]> : tensor<2xi64>
    ```
  }];
  let arguments = (ins ElementsAttr:$value);
  let results = (outs Graph_Tensor:$result);
  let hasCustomAssemblyFormat = 1;
  let hasFolder = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Bytes that a value which is no splat may take.
    static constexpr int64_t getSizeLimit() { return 1024; }
    /// Whether a constant op may hold `value` (C1).
    static bool canHold(::mlir::ElementsAttr value);
  }];
}

def Graph_WeightOp : Graph_Op<"weight", [
    Pure, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "a constant of the module";
  let description = [{
    The value of a `weight_data` or `recipe`. Constraint (C1): the symbol is one
    of these and has the result's type.

    ```mlir
    %w = graph.weight @w0 : tensor<64x3x7x7xf32>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$symbol);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "$symbol attr-dict `:` type($result)";
}

#endif // ATC_DIALECT_GRAPH_IR_CREATION_TD
