// Between the element types of files and those of tensors.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Target/ElementTypes.h"
#include "atc/Dialect/Graph/IR/Graph.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::atc;
using ::atc::ElementType;

Type mlir::atc::getElementType(MLIRContext *context, ElementType type) {
  Builder builder(context);
  switch (type) {
  case ElementType::F32:
    return builder.getF32Type();
  case ElementType::F16:
    return builder.getF16Type();
  case ElementType::BF16:
    return builder.getBF16Type();
  case ElementType::F64:
    return builder.getF64Type();
  case ElementType::I8:
    return builder.getI8Type();
  case ElementType::I16:
    return builder.getIntegerType(16);
  case ElementType::I32:
    return builder.getI32Type();
  case ElementType::I64:
    return builder.getI64Type();
  case ElementType::U8:
    return builder.getIntegerType(8, /*isSigned=*/false);
  case ElementType::U16:
    return builder.getIntegerType(16, /*isSigned=*/false);
  case ElementType::U32:
    return builder.getIntegerType(32, /*isSigned=*/false);
  case ElementType::U64:
    return builder.getIntegerType(64, /*isSigned=*/false);
  case ElementType::BOOL:
    return builder.getI1Type();
  case ElementType::STRING:
    return graph::StringType::get(context);
  case ElementType::C64:
    return ComplexType::get(builder.getF32Type());
  case ElementType::C128:
    return ComplexType::get(builder.getF64Type());
  case ElementType::I4:
    return builder.getIntegerType(4);
  case ElementType::U4:
    return builder.getIntegerType(4, /*isSigned=*/false);
  case ElementType::F8E4M3FN:
    return Float8E4M3FNType::get(context);
  case ElementType::F8E4M3FNUZ:
    return Float8E4M3FNUZType::get(context);
  case ElementType::F8E5M2:
    return Float8E5M2Type::get(context);
  case ElementType::F8E5M2FNUZ:
    return Float8E5M2FNUZType::get(context);
  case ElementType::F4E2M1:
    return Float4E2M1FNType::get(context);
  }
  llvm_unreachable("covered switch");
}

std::optional<ElementType> mlir::atc::getElementType(Type type) {
  if (auto integer = dyn_cast<IntegerType>(type)) {
    bool isUnsigned = integer.isUnsigned();
    switch (integer.getWidth()) {
    case 1:
      return ElementType::BOOL;
    case 4:
      return isUnsigned ? ElementType::U4 : ElementType::I4;
    case 8:
      return isUnsigned ? ElementType::U8 : ElementType::I8;
    case 16:
      return isUnsigned ? ElementType::U16 : ElementType::I16;
    case 32:
      return isUnsigned ? ElementType::U32 : ElementType::I32;
    case 64:
      return isUnsigned ? ElementType::U64 : ElementType::I64;
    default:
      return std::nullopt;
    }
  }
  return TypeSwitch<Type, std::optional<ElementType>>(type)
      .Case([](Float32Type) { return ElementType::F32; })
      .Case([](Float16Type) { return ElementType::F16; })
      .Case([](BFloat16Type) { return ElementType::BF16; })
      .Case([](Float64Type) { return ElementType::F64; })
      .Case([](Float8E4M3FNType) { return ElementType::F8E4M3FN; })
      .Case([](Float8E4M3FNUZType) { return ElementType::F8E4M3FNUZ; })
      .Case([](Float8E5M2Type) { return ElementType::F8E5M2; })
      .Case([](Float8E5M2FNUZType) { return ElementType::F8E5M2FNUZ; })
      .Case([](Float4E2M1FNType) { return ElementType::F4E2M1; })
      .Case([](graph::StringType) { return ElementType::STRING; })
      .Case([](ComplexType complex) -> std::optional<ElementType> {
        if (complex.getElementType().isF32())
          return ElementType::C64;
        if (complex.getElementType().isF64())
          return ElementType::C128;
        return std::nullopt;
      })
      .Default(std::nullopt);
}
