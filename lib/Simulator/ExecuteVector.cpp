// The vector unit: arithmetic in the element's type, rounded per instruction.
// SPDX-License-Identifier: Apache-2.0
#include "Execute.h"
#include "atc/Support/Float16.h"

#include "atc/Isa/Region.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#endif

namespace atc::sim {

using namespace isa;

namespace {

constexpr int64_t blockBytes = 32;
constexpr int64_t maxLanes = 128;

//===----------------------------------------------------------------------===//
// Lanes
//===----------------------------------------------------------------------===//

/// One operand's place in UB.
struct Lanes {
  int64_t address;
  int64_t blockStride, repeatStride;
  DataType type;

  /// Calls body(block address, first lane, lanes) for each touched block.
  template <typename Body>
  void forEachBlock(int64_t repeat, int64_t lanes, Body body) const {
    int64_t perBlock = blockBytes / byteSize(type);
    for (int64_t first = 0; first < lanes; first += perBlock)
      body(address + (repeat * repeatStride + first / perBlock * blockStride) *
                         blockBytes,
           first, std::min(perBlock, lanes - first));
  }
};

template <typename T>
T load(const uint8_t *data) {
  T value;
  std::memcpy(&value, data, sizeof(T));
  return value;
}
template <typename T>
void store(uint8_t *data, T value) {
  std::memcpy(data, &value, sizeof(T));
}

float floatElement(const uint8_t *data, DataType type) {
  switch (type) {
  case DataType::F16:
    return halfToFloat(load<uint16_t>(data));
  case DataType::BF16:
    return bfloatToFloat(load<uint16_t>(data));
  default:
    return load<float>(data);
  }
}

void storeFloat(uint8_t *data, DataType type, float value) {
  switch (type) {
  case DataType::F16:
    return store(data, floatToHalf(value));
  case DataType::BF16:
    return store(data, floatToBfloat(value));
  default:
    return store(data, value);
  }
}

int64_t integerElement(const uint8_t *data, DataType type) {
  switch (type) {
  case DataType::S8:
    return load<int8_t>(data);
  case DataType::U8:
    return load<uint8_t>(data);
  case DataType::S16:
    return load<int16_t>(data);
  case DataType::U16:
  case DataType::F16:
  case DataType::BF16:
    return load<uint16_t>(data);
  case DataType::U32:
    return load<uint32_t>(data);
  default:
    return load<int32_t>(data);
  }
}

/// Keeps the low bits.
void storeInteger(uint8_t *data, DataType type, int64_t value) {
  switch (byteSize(type)) {
  case 1:
    return store(data, static_cast<uint8_t>(value));
  case 2:
    return store(data, static_cast<uint16_t>(value));
  default:
    return store(data, static_cast<uint32_t>(value));
  }
}

bool isFloat(DataType type) {
  return type == DataType::F16 || type == DataType::BF16 ||
         type == DataType::F32;
}

/// The lanes of one repeat, wide enough for every element type.
struct FloatLanes {
  using Value = float;
  float values[maxLanes];
  static float load(const uint8_t *data, DataType type) {
    return floatElement(data, type);
  }
  static void store(uint8_t *data, DataType type, float value) {
    storeFloat(data, type, value);
  }
};
struct IntegerLanes {
  using Value = int64_t;
  int64_t values[maxLanes];
  static int64_t load(const uint8_t *data, DataType type) {
    return integerElement(data, type);
  }
  static void store(uint8_t *data, DataType type, int64_t value) {
    storeInteger(data, type, value);
  }
};

template <typename Values>
void loadLanes(CoreMemory &memory, const Lanes &operand, int64_t repeat,
               int64_t lanes, Values &out) {
  int64_t size = byteSize(operand.type);
  operand.forEachBlock(
      repeat, lanes, [&](int64_t address, int64_t first, int64_t count) {
        const uint8_t *data = memory.read(Space::UB, address, count * size);
        for (int64_t i = 0; i < count; ++i)
          out.values[first + i] = Values::load(data + i * size, operand.type);
      });
}

template <typename Values>
void storeLanes(CoreMemory &memory, const Lanes &operand, int64_t repeat,
                int64_t lanes, const Values &in) {
  int64_t size = byteSize(operand.type);
  operand.forEachBlock(
      repeat, lanes, [&](int64_t address, int64_t first, int64_t count) {
        uint8_t *data = memory.write(Space::UB, address, count * size);
        for (int64_t i = 0; i < count; ++i)
          Values::store(data + i * size, operand.type, in.values[first + i]);
      });
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

/// Not a number is contagious, as in IEEE 754 maximum and minimum.
float maximum(float a, float b) {
  return std::isnan(a) || std::isnan(b) ? a + b : std::fmax(a, b);
}
float minimum(float a, float b) {
  return std::isnan(a) || std::isnan(b) ? a + b : std::fmin(a, b);
}

float apply(BinaryFunction function, float a, float b) {
  switch (function) {
  case BinaryFunction::Add:
    return a + b;
  case BinaryFunction::Subtract:
    return a - b;
  case BinaryFunction::Multiply:
    return a * b;
  case BinaryFunction::Divide:
    return a / b;
  case BinaryFunction::Maximum:
    return maximum(a, b);
  case BinaryFunction::Minimum:
    return minimum(a, b);
  case BinaryFunction::And:
  case BinaryFunction::Or:
    break;
  }
  return 0;
}

int64_t apply(BinaryFunction function, int64_t a, int64_t b) {
  switch (function) {
  case BinaryFunction::Add:
    return a + b;
  case BinaryFunction::Subtract:
    return a - b;
  case BinaryFunction::Multiply:
    return a * b;
  case BinaryFunction::Maximum:
    return std::max(a, b);
  case BinaryFunction::Minimum:
    return std::min(a, b);
  case BinaryFunction::And:
    return a & b;
  case BinaryFunction::Or:
    return a | b;
  case BinaryFunction::Divide:
    break;
  }
  return 0;
}

float apply(UnaryFunction function, float value) {
  switch (function) {
  case UnaryFunction::Abs:
    return std::fabs(value);
  case UnaryFunction::Exp:
    return std::exp(value);
  case UnaryFunction::Ln:
    return std::log(value);
  case UnaryFunction::Sqrt:
    return std::sqrt(value);
  case UnaryFunction::Rsqrt:
    return 1 / std::sqrt(value);
  case UnaryFunction::Reciprocal:
    return 1 / value;
  case UnaryFunction::Relu:
    return value < 0 ? 0 : value;
  case UnaryFunction::Copy:
  case UnaryFunction::Not:
    break;
  }
  return value;
}

int64_t apply(UnaryFunction function, int64_t value) {
  if (function == UnaryFunction::Not)
    return ~value;
  if (function == UnaryFunction::Relu)
    return std::max<int64_t>(value, 0);
  return value;
}

float apply(ScalarFunction function, float value, float scalar, float old) {
  switch (function) {
  case ScalarFunction::Add:
    return value + scalar;
  case ScalarFunction::Multiply:
    return value * scalar;
  case ScalarFunction::Maximum:
    return maximum(value, scalar);
  case ScalarFunction::Minimum:
    return minimum(value, scalar);
  case ScalarFunction::LeakyRelu:
    return value < 0 ? value * scalar : value;
  case ScalarFunction::Axpy:
    return std::fma(scalar, value, old);
  case ScalarFunction::ShiftLeft:
  case ScalarFunction::ShiftRight:
    break;
  }
  return value;
}

int64_t apply(ScalarFunction function, int64_t value, int64_t scalar, int64_t) {
  switch (function) {
  case ScalarFunction::Add:
    return value + scalar;
  case ScalarFunction::Multiply:
    return value * scalar;
  case ScalarFunction::Maximum:
    return std::max(value, scalar);
  case ScalarFunction::Minimum:
    return std::min(value, scalar);
  case ScalarFunction::ShiftLeft:
    return static_cast<int64_t>(static_cast<uint64_t>(value) << (scalar & 31));
  case ScalarFunction::ShiftRight:
    return value >> (scalar & 31);
  case ScalarFunction::LeakyRelu:
  case ScalarFunction::Axpy:
    break;
  }
  return value;
}

double roundTo(double value, Rounding rounding) {
  switch (rounding) {
  case Rounding::Nearest:
    return std::nearbyint(value);
  case Rounding::Floor:
    return std::floor(value);
  case Rounding::Ceil:
    return std::ceil(value);
  case Rounding::Away:
    return std::round(value);
  case Rounding::Truncate:
    return std::trunc(value);
  }
  return value;
}

/// Saturates; not a number becomes zero.
int64_t toInteger(float value, DataType type, Rounding rounding) {
  if (std::isnan(value))
    return 0;
  bool isSigned = type != DataType::U8;
  double low = isSigned ? -std::ldexp(1.0, byteSize(type) * 8 - 1) : 0;
  double high = std::ldexp(1.0, byteSize(type) * 8 - isSigned) - 1;
  return static_cast<int64_t>(std::clamp(roundTo(value, rounding), low, high));
}

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

template <typename Values>
void unary(const ResolvedVectorUnary &f, CoreMemory &memory) {
  Lanes src{f.src, f.src_block, f.src_repeat, f.type};
  Lanes dst{f.dst, f.dst_block, f.dst_repeat, f.type};
  Values values;
  for (int64_t repeat = 0; repeat < f.repeats; ++repeat) {
    loadLanes(memory, src, repeat, f.lanes, values);
    for (int64_t i = 0; i < f.lanes; ++i)
      values.values[i] = apply(f.function, values.values[i]);
    storeLanes(memory, dst, repeat, f.lanes, values);
  }
}

template <typename Values>
void binary(const ResolvedVectorBinary &f, CoreMemory &memory) {
  Lanes src0{f.src0, f.src0_block, f.src0_repeat, f.type};
  Lanes src1{f.src1, f.src1_block, f.src1_repeat, f.type};
  Lanes dst{f.dst, f.dst_block, f.dst_repeat, f.type};
  Values a, b;
  for (int64_t repeat = 0; repeat < f.repeats; ++repeat) {
    loadLanes(memory, src0, repeat, f.lanes, a);
    loadLanes(memory, src1, repeat, f.lanes, b);
    for (int64_t i = 0; i < f.lanes; ++i)
      a.values[i] = apply(f.function, a.values[i], b.values[i]);
    storeLanes(memory, dst, repeat, f.lanes, a);
  }
}

template <typename Values>
void scalar(const ResolvedVectorScalar &f, CoreMemory &memory) {
  Lanes src{f.src, f.src_block, f.src_repeat, f.type};
  Lanes dst{f.dst, f.dst_block, f.dst_repeat, f.type};
  uint8_t bytes[8];
  store(bytes, static_cast<uint64_t>(f.scalar));
  typename Values::Value factor = Values::load(bytes, f.type);
  Values a, old{};
  for (int64_t repeat = 0; repeat < f.repeats; ++repeat) {
    loadLanes(memory, src, repeat, f.lanes, a);
    if (f.function == ScalarFunction::Axpy)
      loadLanes(memory, dst, repeat, f.lanes, old);
    for (int64_t i = 0; i < f.lanes; ++i)
      a.values[i] = apply(f.function, a.values[i], factor, old.values[i]);
    storeLanes(memory, dst, repeat, f.lanes, a);
  }
}

void cast(const ResolvedVectorCast &f, CoreMemory &memory) {
  Lanes src{f.src, f.src_block, f.src_repeat, f.src_type};
  Lanes dst{f.dst, f.dst_block, f.dst_repeat, f.dst_type};
  FloatLanes floats;
  IntegerLanes integers;
  for (int64_t repeat = 0; repeat < f.repeats; ++repeat) {
    if (isFloat(f.src_type)) {
      loadLanes(memory, src, repeat, f.lanes, floats);
    } else {
      loadLanes(memory, src, repeat, f.lanes, integers);
      for (int64_t i = 0; i < f.lanes; ++i)
        floats.values[i] = static_cast<float>(integers.values[i]);
    }
    if (isFloat(f.dst_type)) {
      storeLanes(memory, dst, repeat, f.lanes, floats);
      continue;
    }
    for (int64_t i = 0; i < f.lanes; ++i)
      integers.values[i] = toInteger(floats.values[i], f.dst_type, f.rounding);
    storeLanes(memory, dst, repeat, f.lanes, integers);
  }
}

void duplicate(const ResolvedVectorDuplicate &f, CoreMemory &memory) {
  Lanes dst{f.dst, f.dst_block, f.dst_repeat, f.type};
  IntegerLanes values;
  std::fill_n(values.values, maxLanes, f.scalar);
  for (int64_t repeat = 0; repeat < f.repeats; ++repeat)
    storeLanes(memory, dst, repeat, f.lanes, values);
}

} // namespace

void executeVector(const ResolvedInstruction &instruction, CoreMemory &memory) {
  switch (instruction.opcode) {
  case Opcode::VectorUnary: {
    auto fields = fieldsOf<ResolvedVectorUnary>(instruction);
    // Copies move bits, whatever the type.
    bool floats =
        isFloat(fields.type) && fields.function != UnaryFunction::Copy;
    return floats ? unary<FloatLanes>(fields, memory)
                  : unary<IntegerLanes>(fields, memory);
  }
  case Opcode::VectorBinary: {
    auto fields = fieldsOf<ResolvedVectorBinary>(instruction);
    return isFloat(fields.type) ? binary<FloatLanes>(fields, memory)
                                : binary<IntegerLanes>(fields, memory);
  }
  case Opcode::VectorScalar: {
    auto fields = fieldsOf<ResolvedVectorScalar>(instruction);
    return isFloat(fields.type) ? scalar<FloatLanes>(fields, memory)
                                : scalar<IntegerLanes>(fields, memory);
  }
  case Opcode::VectorCast:
    return cast(fieldsOf<ResolvedVectorCast>(instruction), memory);
  case Opcode::VectorDuplicate:
    return duplicate(fieldsOf<ResolvedVectorDuplicate>(instruction), memory);
  default:
    return;
  }
}

} // namespace atc::sim
