// Types and enumerations of the plan dialect.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_DIALECT_PLAN_IR_PLANTYPES_TD
#define ATC_DIALECT_PLAN_IR_PLANTYPES_TD

include "atc/Dialect/Plan/IR/PlanDialect.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinTypeInterfaces.td"
include "mlir/IR/EnumAttr.td"

//===----------------------------------------------------------------------===//
// Enumerations; the numbers are those of the plan format
//===----------------------------------------------------------------------===//

def Plan_Space : I32Enum<"Space", "where a buffer's bytes come from", [
    I32EnumCase<"Arena", 0, "arena">,
    I32EnumCase<"Weights", 1, "weights">,
    I32EnumCase<"Variable", 2, "variable">,
    I32EnumCase<"Input", 3, "input">,
    I32EnumCase<"Output", 4, "output">]> {
  let cppNamespace = "::mlir::atc::plan";
}

def Plan_Placement
    : I32Enum<"Placement", "when a buffer's size and place are known", [
    I32EnumCase<"Fixed", 0, "fixed">,
    I32EnumCase<"Shape", 1, "shape">,
    I32EnumCase<"Data", 2, "data">]> {
  let cppNamespace = "::mlir::atc::plan";
}

def Plan_Access : I32Enum<"Access", "how an instruction uses a view", [
    I32EnumCase<"Read", 1, "read">,
    I32EnumCase<"Write", 2, "write">,
    I32EnumCase<"Update", 3, "update">]> {
  let cppNamespace = "::mlir::atc::plan";
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

class Plan_Type<string name, string typeMnemonic, list<Trait> traits = []>
    : TypeDef<Plan_Dialect, name, traits> {
  let mnemonic = typeMnemonic;
}

def Plan_BufferType : Plan_Type<"Buffer", "buffer"> {
  let summary = "a range of bytes";
  let description = [{
    Bytes in one of five spaces. `weights` and `input` are read only.

    Example: `!plan.buffer<arena>`
  }];
  let parameters = (ins EnumParameter<Plan_Space>:$space);
  let assemblyFormat = "`<` $space `>`";
  let extraClassDeclaration = [{
    bool isReadOnly() const {
      return getSpace() == Space::Weights || getSpace() == Space::Input;
    }
  }];
}

/// A buffer in one space; the space follows from the op that makes it.
class Plan_BufferIn<string space> : Type<
    And<[Plan_BufferType.predicate,
         CPred<"::llvm::cast<::mlir::atc::plan::BufferType>($_self)"
               ".getSpace() == ::mlir::atc::plan::Space::" # space>]>,
    "buffer in space " # space, "::mlir::atc::plan::BufferType">,
    BuildableType<"$_builder.getType<::mlir::atc::plan::BufferType>("
                  "::mlir::atc::plan::Space::" # space # ")">;

def Plan_ViewType : Plan_Type<"View", "view", [
    DeclareTypeInterfaceMethods<ShapedTypeInterface,
                                ["cloneWith", "hasRank", "getShape"]>]> {
  let summary = "a tensor inside a buffer";
  let description = [{
    Element (i0, i1, ...) lies i0 * stride0 + i1 * stride1 + ... elements behind
    the view's offset. No strides written means dense and row-major. Sizes and
    strides are static or `?`. A view of a tiled layout names the layout in
    place of strides; its sizes are the logical ones and static.

    Examples:
    ```mlir
    !plan.view<1x3x224x224xf32>
    !plan.view<1x64x56x56xf32, [215296, 1, 3712, 64]>
    !plan.view<?x8xf16, [?, 1]>
    !plan.view<64x64xf32, #graph.layout<perm = [0, 1], tile = [[1, 16]]>>
    ```
  }];
  let parameters = (ins
    ArrayRefParameter<"int64_t", "sizes; kDynamic for ?">:$shape,
    "Type":$elementType,
    ArrayRefParameter<"int64_t", "in elements; empty: row-major">:$strides,
    "graph::LayoutAttr":$layout
  );
  let builders = [
    TypeBuilderWithInferredContext<(ins "ArrayRef<int64_t>":$shape, "Type":$elementType,
                     CArg<"ArrayRef<int64_t>", "{}">:$strides,
                     CArg<"graph::LayoutAttr", "{}">:$layout)>
  ];
  let skipDefaultBuilders = 1;
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The strides, also where they are implied. Not for tiled layouts.
    SmallVector<int64_t> getExplicitStrides() const;
    bool isTiled() const { return static_cast<bool>(getLayout()); }
    /// Bytes from the lowest to the highest element, or nullopt where sizes or
    /// strides are dynamic. `before` is how many of them lie in front of
    /// element zero (negative strides).
    struct Extent {
      int64_t before;
      int64_t bytes;
    };
    std::optional<Extent> getStaticExtent() const;
  }];
}

def Plan_DynType : Plan_Type<"Dyn", "dyn"> {
  let summary = "a tensor whose rank, sizes and type are known at run time";
  let description = [{
    Lives between host operators, control flow and outputs; kernels never see
    it.
  }];
}

def Plan_SeqType : Plan_Type<"Seq", "seq"> {
  let summary = "a sequence of tensors";
}

def Plan_OptType : Plan_Type<"Opt", "opt"> {
  let summary = "a value that may be absent";
}

def Plan_StrType : Plan_Type<"Str", "str"> {
  let summary = "a tensor of strings";
}

/// Scalars: registers of the runtime.
def Plan_Scalar : AnyTypeOf<[Index, I1], "index or i1">;

#endif // ATC_DIALECT_PLAN_IR_PLANTYPES_TD
