// Interfaces that ops of the graph dialect offer to passes and code generators.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_DIALECT_GRAPH_IR_GRAPHINTERFACES_TD
#define ATC_DIALECT_GRAPH_IR_GRAPHINTERFACES_TD

include "mlir/IR/OpBase.td"

def ScalarBodyInterface : OpInterface<"ScalarBodyInterface"> {
  let cppNamespace = "::mlir::atc::graph";
  let description = [{
    An op that computes each element of its result from one element of each
    operand, whatever the index.
  }];
  let methods = [
    InterfaceMethod<[{
      Builds the computation of one element, or of a vector of elements, with
      ops of arith and math.

      `args` are scalars or vectors, one per operand of the op. Integers are
      signless; the op itself is asked whether they are signed. A float may be
      wider than the op's element type (values are kept in accumulation
      precision); the body computes in the type of its arguments and yields
      that type, except for `cast`, which yields its target type, and for
      predicates, which yield i1.

      Returns null, with nothing built, when the element type has no scalar
      form (strings, complex numbers).
    }], "::mlir::Value", "buildScalarBody",
    (ins "::mlir::OpBuilder &":$builder, "::mlir::Location":$loc,
         "::mlir::ValueRange":$args)>
  ];
}

def ReductionInterface : OpInterface<"ReductionInterface"> {
  let cppNamespace = "::mlir::atc::graph";
  let description = [{
    An op that combines the elements of its first operand along some dims with
    an associative operator.
  }];
  let methods = [
    InterfaceMethod<"How values combine.",
      "::mlir::atc::graph::ReductionKind", "getReductionKind">,
    InterfaceMethod<"The dims of the first operand that disappear or become 1.",
      "::llvm::ArrayRef<int64_t>", "getReductionAxes">,
    InterfaceMethod<"Whether reduced dims stay with size 1.",
      "bool", "getReductionKeepsDims">,
    InterfaceMethod<[{
      The value that leaves every other unchanged, in `type`, a scalar or
      vector type of the accumulator.
    }], "::mlir::Value", "buildReductionIdentity",
    (ins "::mlir::OpBuilder &":$builder, "::mlir::Location":$loc,
         "::mlir::Type":$type)>,
    InterfaceMethod<"Combines an accumulator with a value of the same type.",
      "::mlir::Value", "buildReductionCombiner",
    (ins "::mlir::OpBuilder &":$builder, "::mlir::Location":$loc,
         "::mlir::Value":$accumulator, "::mlir::Value":$value)>,
    InterfaceMethod<[{
      Turns the accumulator over `count` elements (an index) into the result;
      only a mean differs from the accumulator.
    }], "::mlir::Value", "buildReductionFinalizer",
    (ins "::mlir::OpBuilder &":$builder, "::mlir::Location":$loc,
         "::mlir::Value":$accumulator, "::mlir::Value":$count)>
  ];
}

def TileMapInterface : OpInterface<"TileMapInterface"> {
  let cppNamespace = "::mlir::atc::graph";
  let description = [{
    An op whose every result element needs at most one element of an operand,
    at an index that is an affine function of the result's index. Such an op can
    be computed tile by tile inside the loops of a neighbour.
  }];
  let methods = [
    InterfaceMethod<[{
      The map from an index of the result to the index that `operand` is read
      at: rank(result) dims, no symbols, rank(operand) results. A broadcast dim
      is the constant 0, or the plain dim where a `?` leaves it to run time
      whether it broadcasts (the reader's stride is then 0 or not). Fails when
      the operand's index depends on data, or when the operand is not read by
      index (a shape operand).
    }], "::llvm::FailureOr<::mlir::AffineMap>", "getOperandMap",
    (ins "unsigned":$operand)>,
    InterfaceMethod<[{
      Whether the map may leave the operand's bounds; the result then does not
      depend on this operand at that index (concat, pad).
    }], "bool", "isOperandGuarded", (ins "unsigned":$operand), "", [{
      return false;
    }]>
  ];
}

def TypeRefinementInterface : OpInterface<"TypeRefinementInterface"> {
  let cppNamespace = "::mlir::atc::graph";
  let description = [{
    An op whose result types are given, not inferred, but can be made more
    precise from its operands.
  }];
  let methods = [
    InterfaceMethod<[{
      Fills `types` with result types at least as precise as the present ones.
    }], "void", "refineResultTypes",
    (ins "::llvm::SmallVectorImpl<::mlir::Type> &":$types)>
  ];
}

#endif // ATC_DIALECT_GRAPH_IR_GRAPHINTERFACES_TD
