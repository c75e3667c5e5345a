// Arithmetic on sizes that are only known at run time.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Dialect/Graph/IR/SizeExpr.h"

using namespace mlir;
using namespace mlir::atc::graph;

namespace {
using Terms = SmallVector<SizeTerm, 2>;

/// More terms than this are an atom of their own.
constexpr size_t termLimit = 32;

Terms termsOf(SizeExpr size) {
  if (const SizePolynomial *polynomial = size.getPolynomial())
    return polynomial->terms;
  Terms terms;
  if (int64_t number = *size.getConstant())
    terms.push_back({number, {}});
  return terms;
}

/// Orders terms and adds those of equal atoms; false on overflow.
bool normalize(Terms &terms) {
  llvm::sort(terms);
  Terms result;
  for (SizeTerm &term : terms) {
    if (result.empty() || result.back().atoms != term.atoms) {
      result.push_back(std::move(term));
      continue;
    }
    int64_t &sum = result.back().coefficient;
    if (llvm::AddOverflow(sum, term.coefficient, sum))
      return false;
  }
  llvm::erase_if(result,
                 [](const SizeTerm &term) { return term.coefficient == 0; });
  terms = std::move(result);
  return terms.size() <= termLimit;
}

/// lhs + factor * rhs, or nullopt where the numbers do not fit.
std::optional<Terms> addTerms(SizeExpr lhs, SizeExpr rhs, int64_t factor) {
  Terms terms = termsOf(lhs);
  for (SizeTerm &term : termsOf(rhs)) {
    if (llvm::MulOverflow(term.coefficient, factor, term.coefficient))
      return std::nullopt;
    terms.push_back(std::move(term));
  }
  return normalize(terms) ? std::optional(terms) : std::nullopt;
}

std::optional<Terms> multiplyTerms(SizeExpr lhs, SizeExpr rhs) {
  Terms terms;
  for (const SizeTerm &left : termsOf(lhs))
    for (const SizeTerm &right : termsOf(rhs)) {
      SizeTerm term;
      if (llvm::MulOverflow(left.coefficient, right.coefficient,
                            term.coefficient))
        return std::nullopt;
      term.atoms.resize(left.atoms.size() + right.atoms.size());
      std::merge(left.atoms.begin(), left.atoms.end(), right.atoms.begin(),
                 right.atoms.end(), term.atoms.begin());
      terms.push_back(std::move(term));
    }
  return normalize(terms) ? std::optional(terms) : std::nullopt;
}

/// term / divisor where it is exact.
std::optional<SizeTerm> divideTerm(const SizeTerm &term,
                                   const SizeTerm &divisor) {
  if (divisor.coefficient == 0 || term.coefficient % divisor.coefficient != 0)
    return std::nullopt;
  SizeTerm result{term.coefficient / divisor.coefficient, {}};
  if (!std::includes(term.atoms.begin(), term.atoms.end(),
                     divisor.atoms.begin(), divisor.atoms.end()))
    return std::nullopt;
  std::set_difference(term.atoms.begin(), term.atoms.end(),
                      divisor.atoms.begin(), divisor.atoms.end(),
                      std::back_inserter(result.atoms));
  return result;
}
} // namespace

//===----------------------------------------------------------------------===//
// SizeExpr
//===----------------------------------------------------------------------===//

bool SizeExpr::isKnown() const { return !polynomial || polynomial->isKnown; }

bool SizeExpr::isNonNegative() const {
  return polynomial ? polynomial->isNonNegative : constant >= 0;
}

unsigned SizeExpr::getDepth() const {
  return polynomial ? polynomial->depth : 0;
}

const SizeAtom *SizeExpr::getSingleAtom() const {
  if (!polynomial || polynomial->terms.size() != 1)
    return nullptr;
  const SizeTerm &term = polynomial->terms.front();
  return term.coefficient == 1 && term.atoms.size() == 1
             ? &polynomial->context->getAtom(term.atoms.front())
             : nullptr;
}

/// The number nearest to a result that does not fit. Sizes are far from it: the
/// planner bounds buffers.
static int64_t saturated(bool isNegative) {
  return isNegative ? std::numeric_limits<int64_t>::min()
                    : std::numeric_limits<int64_t>::max();
}

SizeExpr SizeExpr::operator+(const SizeExpr &other) const {
  int64_t sum;
  if (!polynomial && !other.polynomial)
    return llvm::AddOverflow(constant, other.constant, sum)
               ? saturated(constant < 0)
               : sum;
  if (std::optional<Terms> terms = addTerms(*this, other, 1))
    return SizeContext::of(*this, other)->intern(std::move(*terms));
  return SizeContext::combine(SizeAtomKind::Sum, *this, other);
}

SizeExpr SizeExpr::operator-(const SizeExpr &other) const {
  int64_t difference;
  if (!polynomial && !other.polynomial)
    return llvm::SubOverflow(constant, other.constant, difference)
               ? saturated(constant < 0)
               : difference;
  if (std::optional<Terms> terms = addTerms(*this, other, -1))
    return SizeContext::of(*this, other)->intern(std::move(*terms));
  return SizeContext::combine(SizeAtomKind::Sum, *this, other * SizeExpr(-1));
}

