// Branches, loops and the end of a region.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_DIALECT_GRAPH_IR_CONTROLFLOW_TD
#define ATC_DIALECT_GRAPH_IR_CONTROLFLOW_TD

include "atc/Dialect/Graph/IR/GraphAttributes.td"
include "atc/Dialect/Graph/IR/GraphInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"

def Graph_YieldOp : Graph_Op<"yield", [Pure, ReturnLike, Terminator]> {
  let summary = "the results of a region";
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "attr-dict ($values^ `:` type($values))?";
}

def Graph_IfOp : Graph_Op<"if", [
    SingleBlock, RecursiveMemoryEffects,
    DeclareOpInterfaceMethods<TypeRefinementInterface>]> {
  let summary = "one of two regions";
  let description = [{
    Regions may use values from outside. Constraints: (C1) `condition` has one
    element; (C2) both regions have no arguments and yield one value per result,
    of the result's element type and a shape that agrees with its.

    ```mlir
    %r = graph.if %c : (tensor<i1>) -> tensor<?xf32> {
      graph.yield %a : tensor<3xf32>
    } else {
      graph.yield %b : tensor<4xf32>
    }
    ```
  }];
  let arguments = (ins Graph_BoolTensor:$condition);
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region SizedRegion<1>:$then_region,
                        SizedRegion<1>:$else_region);
  let assemblyFormat = [{
    $condition attr-dict `:` functional-type(operands, results)
    $then_region `else` $else_region
  }];
  let hasRegionVerifier = 1;
}

def Graph_LoopOp : Graph_Op<"loop", [
    SingleBlock, RecursiveMemoryEffects,
    DeclareOpInterfaceMethods<TypeRefinementInterface>]> {
  let summary = "a region repeated while a condition holds";
  let description = [{
    Runs the body with the number of the iteration (i64, from 0) and the carried
    values, while that number is below `trip_count` and the condition holds:
    `condition` at first, then what the body yields. The body yields the new
    condition, the carried values, then values to collect. Results are the last
    carried values, then the collected ones, stacked along a new first dim (ONNX
    Loop 21).

    Regions may use values from outside. Constraints: (C1) `trip_count` and
    `condition` have one element; (C2) the body's arguments are a `tensor<i64>`
    and one value per `inits`; (C3) it yields a boolean tensor of one element,
    one value per `inits` and one per further result; (C4) element types of
    inits, arguments, yields and results agree, ranks of collected results are
    one more than those of their yields.

    ```mlir
    %last, %all = graph.loop %n, %true iter_args(%x)
        : (tensor<i64>, tensor<i1>, tensor<2xf32>)
        -> (tensor<2xf32>, tensor<?x2xf32>) {
    ^bb0(%i: tensor<i64>, %v: tensor<2xf32>):
      %w = graph.add %v, %v
          : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
      graph.yield %true, %w, %v : tensor<i1>, tensor<2xf32>, tensor<2xf32>
    }
    ```
  }];
  let arguments = (ins TensorOf<[I64]>:$trip_count,
                       Graph_BoolTensor:$condition, Variadic<AnyType>:$inits);
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $trip_count `,` $condition (`iter_args` `(` $inits^ `)`)? attr-dict
    `:` functional-type(operands, results) $body
  }];
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    unsigned getNumCarried() { return getInits().size(); }
    /// Results that collect one value per iteration.
    ::mlir::ResultRange getCollected() {
      return getResults().drop_front(getNumCarried());
    }
  }];
}

#endif // ATC_DIALECT_GRAPH_IR_CONTROLFLOW_TD
