// The graph dialect itself, its string type, and what its op families share.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_DIALECT_GRAPH_IR_GRAPHDIALECT_TD
#define ATC_DIALECT_GRAPH_IR_GRAPHDIALECT_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/DialectBase.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Graph_Dialect : Dialect {
  let name = "graph";
  let cppNamespace = "::mlir::atc::graph";
  let summary = "What a model computes: tensors in, tensors out";
  let description = [{
    A small set of tensor operations with value semantics. Importers decompose
    the operators of a model format into them; from there on no pass knows
    which format the model came from.

    Conventions, which every op keeps:

    - Tensors are builtin tensor types of static rank. Unranked tensors are
      accepted where a rank is only known at run time; inference then yields
      unranked results.
    - Unsigned integers are `ui8`, `ui16`, ...; signed ones are signless `i8`,
      `i16`, ...; booleans are `i1`; strings are `!graph.string`.
    - A type's encoding is a `#graph.layout` or absent (row-major). Types that
      differ only in the encoding hold the same value.
    - Axes are never negative, attributes never rely on a default of the
      source format.
    - Elementwise ops broadcast as NumPy does: shapes are aligned at the right,
      a dim of 1 or an absent dim repeats.
    - A dim of 0 is legal everywhere.
    - In inference and verification, `?` agrees with every size.

    The constraints of an op are numbered C1, C2, ... in its description; the
    verifier's source and the tests name them by that number.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect",
    "::mlir::math::MathDialect",
  ];
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let hasOperationAttrVerify = 1;
  let extraClassDeclaration = [{
    /// Name of the argument and result attribute that holds the model's name
    /// of an input or output.
    static constexpr ::llvm::StringLiteral getNameAttrName() {
      return ::llvm::StringLiteral("graph.name");
    }
    /// Name of the argument attribute that names the dims of an input: an array
    /// of one string per dim, empty for dims without a name. Dims of one name
    /// have one size.
    static constexpr ::llvm::StringLiteral getDimsAttrName() {
      return ::llvm::StringLiteral("graph.dims");
    }
    /// Name of the attribute of an op inside a kernel that gives the sizes of
    /// its results: one map per result, of one symbol per dim of the kernel.
    static constexpr ::llvm::StringLiteral getSizesAttrName() {
      return ::llvm::StringLiteral("graph.sizes");
    }

  private:
    void registerAttributes();
    void registerTypes();
    // Each family adds its ops in its own translation unit.
    void registerElementwiseOps();
    void registerReductionOps();
    void registerMatMulOps();
    void registerConvolutionOps();
    void registerPoolingOps();
    void registerNormalizationOps();
    void registerAttentionOps();
    void registerMovementOps();
    void registerIndexingOps();
    void registerShapeOps();
    void registerCreationOps();
    void registerWeightOps();
    void registerQuantizationOps();
    void registerControlFlowOps();
    void registerStateOps();
    void registerKernelOps();

  public:
  }];
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

def Graph_StringType : TypeDef<Graph_Dialect, "String"> {
  let mnemonic = "string";
  let summary = "a sequence of bytes of any length";
}

def Graph_Integer : Type<
    CPred<"::mlir::atc::graph::isGraphInteger($_self)">,
    "integer of 2, 4, 8, 16, 32 or 64 bits, signless or unsigned">;
def Graph_Bool : Type<CPred<"$_self.isSignlessInteger(1)">, "boolean (i1)">;

/// Any element type of the dialect.
def Graph_Element : AnyTypeOf<
    [AnyFloat, Graph_Integer, Graph_Bool, AnyComplex, Graph_StringType]>;
def Graph_Number : AnyTypeOf<[AnyFloat, Graph_Integer]>;

def Graph_Tensor : TensorOf<[Graph_Element]>;
def Graph_NumberTensor : TensorOf<[Graph_Number]>;
def Graph_FloatTensor : TensorOf<[AnyFloat]>;
def Graph_IntegerTensor : TensorOf<[Graph_Integer]>;
def Graph_IntegerOrBoolTensor : TensorOf<[Graph_Integer, Graph_Bool]>;
def Graph_BoolTensor : TensorOf<[Graph_Bool]>;
/// Indices and counts.
def Graph_IndexTensor : TensorOf<[I32, I64]>;
/// Sizes: a 1-D tensor with one element per dim.
def Graph_ShapeTensor : TensorOf<[I64]>;

//===----------------------------------------------------------------------===//
// Attributes of ops
//===----------------------------------------------------------------------===//

def Graph_IntegerAttr : TypedSignlessIntegerAttrBase<
    I64, "int64_t", "64-bit integer attribute"> {
  let convertFromStorage = "$_self.getValue().getSExtValue()";
}
/// An axis or a count: not negative.
def Graph_AxisAttr : ConfinedAttr<Graph_IntegerAttr, [IntNonNegative]>;
def Graph_CountAttr : ConfinedAttr<Graph_IntegerAttr, [IntPositive]>;

def Graph_RealAttr : TypedAttrBase<
    F64, "FloatAttr",
    CPred<"::llvm::isa<::mlir::FloatAttr>($_self) && "
          "::llvm::cast<::mlir::FloatAttr>($_self).getType().isF64()">,
    "64-bit float attribute"> {
  let returnType = "double";
  let convertFromStorage = "$_self.getValueAsDouble()";
}

//===----------------------------------------------------------------------===//
// Op bases
//===----------------------------------------------------------------------===//

class Graph_Op<string mnemonic, list<Trait> traits = []>
    : Op<Graph_Dialect, mnemonic, traits>;

/// An op without effects whose result types follow from its operands and
/// attributes. Types are compatible when element types agree and shapes do not
/// contradict each other; encodings are not compared.
class Graph_PureOp<string mnemonic, list<Trait> traits = []>
    : Graph_Op<mnemonic, !listconcat(
          [Pure, InferTypeOpAdaptorWithIsCompatible], traits)> {
  code compatibleDefinition = [{
    bool $cppClass::isCompatibleReturnTypes(::mlir::TypeRange lhs,
                                            ::mlir::TypeRange rhs) {
      return ::mlir::atc::graph::areCompatibleTypes(lhs, rhs);
    }
  }];
  let extraClassDefinition = compatibleDefinition;
}

#endif // ATC_DIALECT_GRAPH_IR_GRAPHDIALECT_TD
