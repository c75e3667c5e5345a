// Sizes that are only known at run time, as expressions of input dims.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_DIALECT_GRAPH_IR_SIZEEXPR_H
#define ATC_DIALECT_GRAPH_IR_SIZEEXPR_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/OpDefinition.h"
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <tuple>

namespace mlir::atc::graph {

class SizeContext;
struct SizeAtom;
struct SizePolynomial;

/// The greatest size of an input's dim; a run refuses greater ones.
inline constexpr int64_t maxInputDim = std::numeric_limits<int32_t>::max();

/// What an atom is.
enum class SizeAtomKind {
  /// Dim `axis` of argument `argument` of the function.
  InputDim,
  FloorDiv,
  CeilDiv,
  Min,
  Max,
  Broadcast,
  /// Sum and product that do not fit the numbers of a polynomial.
  Sum,
  Product,
  /// An index value that no other kind describes.
  Value,
  /// Depends on data.
  Unknown,
};

/// A size: a constant, or a polynomial with integer coefficients over atoms.
/// An atom is a dim of an input, or an operation that no polynomial can say
/// (a quotient, the smaller of two, ...). Polynomials are canonical and stored
/// once per SizeContext, so that expressions which are equal by the laws of
/// sums, products and exact quotients are the same handle. Different handles
/// may still turn out equal at run time.
/// An operation nested in more than `maxDepth` others is not known.
class SizeExpr {
public:
  /// Bounds recursion; models that compute sizes have single digits.
  static constexpr unsigned maxDepth = 256;

  SizeExpr(int64_t constant = 0) : constant(constant) {}

  /// The number, if it is known.
  std::optional<int64_t> getConstant() const {
    return polynomial ? std::nullopt : std::optional(constant);
  }
  bool isConstant(int64_t number) const {
    return !polynomial && constant == number;
  }
  /// Null for constants.
  const SizePolynomial *getPolynomial() const { return polynomial; }

  /// Whether the expression follows from the dims of inputs: it holds no size
  /// that depends on data.
  bool isKnown() const;
  /// Whether it is at least 0 whatever the dims of the inputs are.
  bool isNonNegative() const;

  bool operator==(const SizeExpr &other) const {
    return polynomial == other.polynomial && constant == other.constant;
  }
  bool operator!=(const SizeExpr &other) const { return !(*this == other); }

  SizeExpr operator+(const SizeExpr &other) const;
  SizeExpr operator-(const SizeExpr &other) const;
  SizeExpr operator*(const SizeExpr &other) const;
  /// 1 for no factors.
  static SizeExpr product(ArrayRef<SizeExpr> factors);
  /// Rounding down and up; the divisor is positive wherever it counts.
  SizeExpr floorDiv(const SizeExpr &divisor) const;
  SizeExpr ceilDiv(const SizeExpr &divisor) const;
  SizeExpr min(const SizeExpr &other) const;
  SizeExpr max(const SizeExpr &other) const;
  /// The size that two dims broadcast to: one of them where the other is 1.
  SizeExpr broadcast(const SizeExpr &other) const;

  /// The exact quotient where every term divides, else nullopt.
  std::optional<SizeExpr> divideExactly(const SizeExpr &divisor) const;

private:
  friend class SizeContext;
  explicit SizeExpr(const SizePolynomial &polynomial)
      : polynomial(&polynomial) {}
  unsigned getDepth() const;
  /// The atom that the expression is, null for others.
  const SizeAtom *getSingleAtom() const;
  /// Whether no run gives it a value above `bound`.
  bool isAtMost(int64_t bound) const;
  /// Whether it is an operation of this kind and `other` is an operand.
  bool isAmong(SizeAtomKind kind, const SizeExpr &other) const;
  struct Offset;
  /// The expression without its number, and the number.
  Offset splitOffset() const;
  struct Split;
  Split splitBy(int64_t divisor) const;
  /// max(max(a, b) + c, other) without the a + c or b + c that is never above
  /// `other`.
  std::optional<SizeExpr> mergeMax(const SizeExpr &other) const;
  SizeExpr divide(SizeAtomKind kind, const SizeExpr &divisor) const;

