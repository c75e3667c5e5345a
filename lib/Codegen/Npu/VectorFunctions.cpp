// Functions that the vector unit computes by several instructions.
// SPDX-License-Identifier: Apache-2.0
#include "VectorLowering.h"

using namespace mlir;
using namespace mlir::atc::npu;
namespace hw = ::atc::isa;

/// x P(x^2) / Q(x^2) for |x| up to `bound`, and its value at the bound beyond.
/// The coefficients are least-maximum fits of the relative error, so that small
/// results keep their precision; lowest terms come first.
struct VectorLowering::OddRational {
  double bound;
  ArrayRef<double> numerator, denominator;
};

/// By Horner's rule in one tile: dst = terms[0] + x (terms[1] + x (...)).
void VectorLowering::polynomial(const Place &dst, const Place &x,
                                ArrayRef<double> terms) {
  scalar(hw::ScalarFunction::Multiply, dst, x, terms.back());
  for (double term : llvm::reverse(terms.drop_back().drop_front())) {
    scalar(hw::ScalarFunction::Add, dst, dst, term);
    binary(hw::BinaryFunction::Multiply, dst, dst, x);
  }
  scalar(hw::ScalarFunction::Add, dst, dst, terms.front());
}

void VectorLowering::oddRational(const Place &dst, const Place &src,
                                 ArrayRef<Place> scratch,
                                 const OddRational &function) {
  const Place &x = scratch[0], &square = scratch[1], &numerator = scratch[2];
  scalar(hw::ScalarFunction::Minimum, x, src, function.bound);
  scalar(hw::ScalarFunction::Maximum, x, x, -function.bound);
  binary(hw::BinaryFunction::Multiply, square, x, x);
  polynomial(numerator, square, function.numerator);
  binary(hw::BinaryFunction::Multiply, numerator, numerator, x);
  polynomial(dst, square, function.denominator);
  binary(hw::BinaryFunction::Divide, dst, numerator, dst);
}

void VectorLowering::tanh(const Place &dst, const Place &src,
                          ArrayRef<Place> scratch) {
  // Relative error below 3e-7; 1 - tanh(8) is 2e-7.
  static constexpr double numerator[] = {
      0.999999994, 0.134445205, 0.00357162438, 2.18950814e-05, 1.52309695e-08};
  static constexpr double denominator[] = {1.0, 0.467778478, 0.0261645441,
                                           0.000341133451, 8.5226789e-07};
  oddRational(dst, src, scratch, {8.0, numerator, denominator});
}

void VectorLowering::erf(const Place &dst, const Place &src,
                         ArrayRef<Place> scratch) {
  // Relative error below 4e-7; 1 - erf(3.9) is 3.5e-8.
  static constexpr double numerator[] = {1.12837915,     0.189658126,
                                         0.0526667818,   0.00373793523,
                                         0.000285046797, 2.06645785e-06};
  static constexpr double denominator[] = {1.0,           0.501412922,
                                           0.113815228,   0.0149134544,
                                           0.00115726531, 3.82690587e-05};
  oddRational(dst, src, scratch, {3.9, numerator, denominator});
}

/// 1 / (1 + exp(-x)); the exponential overflows to infinity, whose reciprocal
/// is 0.
void VectorLowering::sigmoid(const Place &dst, const Place &src) {
  scalar(hw::ScalarFunction::Multiply, dst, src, -1);
  unary(hw::UnaryFunction::Exp, dst, dst);
  scalar(hw::ScalarFunction::Add, dst, dst, 1);
  unary(hw::UnaryFunction::Reciprocal, dst, dst);
}

/// x / 2 (1 + erf(x / sqrt(2))), or
/// x / 2 (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))).
void VectorLowering::gelu(const Place &dst, const Place &src,
                          ArrayRef<Place> scratch, bool usesTanh) {
  const Place &inner = scratch[0];
  if (usesTanh) {
    binary(hw::BinaryFunction::Multiply, inner, src, src);
    scalar(hw::ScalarFunction::Multiply, inner, inner, 0.044715);
    scalar(hw::ScalarFunction::Add, inner, inner, 1);
    binary(hw::BinaryFunction::Multiply, inner, inner, src);
    scalar(hw::ScalarFunction::Multiply, inner, inner, 0.79788456080286536);
    tanh(dst, inner, scratch);
  } else {
    scalar(hw::ScalarFunction::Multiply, inner, src, 0.70710678118654752);
    erf(dst, inner, scratch);
  }
  scalar(hw::ScalarFunction::Add, dst, dst, 1);
  // The result is 0 below -8, where the sum is rounding error alone.
  scalar(hw::ScalarFunction::Maximum, inner, src, -8);
  binary(hw::BinaryFunction::Multiply, dst, dst, inner);
  scalar(hw::ScalarFunction::Multiply, dst, dst, 0.5);
}
