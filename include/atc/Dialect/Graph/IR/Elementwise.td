// Elementwise ops: each result element from one element of every operand.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_DIALECT_GRAPH_IR_ELEMENTWISE_TD
#define ATC_DIALECT_GRAPH_IR_ELEMENTWISE_TD

include "atc/Dialect/Graph/IR/GraphAttributes.td"
include "atc/Dialect/Graph/IR/GraphInterfaces.td"

/// `firstTyped` is the first of the operands that share an element type;
/// `resultElement` computes the result's element type from the adaptor.
class Graph_Elementwise<string mnemonic, int firstTyped = 0,
                        string resultElement = "">
    : Graph_PureOp<mnemonic, [
          DeclareOpInterfaceMethods<ScalarBodyInterface>,
          DeclareOpInterfaceMethods<TileMapInterface>]> {
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat =
      "operands attr-dict `:` functional-type(operands, results)";
  let hasFolder = 1;
  code elementwiseDefinition = !strconcat(compatibleDefinition, [{
    ::llvm::LogicalResult $cppClass::inferReturnTypes(
        ::mlir::MLIRContext *context, std::optional<::mlir::Location> location,
        Adaptor adaptor, ::llvm::SmallVectorImpl<::mlir::Type> &types) {
      return ::mlir::atc::graph::inferElementwiseTypes(
          getOperationName(), location, adaptor.getOperands(), }],
      !cast<string>(firstTyped), [{, }],
      !if(!empty(resultElement), "::mlir::Type()", resultElement), [{, types);
    }
    ::llvm::FailureOr<::mlir::AffineMap>
    $cppClass::getOperandMap(unsigned operand) {
      return ::mlir::atc::graph::getBroadcastMap(getOperation(), operand);
    }
    ::mlir::OpFoldResult $cppClass::fold(FoldAdaptor adaptor) {
      return ::mlir::atc::graph::foldElementwise(getOperation(),
                                                 adaptor.getOperands());
    }
  }]);
  let extraClassDefinition = elementwiseDefinition;
}

/// The scalar body as ops of arith and math, one per kind of element; `void`
/// where the kind is not allowed, "" where the body is written in C++.
class Graph_MappedBody<string floatOp, string signedOp = "void",
                       string unsignedOp = "void"> {
  code bodyDefinition = [{
    ::mlir::Value $cppClass::buildScalarBody(::mlir::OpBuilder &builder,
                                             ::mlir::Location loc,
                                             ::mlir::ValueRange args) {
      return ::mlir::atc::graph::buildMappedBody<}]
        # floatOp # ", " # signedOp # ", " # unsignedOp # [{>(
          getOperation(), builder, loc, args);
    }
  }];
}

class Graph_Unary<string mnemonic, TypeConstraint tensor,
                  string resultElement = "">
    : Graph_Elementwise<mnemonic, 0, resultElement> {
  let arguments = (ins tensor:$x);
}

/// A unary op of floats that math or arith has as it is.
class Graph_FloatUnary<string mnemonic, string floatOp>
    : Graph_Unary<mnemonic, Graph_FloatTensor>, Graph_MappedBody<floatOp> {
  let extraClassDefinition = elementwiseDefinition # bodyDefinition;
}

class Graph_Binary<string mnemonic, TypeConstraint tensor,
                   string resultElement = "">
    : Graph_Elementwise<mnemonic, 0, resultElement> {
  let arguments = (ins tensor:$lhs, tensor:$rhs);
}

class Graph_MappedBinary<string mnemonic, TypeConstraint tensor, string floatOp,
                         string signedOp, string unsignedOp>
    : Graph_Binary<mnemonic, tensor>,
      Graph_MappedBody<floatOp, signedOp, unsignedOp> {
  let extraClassDefinition = elementwiseDefinition # bodyDefinition;
}

//===----------------------------------------------------------------------===//
// Unary
//===----------------------------------------------------------------------===//