  int64_t constant = 0;
  const SizePolynomial *polynomial = nullptr;
};

llvm::raw_ostream &operator<<(llvm::raw_ostream &os, SizeExpr size);

/// One factor of a polynomial's terms.
struct SizeAtom {
  SizeAtomKind kind;
  unsigned argument = 0, axis = 0;
  SizeExpr lhs, rhs;
  mlir::Value value;
};

/// coefficient * product of atoms, which ascend and may repeat.
struct SizeTerm {
  int64_t coefficient;
  SmallVector<unsigned, 2> atoms;

  bool operator<(const SizeTerm &other) const {
    return std::tie(atoms, coefficient) <
           std::tie(other.atoms, other.coefficient);
  }
};

/// Terms in the order of their atoms, no coefficient 0.
struct SizePolynomial {
  SizeContext *context;
  /// Counts from 1 in the order of creation.
  unsigned number;
  SmallVector<SizeTerm, 2> terms;
  /// What SizeExpr answers, kept because operands are shared: a walk over them
  /// may meet one exponentially often.
  bool isKnown, isNonNegative;
  /// The longest chain of operations in operations.
  unsigned depth;
};

/// Owns the expressions of one function. Input dims that the attribute
/// `graph.dims` gives one name are one atom.
class SizeContext {
public:
  explicit SizeContext(func::FuncOp function);
  ~SizeContext();

  /// The size of a dim of a function's argument.
  SizeExpr getDim(BlockArgument input, unsigned axis);
  /// What an index value is, seen through `graph.dim` of an argument and the
  /// arithmetic that SizeBuilder makes.
  SizeExpr fromValue(Value index);
  /// A size that depends on data; different from all others.
  SizeExpr createUnknown();
  /// The value of an expression of symbols.
  SizeExpr evaluate(AffineExpr expr, ArrayRef<SizeExpr> symbols);

  const SizeAtom &getAtom(unsigned number) const { return atoms[number]; }

private:
  friend class SizeExpr;
  /// The context of either, null for two constants.
  static SizeContext *of(SizeExpr lhs, SizeExpr rhs);
  SizeExpr intern(SmallVector<SizeTerm, 2> terms);
  SizePolynomial describe(SmallVector<SizeTerm, 2> terms);
  SizeExpr getAtom(SizeAtom atom);
  static SizeExpr combine(SizeAtomKind kind, SizeExpr lhs, SizeExpr rhs);
  SizeExpr fromArithmetic(Value index);

  func::FuncOp function;
  std::vector<SizeAtom> atoms;
  struct Tables;
  std::unique_ptr<Tables> tables;
};

/// Makes index values of expressions, each operation once. Values are made at
/// the builder's insertion point and used from there on.
class SizeBuilder {
public:
  /// `makeDim` gives the value of a dim of an argument of the function.
  SizeBuilder(OpBuilder &builder, Location loc,
              std::function<Value(unsigned argument, unsigned axis)> makeDim)
      : builder(builder), loc(loc), makeDim(std::move(makeDim)) {}

  /// Takes `value` for `size` from now on.
  void reuse(SizeExpr size, Value value);
  /// An index attribute for a constant. The expression is known.
  OpFoldResult build(SizeExpr size);
  /// The same as a value.
  Value buildValue(SizeExpr size);

private:
  Value buildAtom(const SizeContext &context, unsigned number);
  Value buildConstant(int64_t number);

  OpBuilder &builder;
  Location loc;
  std::function<Value(unsigned, unsigned)> makeDim;
  DenseMap<const SizePolynomial *, Value> values;
  DenseMap<unsigned, Value> atomValues;
  std::map<int64_t, Value> constants;
};

} // namespace mlir::atc::graph

#endif // ATC_DIALECT_GRAPH_IR_SIZEEXPR_H
