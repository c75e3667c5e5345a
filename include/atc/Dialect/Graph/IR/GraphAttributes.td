// Enumerations and attributes of the graph dialect.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_DIALECT_GRAPH_IR_GRAPHATTRIBUTES_TD
#define ATC_DIALECT_GRAPH_IR_GRAPHATTRIBUTES_TD

include "atc/Dialect/Graph/IR/GraphDialect.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/TensorEncoding.td"

//===----------------------------------------------------------------------===//
// Enumerations
//===----------------------------------------------------------------------===//

class Graph_Enum<string name, string summary, list<EnumCase> cases>
    : I32Enum<name, summary, cases> {
  let cppNamespace = "::mlir::atc::graph";
}

/// Printed as a bare keyword after a space, which op formats leave to it (``).
class Graph_EnumAttr<EnumInfo enum, string attrMnemonic>
    : EnumAttr<Graph_Dialect, enum, attrMnemonic>;

def Graph_ComparePredicate : Graph_Enum<
    "ComparePredicate", "an order relation", [
  I32EnumCase<"eq", 0>, I32EnumCase<"ne", 1>, I32EnumCase<"lt", 2>,
  I32EnumCase<"le", 3>, I32EnumCase<"gt", 4>, I32EnumCase<"ge", 5>]>;
def Graph_ComparePredicateAttr
    : Graph_EnumAttr<Graph_ComparePredicate, "predicate">;

def Graph_ReductionKind : Graph_Enum<"ReductionKind", "how values combine", [
  I32EnumCase<"sum", 0>, I32EnumCase<"mean", 1>, I32EnumCase<"product", 2>,
  I32EnumCase<"max", 3>, I32EnumCase<"min", 4>]>;
def Graph_ReductionKindAttr
    : Graph_EnumAttr<Graph_ReductionKind, "reduction_kind">;

def Graph_Extremum : Graph_Enum<"Extremum", "the largest or the smallest", [
  I32EnumCase<"max", 0>, I32EnumCase<"min", 1>]>;
def Graph_ExtremumAttr : Graph_EnumAttr<Graph_Extremum, "extremum">;

def Graph_PadMode : Graph_Enum<"PadMode", "what padding holds", [
  I32EnumCase<"constant", 0>, I32EnumCase<"reflect", 1>,
  I32EnumCase<"edge", 2>, I32EnumCase<"wrap", 3>]>;
def Graph_PadModeAttr : Graph_EnumAttr<Graph_PadMode, "pad_mode">;

def Graph_ResizeMode : Graph_Enum<"ResizeMode", "an interpolation", [
  I32EnumCase<"nearest", 0>, I32EnumCase<"linear", 1>,
  I32EnumCase<"cubic", 2>]>;
def Graph_ResizeModeAttr
    : Graph_EnumAttr<Graph_ResizeMode, "resize_mode">;

def Graph_CoordinateTransform : Graph_Enum<
    "CoordinateTransform", "from a result's coordinate to an input's", [
  I32EnumCase<"half_pixel", 0>, I32EnumCase<"half_pixel_symmetric", 1>,
  I32EnumCase<"pytorch_half_pixel", 2>, I32EnumCase<"align_corners", 3>,
  I32EnumCase<"asymmetric", 4>, I32EnumCase<"tf_crop_and_resize", 5>,
  I32EnumCase<"tf_half_pixel_for_nn", 6>]>;
def Graph_CoordinateTransformAttr
    : Graph_EnumAttr<Graph_CoordinateTransform, "coordinate_transform">;

def Graph_NearestRounding : Graph_Enum<
    "NearestRounding", "from a coordinate to the nearest element", [
  I32EnumCase<"round_prefer_floor", 0>, I32EnumCase<"round_prefer_ceil", 1>,
  I32EnumCase<"floor", 2>, I32EnumCase<"ceil", 3>,
  // Opset 10 and Upsample: truncation when shrinking, floor otherwise.
  I32EnumCase<"simple", 4>]>;
def Graph_NearestRoundingAttr
    : Graph_EnumAttr<Graph_NearestRounding, "nearest_rounding">;

def Graph_AspectPolicy : Graph_Enum<
    "AspectPolicy", "how requested sizes bind", [
  I32EnumCase<"stretch", 0>, I32EnumCase<"not_larger", 1>,
  I32EnumCase<"not_smaller", 2>]>;
def Graph_AspectPolicyAttr
    : Graph_EnumAttr<Graph_AspectPolicy, "aspect_policy">;

def Graph_ScatterReduction : Graph_Enum<
    "ScatterReduction", "how an update combines with what is there", [
  I32EnumCase<"none", 0>, I32EnumCase<"add", 1>, I32EnumCase<"mul", 2>,
  I32EnumCase<"max", 3>, I32EnumCase<"min", 4>]>;