def Graph_AbsOp : Graph_Unary<"abs", Graph_NumberTensor> {
  let summary = "absolute value";
  let description = "|x|; the smallest signed integer is its own value.";
}
def Graph_NegOp : Graph_Unary<"neg", Graph_NumberTensor> {
  let summary = "negation";
  let description = "-x; integers wrap.";
}
def Graph_SignOp : Graph_Unary<"sign", Graph_NumberTensor> {
  let summary = "-1, 0 or 1 by the sign";
  let description = "sign(NaN) is NaN.";
}
def Graph_FloorOp : Graph_FloatUnary<"floor", "::mlir::math::FloorOp"> {
  let summary = "largest integer not above x";
}
def Graph_CeilOp : Graph_FloatUnary<"ceil", "::mlir::math::CeilOp"> {
  let summary = "smallest integer not below x";
}
def Graph_RoundOp : Graph_FloatUnary<"round", "::mlir::math::RoundEvenOp"> {
  let summary = "nearest integer, halves to the even one";
}
def Graph_ExpOp : Graph_FloatUnary<"exp", "::mlir::math::ExpOp"> {
  let summary = "e to the power of x";
}
def Graph_LogOp : Graph_FloatUnary<"log", "::mlir::math::LogOp"> {
  let summary = "natural logarithm";
}
def Graph_SqrtOp : Graph_FloatUnary<"sqrt", "::mlir::math::SqrtOp"> {
  let summary = "square root";
}
def Graph_RsqrtOp : Graph_FloatUnary<"rsqrt", "::mlir::math::RsqrtOp"> {
  let summary = "1 / sqrt(x)";
}
def Graph_ReciprocalOp : Graph_Unary<"reciprocal", Graph_FloatTensor> {
  let summary = "1 / x";
}
def Graph_SinOp : Graph_FloatUnary<"sin", "::mlir::math::SinOp"> {
  let summary = "sine of radians";
}
def Graph_CosOp : Graph_FloatUnary<"cos", "::mlir::math::CosOp"> {
  let summary = "cosine of radians";
}
def Graph_TanOp : Graph_FloatUnary<"tan", "::mlir::math::TanOp"> {
  let summary = "tangent of radians";
}
def Graph_AsinOp : Graph_FloatUnary<"asin", "::mlir::math::AsinOp"> {
  let summary = "arc sine in radians";
}
def Graph_AcosOp : Graph_FloatUnary<"acos", "::mlir::math::AcosOp"> {
  let summary = "arc cosine in radians";
}
def Graph_AtanOp : Graph_FloatUnary<"atan", "::mlir::math::AtanOp"> {
  let summary = "arc tangent in radians";
}
def Graph_SinhOp : Graph_FloatUnary<"sinh", "::mlir::math::SinhOp"> {
  let summary = "hyperbolic sine";
}
def Graph_CoshOp : Graph_FloatUnary<"cosh", "::mlir::math::CoshOp"> {
  let summary = "hyperbolic cosine";
}
def Graph_TanhOp : Graph_FloatUnary<"tanh", "::mlir::math::TanhOp"> {
  let summary = "hyperbolic tangent";
}
def Graph_AsinhOp : Graph_FloatUnary<"asinh", "::mlir::math::AsinhOp"> {
  let summary = "inverse hyperbolic sine";
}
def Graph_AcoshOp : Graph_FloatUnary<"acosh", "::mlir::math::AcoshOp"> {
  let summary = "inverse hyperbolic cosine";
}
def Graph_AtanhOp : Graph_FloatUnary<"atanh", "::mlir::math::AtanhOp"> {
  let summary = "inverse hyperbolic tangent";
}
def Graph_ErfOp : Graph_FloatUnary<"erf", "::mlir::math::ErfOp"> {
  let summary = "error function";
}
def Graph_SigmoidOp : Graph_Unary<"sigmoid", Graph_FloatTensor> {
  let summary = "1 / (1 + exp(-x))";
}
def Graph_SoftplusOp : Graph_Unary<"softplus", Graph_FloatTensor> {
  let summary = "log(1 + exp(x)), without overflow";
}
def Graph_SoftsignOp : Graph_Unary<"softsign", Graph_FloatTensor> {
  let summary = "x / (1 + |x|)";
}
def Graph_ReluOp : Graph_Unary<"relu", Graph_NumberTensor> {
  let summary = "max(x, 0); NaN stays NaN";
}
def Graph_HardSwishOp : Graph_Unary<"hard_swish", Graph_FloatTensor> {
  let summary = "x * max(0, min(1, x / 6 + 1 / 2))";
}
def Graph_MishOp : Graph_Unary<"mish", Graph_FloatTensor> {
  let summary = "x * tanh(softplus(x))";
}
def Graph_GeluOp : Graph_Unary<"gelu", Graph_FloatTensor> {
  let summary = "Gaussian error linear unit";
  let description = [{
    x / 2 * (1 + erf(x / sqrt 2)); with `approximate`
    x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 x^3))).
  }];
  let arguments = (ins Graph_FloatTensor:$x, UnitAttr:$approximate);
  let assemblyFormat = [{
    $x (`approximate` $approximate^)? attr-dict
    `:` functional-type(operands, results)
  }];
}
def Graph_EluOp : Graph_Unary<"elu", Graph_FloatTensor> {
  let summary = "x for x >= 0, alpha * (exp(x) - 1) below";
  let arguments = (ins Graph_FloatTensor:$x, Graph_RealAttr:$alpha);
  let assemblyFormat = [{
    $x `alpha` $alpha attr-dict `:` functional-type(operands, results)
  }];
}
def Graph_LeakyReluOp : Graph_Unary<"leaky_relu", Graph_FloatTensor> {
  let summary = "x for x >= 0, alpha * x below";
  let arguments = (ins Graph_FloatTensor:$x, Graph_RealAttr:$alpha);
  let assemblyFormat = [{
    $x `alpha` $alpha attr-dict `:` functional-type(operands, results)
  }];
}
def Graph_HardSigmoidOp : Graph_Unary<"hard_sigmoid", Graph_FloatTensor> {
  let summary = "max(0, min(1, alpha * x + beta))";
  let arguments = (ins Graph_FloatTensor:$x, Graph_RealAttr:$alpha,
                       Graph_RealAttr:$beta);
  let assemblyFormat = [{
    $x `alpha` $alpha `beta` $beta attr-dict
    `:` functional-type(operands, results)
  }];
}
def Graph_IsInfOp : Graph_Unary<"is_inf", Graph_FloatTensor,
                                "::mlir::IntegerType::get(context, 1)"> {
  let summary = "whether x is an infinity of a sign asked for";
  let arguments = (ins Graph_FloatTensor:$x, UnitAttr:$detect_negative,
                       UnitAttr:$detect_positive);
  let assemblyFormat = [{
    $x (`negative` $detect_negative^)? (`positive` $detect_positive^)? attr-dict
    `:` functional-type(operands, results)
  }];
}
def Graph_IsNanOp : Graph_Unary<"is_nan", Graph_FloatTensor,
                                "::mlir::IntegerType::get(context, 1)"> {
  let summary = "whether x is not a number";
}
def Graph_NotOp : Graph_Unary<"not", Graph_BoolTensor> {
  let summary = "logical negation";
}
def Graph_BitNotOp : Graph_Unary<"bit_not", Graph_IntegerTensor> {
  let summary = "all bits inverted";
}
def Graph_CastOp : Graph_Unary<"cast", Graph_Tensor, "adaptor.getTo()"> {
  let summary = "the value in another element type";
  let description = [{
    Float to integer truncates toward zero; a value outside the integer's range
    becomes the nearest bound, NaN becomes 0; integers of 4 bits keep the low
    bits of that number in 32. Integer to narrower integer keeps the low bits.
    Anything to boolean is `x != 0`. Float to narrower float
    rounds half to even; it saturates at its largest finite value with
    `saturate`, and is infinite or NaN without.

    Constraints: (C1) complex numbers only cast to complex numbers; (C2) `to` is
    an element type of the dialect.

    ```mlir
    %r = graph.cast %x to i32 : (tensor<4xf32>) -> tensor<4xi32>
    ```
  }];
  let arguments = (ins Graph_Tensor:$x, TypeAttr:$to, UnitAttr:$saturate);
  let assemblyFormat = [{
    $x `to` $to (`saturate` $saturate^)? attr-dict
    `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Binary
//===----------------------------------------------------------------------===//

def Graph_AddOp : Graph_MappedBinary<
    "add", Graph_NumberTensor, "::mlir::arith::AddFOp",
    "::mlir::arith::AddIOp", "::mlir::arith::AddIOp"> {
  let summary = "lhs + rhs; integers wrap";
}
def Graph_SubOp : Graph_MappedBinary<
    "sub", Graph_NumberTensor, "::mlir::arith::SubFOp",
    "::mlir::arith::SubIOp", "::mlir::arith::SubIOp"> {
  let summary = "lhs - rhs; integers wrap";
}
def Graph_MulOp : Graph_MappedBinary<
    "mul", Graph_NumberTensor, "::mlir::arith::MulFOp",
    "::mlir::arith::MulIOp", "::mlir::arith::MulIOp"> {
  let summary = "lhs * rhs; integers wrap";
}
def Graph_DivOp : Graph_Binary<"div", Graph_NumberTensor> {
  let summary = "lhs / rhs";
  let description = [{
    Integers truncate toward zero. Division of an integer by 0 yields 0; the
    smallest signed integer divided by -1 yields itself.
  }];
}
def Graph_ModOp : Graph_Binary<"mod", Graph_NumberTensor> {
  let summary = "remainder of lhs / rhs";
  let description = [{
    With the sign of `rhs`; with `fmod` that of `lhs`, as C's fmod. The
    remainder of an integer by 0 is 0.
  }];
  let arguments = (ins Graph_NumberTensor:$lhs, Graph_NumberTensor:$rhs,
                       UnitAttr:$fmod);
  let assemblyFormat = [{
    $lhs `,` $rhs (`fmod` $fmod^)? attr-dict
    `:` functional-type(operands, results)
  }];
}
def Graph_PowOp : Graph_Binary<"pow", Graph_NumberTensor> {
  let summary = "lhs to the power of rhs";
  let description = [{
    Integers wrap; a negative exponent yields the truncated quotient 1 / lhs^n
    (0 where lhs is 0).
  }];
}
def Graph_MaxOp : Graph_MappedBinary<
    "max", Graph_NumberTensor, "::mlir::arith::MaximumFOp",
    "::mlir::arith::MaxSIOp", "::mlir::arith::MaxUIOp"> {
  let summary = "the larger of two; NaN if one is NaN";
}
def Graph_MinOp : Graph_MappedBinary<
    "min", Graph_NumberTensor, "::mlir::arith::MinimumFOp",
    "::mlir::arith::MinSIOp", "::mlir::arith::MinUIOp"> {
  let summary = "the smaller of two; NaN if one is NaN";
}
def Graph_PreluOp : Graph_Binary<"prelu", Graph_NumberTensor> {
  let summary = "lhs for lhs >= 0, lhs * rhs below";
}
def Graph_AndOp : Graph_MappedBinary<
    "and", Graph_BoolTensor, "void", "::mlir::arith::AndIOp",
    "::mlir::arith::AndIOp"> {
  let summary = "logical conjunction";
}
def Graph_OrOp : Graph_MappedBinary<
    "or", Graph_BoolTensor, "void", "::mlir::arith::OrIOp",
    "::mlir::arith::OrIOp"> {
  let summary = "logical disjunction";
}
def Graph_XorOp : Graph_MappedBinary<
    "xor", Graph_BoolTensor, "void", "::mlir::arith::XOrIOp",
    "::mlir::arith::XOrIOp"> {
  let summary = "logical inequality";
}
def Graph_BitAndOp : Graph_MappedBinary<
    "bit_and", Graph_IntegerTensor, "void", "::mlir::arith::AndIOp",
    "::mlir::arith::AndIOp"> {
  let summary = "conjunction of bits";
}
def Graph_BitOrOp : Graph_MappedBinary<
    "bit_or", Graph_IntegerTensor, "void", "::mlir::arith::OrIOp",
    "::mlir::arith::OrIOp"> {
  let summary = "disjunction of bits";
}
def Graph_BitXorOp : Graph_MappedBinary<
    "bit_xor", Graph_IntegerTensor, "void", "::mlir::arith::XOrIOp",
    "::mlir::arith::XOrIOp"> {
  let summary = "inequality of bits";
}
def Graph_ShiftLeftOp : Graph_Binary<"shift_left", Graph_IntegerTensor> {
  let summary = "lhs * 2^rhs, bits pushed out are lost";
  let description = "A shift by the width or more yields 0.";
}
def Graph_ShiftRightOp : Graph_Binary<"shift_right", Graph_IntegerTensor> {
  let summary = "floor(lhs / 2^rhs)";
  let description = [{
    Logical for unsigned, arithmetic for signed integers. A shift by the width
    or more yields 0, or -1 for a negative `lhs`.
  }];
}
def Graph_CompareOp : Graph_Binary<"compare", Graph_Tensor,
                                   "::mlir::IntegerType::get(context, 1)"> {
  let summary = "whether a relation holds";
  let description = [{
    Comparison with NaN is false, except `ne`. Constraint (C1): booleans,
    strings and complex numbers have no order, so only `eq` and `ne`.

    ```mlir
    %r = graph.compare lt, %a, %b
        : (tensor<4xf32>, tensor<f32>) -> tensor<4xi1>
    ```
  }];
  let arguments = (ins Graph_ComparePredicateAttr:$predicate,
                       Graph_Tensor:$lhs, Graph_Tensor:$rhs);
  let assemblyFormat = [{
    `` $predicate `,` $lhs `,` $rhs attr-dict
    `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Ternary
//===----------------------------------------------------------------------===//

def Graph_SelectOp : Graph_Elementwise<
    "select", 1,
    "::mlir::getElementTypeOrSelf(adaptor.getOnTrue().getType())"> {
  let summary = "`on_true` where the condition holds, else `on_false`";
  let arguments = (ins Graph_BoolTensor:$condition, Graph_Tensor:$on_true,
                       Graph_Tensor:$on_false);
}

#endif // ATC_DIALECT_GRAPH_IR_ELEMENTWISE_TD