SizeExpr SizeExpr::operator*(const SizeExpr &other) const {
  int64_t product;
  if (!polynomial && !other.polynomial)
    return llvm::MulOverflow(constant, other.constant, product)
               ? saturated((constant < 0) != (other.constant < 0))
               : product;
  if (std::optional<Terms> terms = multiplyTerms(*this, other))
    return SizeContext::of(*this, other)->intern(std::move(*terms));
  return SizeContext::combine(SizeAtomKind::Product, *this, other);
}

SizeExpr SizeExpr::product(ArrayRef<SizeExpr> factors) {
  SizeExpr result = 1;
  for (SizeExpr factor : factors)
    result = result * factor;
  return result;
}

std::optional<SizeExpr> SizeExpr::divideExactly(const SizeExpr &divisor) const {
  Terms by = termsOf(divisor);
  if (divisor == *this && !isConstant(0))
    return SizeExpr(1);
  if (by.size() != 1)
    return std::nullopt;
  Terms quotient;
  for (const SizeTerm &term : termsOf(*this)) {
    std::optional<SizeTerm> part = divideTerm(term, by.front());
    if (!part)
      return std::nullopt;
    quotient.push_back(std::move(*part));
  }
  if (SizeContext *context = SizeContext::of(*this, divisor)) {
    normalize(quotient);
    return context->intern(std::move(quotient));
  }
  return quotient.empty() ? SizeExpr(0) : SizeExpr(quotient[0].coefficient);
}

/// Splits a size into the terms that a constant divides, divided, and the rest.
struct SizeExpr::Split {
  SizeExpr whole, rest;
};

SizeExpr::Split SizeExpr::splitBy(int64_t divisor) const {
  Terms whole, rest;
  for (SizeTerm &term : termsOf(*this)) {
    int64_t remainder = term.coefficient % divisor;
    // A number gives its multiple of the divisor, other terms all or nothing.
    if (term.atoms.empty() && remainder != 0) {
      remainder = llvm::mod(term.coefficient, divisor);
      rest.push_back({remainder, {}});
      term.coefficient -= remainder;
      remainder = 0;
    }
    if (remainder != 0) {
      rest.push_back(std::move(term));
      continue;
    }
    term.coefficient /= divisor;
    if (term.coefficient != 0)
      whole.push_back(std::move(term));
  }
  SizeContext *context = polynomial->context;
  return {context->intern(std::move(whole)), context->intern(std::move(rest))};
}

SizeExpr SizeExpr::divide(SizeAtomKind kind, const SizeExpr &divisor) const {
  bool up = kind == SizeAtomKind::CeilDiv;
  std::optional<int64_t> number = divisor.getConstant();
  if (!polynomial && number)
    return *number == 0 ? 0
           : up         ? llvm::divideCeilSigned(constant, *number)
                        : llvm::divideFloorSigned(constant, *number);
  if (isConstant(0))
    return 0;
  if (std::optional<SizeExpr> exact = divideExactly(divisor))
    return *exact;
  if (!number || *number <= 0)
    return SizeContext::combine(kind, *this, divisor);
  auto [whole, rest] = splitBy(*number);
  if (std::optional<int64_t> left = rest.getConstant())
    return whole + (up ? llvm::divideCeilSigned(*left, *number)
                       : llvm::divideFloorSigned(*left, *number));
  return whole + SizeContext::combine(kind, rest, divisor);
}

SizeExpr SizeExpr::floorDiv(const SizeExpr &divisor) const {
  return divide(SizeAtomKind::FloorDiv, divisor);
}

SizeExpr SizeExpr::ceilDiv(const SizeExpr &divisor) const {
  return divide(SizeAtomKind::CeilDiv, divisor);
}

/// Operands of commutative atoms in one order, so that they are one atom.
static std::pair<SizeExpr, SizeExpr> inOrder(SizeExpr lhs, SizeExpr rhs) {
  auto key = [](SizeExpr size) {
    const SizePolynomial *polynomial = size.getPolynomial();
    return polynomial ? polynomial->number : 0;
  };
  // Constants last.
  bool swaps =
      !lhs.getPolynomial() || (rhs.getPolynomial() && key(rhs) < key(lhs));
  return swaps ? std::pair(rhs, lhs) : std::pair(lhs, rhs);
}

struct SizeExpr::Offset {
  SizeExpr rest;
  int64_t offset;
};

SizeExpr::Offset SizeExpr::splitOffset() const {
  int64_t offset = 0;
  if (polynomial && polynomial->terms.front().atoms.empty())
    offset = polynomial->terms.front().coefficient;
  return {*this - offset, offset};
}