def Graph_ScatterReductionAttr
    : Graph_EnumAttr<Graph_ScatterReduction, "scatter_reduction">;

def Graph_IteratorKind : Graph_Enum<
    "IteratorKind", "whether iterations of a loop are independent", [
  I32EnumCase<"parallel", 0>, I32EnumCase<"reduction", 1>]>;
def Graph_IteratorKindAttr
    : Graph_EnumAttr<Graph_IteratorKind, "iterator"> {
  let assemblyFormat = "`<` $value `>`";
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

class Graph_Attr<string name, string attrMnemonic, list<Trait> traits = []>
    : AttrDef<Graph_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
}

def Graph_LayoutAttr : Graph_Attr<"Layout", "layout", [
    DeclareAttrInterfaceMethods<VerifiableTensorEncoding>]> {
  let summary = "how a tensor lies in memory";
  let description = [{
    The encoding of a tensor type. The type keeps the logical shape; the
    attribute says how the buffer is arranged:

    1. `halo`: `[dim, low, high]` extends a logical dim by zeros on both sides;
    2. `tile`: `[dim, size]` splits a dim into ceil(n / size) outer parts and an
       inner part of `size`, padded with zeros; a dim may be tiled twice;
    3. `perm` orders the outer parts, slowest first; the inner parts follow in
       the order of `tile`.

    ```mlir
    // NHWC with a border of one around H and W.
    tensor<1x64x56x56xf32, #graph.layout<perm = [0, 2, 3, 1],
                                         halo = [[2, 1, 1], [3, 1, 1]]>>
    // NC1HWC0.
    tensor<1x64x56x56xf16, #graph.layout<perm = [0, 1, 2, 3],
                                         tile = [[1, 16]]>>
    ```

    Constraints: (C1) `perm` is a permutation of the tensor's dims; (C2) a tile
    names a dim and a positive size; (C3) a halo names a dim and non-negative
    sizes; (C4) no dim has both.
  }];
  let parameters = (ins
    AttrParameter<"::atc::PhysicalLayout", "the layout",
                  "const ::atc::PhysicalLayout &">:$physical);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The layout's rank.
    unsigned getRank() const { return getPhysical().permutation.size(); }
  }];
}

def Graph_ConfigAttr : Graph_Attr<"Config", "config"> {
  let summary = "how a target carries out a kernel";
  let description = [{
    Set by `select`, carried out by all later phases.

    - `template`: the target's code generator;
    - `tiles`: for each launch the number of independent tiles, as an
      expression of the kernel's dims;
    - `scratch`: bytes of memory per thread;
    - `workspace`: bytes of each buffer that carries data across launches;
    - `inplace`: pairs of result and operand that may share a buffer;
    - `params`: numbers and names that the template alone understands.

    ```mlir
    #graph.config<template = "gemm", tiles = [affine_map<() -> (42)>],
                  scratch = 4096, params = {mr = 6 : i64}>
    ```

    Constraints: (C1) every map of `tiles` has one result and no dims; (C2)
    bytes are not negative; (C3) `inplace` holds pairs.
  }];
  let parameters = (ins
    "::mlir::StringAttr":$templateName,
    ArrayRefParameter<"::mlir::AffineMap", "tiles of each launch">:$tiles,
    "int64_t":$scratch,
    ArrayRefParameter<"int64_t", "bytes of each workspace">:$workspace,
    ArrayRefParameter<"int64_t", "result and operand, in turn">:$inplace,
    "::mlir::DictionaryAttr":$params);
  let builders = [
    AttrBuilderWithInferredContext<(ins
        "::mlir::StringAttr":$templateName,
        "::llvm::ArrayRef<::mlir::AffineMap>":$tiles,
        CArg<"int64_t", "0">:$scratch,
        CArg<"::llvm::ArrayRef<int64_t>", "{}">:$workspace,
        CArg<"::llvm::ArrayRef<int64_t>", "{}">:$inplace,
        CArg<"::mlir::DictionaryAttr", "{}">:$params), [{
      ::mlir::MLIRContext *context = templateName.getContext();
      if (!params)
        params = ::mlir::DictionaryAttr::get(context);
      return $_get(context, templateName, tiles, scratch, workspace, inplace,
                   params);
    }]>];
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    unsigned getNumLaunches() const { return getTiles().size(); }
    /// A parameter of the template, or `missing` where it is not given.
    int64_t getParam(::llvm::StringRef name, int64_t missing = 0) const;
    /// The operand whose buffer `result` may take over.
    std::optional<unsigned> getInplaceOperand(unsigned result) const;
  }];
}

#endif // ATC_DIALECT_GRAPH_IR_GRAPHATTRIBUTES_TD
