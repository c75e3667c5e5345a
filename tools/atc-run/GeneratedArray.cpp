// Constants and seeded noise.
// SPDX-License-Identifier: Apache-2.0
#include "GeneratedArray.h"

#include "atc/Runtime/HostOps.h"

#include <algorithm>
#include <cstring>

namespace atc::run {

namespace {

/// SplitMix64: a counter, mixed. Small, and the same everywhere.
class Noise {
public:
  explicit Noise(uint64_t seed) : state(seed) {}
  uint64_t next() {
    uint64_t value = state += 0x9e3779b97f4a7c15;
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9;
    value = (value ^ (value >> 27)) * 0x94d049bb133111eb;
    return value ^ (value >> 31);
  }
  /// In [0, 1), with all 53 bits of a double.
  double real() { return static_cast<double>(next() >> 11) * 0x1p-53; }

private:
  uint64_t state;
};

bool isReal(ElementType type) {
  switch (type) {
  case ElementType::F32:
  case ElementType::F16:
  case ElementType::BF16:
  case ElementType::F64:
    return true;
  default:
    return false;
  }
}

/// Converts doubles by the host operator that the runtime uses.
Status convert(const std::vector<double> &values, HostArray &array) {
  TensorRef tensors[2];
  for (TensorRef &tensor : tensors) {
    tensor.rank = 1;
    tensor.sizes[0] = values.size();
    tensor.strides[0] = 1;
  }
  tensors[0].elementType = ElementType::F64;
  tensors[0].data =
      reinterpret_cast<uint8_t *>(const_cast<double *>(values.data()));
  tensors[1].elementType = array.elementType;
  tensors[1].data = array.bytes.data();
  HostCall call;
  call.tensors = tensors;
  call.tensorCount = 2;
  return findHostOp("cast")->function(call);
}

template <typename Generator>
Expected<HostArray> generate(ElementType type,
                             const std::vector<int64_t> &shape,
                             Generator &&next) {
  HostArray array{type, shape, {}};
  Expected<uint64_t> bytes = arrayBytes(type, shape);
  if (!bytes)
    return bytes.getDiagnostic();
  array.bytes.resize(*bytes);
  if (type > ElementType::BOOL) {
    // Types without arithmetic here: complex numbers get both parts, packed and
    // 8-bit types get bits.
    if (type == ElementType::C64 || type == ElementType::C128) {
      HostArray parts{type == ElementType::C64 ? ElementType::F32
                                               : ElementType::F64,
                      shape,
                      {}};
      parts.shape.push_back(2);
      Expected<HostArray> made = generate(parts.elementType, parts.shape, next);
      if (!made)
        return made;
      array.bytes = std::move(made->bytes);
      return array;
    }
    return Status::error(ErrorCode::InvalidInput,
                         "data of type " +
                             std::string(elementTypeInfo(type).text) +
                             " cannot be made up; give a file");
  }
  unsigned width = elementTypeInfo(type).bits / 8;
  std::vector<double> values;
  // In pieces, so that large inputs do not need eight bytes an element.
  static constexpr uint64_t piece = 1 << 16;
  for (uint64_t at = 0; at < *bytes / width; at += piece) {
    values.resize(std::min(piece, *bytes / width - at));
    std::generate(values.begin(), values.end(), next);
    HostArray part{type, {}, std::vector<uint8_t>(values.size() * width)};
    if (Status status = convert(values, part); !status)
      return status;
    std::memcpy(&array.bytes[at * width], part.bytes.data(), part.bytes.size());
  }
  return array;
}

} // namespace

Expected<HostArray> makeFilledArray(ElementType type,
                                    const std::vector<int64_t> &shape,
                                    double value) {
  return generate(type, shape, [value] { return value; });
}

Expected<HostArray> makeRandomArray(ElementType type,
                                    const std::vector<int64_t> &shape,
                                    uint64_t seed) {
  Noise noise(seed);
  bool isComplex = type == ElementType::C64 || type == ElementType::C128;
  if (isReal(type) || isComplex)
    return generate(type, shape, [&noise] { return 2 * noise.real() - 1; });
  uint64_t choices = type == ElementType::BOOL ? 2 : 10;
  return generate(type, shape, [&noise, choices] {
    return static_cast<double>(noise.next() % choices);
  });
}

} // namespace atc::run
