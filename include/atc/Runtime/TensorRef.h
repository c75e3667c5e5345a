// Tensors in memory as the runtime hands them around, and their copies.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_RUNTIME_TENSORREF_H
#define ATC_RUNTIME_TENSORREF_H

#include "atc/Model/PlanFormat.h"
#include "atc/Support/ElementType.h"
#include "atc/Support/PhysicalLayout.h"

#include <array>
#include <cstdint>

namespace atc {

/// A tensor with all values known; owns nothing. Fixed arrays let it be filled
/// without allocation.
struct TensorRef {
  ElementType elementType = ElementType::F32;
  uint32_t rank = 0;
  std::array<int64_t, planformat::maxRank> sizes{};
  /// In elements; only without layout.
  std::array<int64_t, planformat::maxRank> strides{};
  /// Element 0, or with a layout the first physical element.
  uint8_t *data = nullptr;
  /// A tiled layout, or null for strides.
  const PhysicalLayout *layout = nullptr;

  /// The product of the sizes, which the runtime has checked for overflow.
  int64_t elementCount() const;
  /// True if the elements lie in row-major order without gaps.
  bool isDense() const;
  /// Sets the strides of row-major order.
  void setDenseStrides();
};

/// Copies all elements; shapes and element types are equal and the tensors do
/// not overlap. Types below a byte only between dense tensors; false otherwise.
bool copyTensor(const TensorRef &source, const TensorRef &destination);

/// Sets every element to the low bytes of `pattern`. Types below a byte only in
/// dense tensors, both halves by the low half of the byte; false otherwise.
bool fillTensor(const TensorRef &tensor, uint64_t pattern);

/// Zeroes what surrounds a strided tensor of whole bytes: the box extended by
/// `low` and `high` elements per dim, except the tensor itself.
void zeroHalo(const TensorRef &tensor, const int64_t *low, const int64_t *high);

} // namespace atc

#endif // ATC_RUNTIME_TENSORREF_H