bool SizeExpr::isAtMost(int64_t bound) const {
  if (!polynomial)
    return constant <= bound;
  if (bound == std::numeric_limits<int64_t>::max())
    return true;
  auto [rest, offset] = splitOffset();
  const SizeAtom *atom = rest.getSingleAtom();
  int64_t largest;
  return atom && atom->kind == SizeAtomKind::InputDim &&
         !llvm::AddOverflow(maxInputDim, offset, largest) && largest <= bound;
}

bool SizeExpr::isAmong(SizeAtomKind kind, const SizeExpr &other) const {
  const SizeAtom *atom = getSingleAtom();
  return atom && atom->kind == kind &&
         (atom->lhs == other || atom->rhs == other);
}

SizeExpr SizeExpr::min(const SizeExpr &other) const {
  // "To the end" is written as a large number.
  if (std::optional<int64_t> bound = other.getConstant();
      bound && isAtMost(*bound))
    return *this;
  if (std::optional<int64_t> bound = getConstant();
      bound && other.isAtMost(*bound))
    return other;
  if ((other - *this).isNonNegative())
    return *this;
  if ((*this - other).isNonNegative())
    return other;
  // max(a, b) is never below a.
  if (isAmong(SizeAtomKind::Max, other))
    return other;
  if (other.isAmong(SizeAtomKind::Max, *this))
    return *this;
  auto [lhs, rhs] = inOrder(*this, other);
  return SizeContext::combine(SizeAtomKind::Min, lhs, rhs);
}

std::optional<SizeExpr> SizeExpr::mergeMax(const SizeExpr &other) const {
  auto [rest, offset] = splitOffset();
  const SizeAtom *atom = rest.getSingleAtom();
  if (!atom || atom->kind != SizeAtomKind::Max)
    return std::nullopt;
  // New expressions may move the atom.
  auto [first, second] = std::pair(atom->lhs, atom->rhs);
  SizeExpr lhs = first + offset, rhs = second + offset;
  if ((other - rhs).isNonNegative())
    return lhs.max(other);
  if ((other - lhs).isNonNegative())
    return rhs.max(other);
  return std::nullopt;
}

SizeExpr SizeExpr::max(const SizeExpr &other) const {
  if ((other - *this).isNonNegative())
    return other;
  if ((*this - other).isNonNegative())
    return *this;
  if (std::optional<int64_t> bound = other.getConstant();
      bound && isAtMost(*bound))
    return other;
  if (isAmong(SizeAtomKind::Min, other))
    return other;
  if (other.isAmong(SizeAtomKind::Min, *this))
    return *this;
  if (std::optional<SizeExpr> merged = mergeMax(other))
    return *merged;
  auto [lhs, rhs] = inOrder(*this, other);
  return SizeContext::combine(SizeAtomKind::Max, lhs, rhs);
}

SizeExpr SizeExpr::broadcast(const SizeExpr &other) const {
  if (*this == other || other.isConstant(1))
    return *this;
  if (isConstant(1))
    return other;
  // Where they match at all, a size and the smaller of it and another give it.
  if (other.isAmong(SizeAtomKind::Min, *this))
    return *this;
  if (isAmong(SizeAtomKind::Min, other))
    return other;
  // A number above 1 is what the other must be, or yields to; 0 as well.
  if (!polynomial || !other.polynomial)
    return polynomial ? other : *this;
  auto [lhs, rhs] = inOrder(*this, other);
  return SizeContext::combine(SizeAtomKind::Broadcast, lhs, rhs);
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

static void printAtom(llvm::raw_ostream &os, const SizeAtom &atom) {
  auto call = [&](StringRef name) {
    os << name << '(' << atom.lhs << ", " << atom.rhs << ')';
  };
  switch (atom.kind) {
  case SizeAtomKind::InputDim:
    os << "dim(" << atom.argument << ", " << atom.axis << ')';
    return;
  case SizeAtomKind::FloorDiv:
    return call("floordiv");
  case SizeAtomKind::CeilDiv:
    return call("ceildiv");
  case SizeAtomKind::Min:
    return call("min");
  case SizeAtomKind::Max:
    return call("max");
  case SizeAtomKind::Broadcast:
    return call("broadcast");
  case SizeAtomKind::Sum:
    return call("add");
  case SizeAtomKind::Product:
    return call("mul");
  case SizeAtomKind::Value:
    os << "value";
    return;
  case SizeAtomKind::Unknown:
    os << '?';
    return;
  }
}

llvm::raw_ostream &mlir::atc::graph::operator<<(llvm::raw_ostream &os,
                                                SizeExpr size) {
  if (std::optional<int64_t> number = size.getConstant())
    return os << *number;
  const SizePolynomial *polynomial = size.getPolynomial();
  llvm::interleave(
      polynomial->terms, os,
      [&](const SizeTerm &term) {
        if (term.coefficient != 1 || term.atoms.empty())
          os << term.coefficient << (term.atoms.empty() ? "" : " * ");
        llvm::interleave(
            term.atoms, os,
            [&](unsigned number) {
              printAtom(os, polynomial->context->getAtom(number));
            },
            " * ");
      },
      " + ");
  return os;
}
