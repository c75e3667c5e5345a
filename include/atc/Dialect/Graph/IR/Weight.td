// Constants of a module: ranges of files, and constant functions over them.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_DIALECT_GRAPH_IR_WEIGHT_TD
#define ATC_DIALECT_GRAPH_IR_WEIGHT_TD

include "atc/Dialect/Graph/IR/GraphAttributes.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/RegionKindInterface.td"
include "mlir/IR/SymbolInterfaces.td"

def Graph_RankedTypeAttr : TypeAttrOf<AnyStaticShapeTensor>;

def Graph_WeightDataOp : Graph_Op<"weight_data", [Symbol]> {
  let summary = "a constant that lies in a byte source";
  let description = [{
    Names bytes [offset, offset + length) of entry `source` of the compilation's
    weight store: elements in row-major order, little-endian, a boolean in a
    byte, types below 8 bits packed. The data may be unaligned.

    Constraints: (C1) `length` is the size of the type in bytes; (C2) the type
    has no layout and its element type a fixed size.

    ```mlir
    graph.weight_data @w0 : tensor<64x3x7x7xf32> source 0 offset 128
        length 37632
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, Graph_RankedTypeAttr:$type,
                       Graph_AxisAttr:$source, Graph_AxisAttr:$offset,
                       Graph_AxisAttr:$length);
  let assemblyFormat = [{
    $sym_name `:` $type `source` $source `offset` $offset `length` $length
    attr-dict
  }];
  let hasVerifier = 1;
}

def Graph_RecipeOp : Graph_Op<"recipe", [
    Symbol, IsolatedFromAbove, SingleBlock]> {
  let summary = "a constant computed while compiling";
  let description = [{
    The value that the region yields. Its ops are free of effects and start from
    `constant`, and from `weight` of other symbols, without a cycle.

    Constraints: (C1) the region has no arguments and ends in a yield of one
    value of the recipe's type; (C2) it holds only ops of this dialect without
    effects.

    ```mlir
    graph.recipe @w1 : tensor<64x3x7x7xf16> {
      %w = graph.weight @w0 : tensor<64x3x7x7xf32>
      %h = graph.cast %w to f16
          : (tensor<64x3x7x7xf32>) -> tensor<64x3x7x7xf16>
      graph.yield %h : tensor<64x3x7x7xf16>
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, Graph_RankedTypeAttr:$type);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $sym_name `:` $type attr-dict-with-keyword $body
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

#endif // ATC_DIALECT_GRAPH_IR_WEIGHT_TD
