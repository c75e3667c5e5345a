// Umbrella header of the npu dialect.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_DIALECT_NPU_IR_NPU_H
#define ATC_DIALECT_NPU_IR_NPU_H

#include "atc/Isa/Encoding.h"
#include "atc/Isa/Instruction.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include <optional>

namespace mlir::atc::npu {

/// The enumeration of lib/Isa that a C++ type of modifiers is.
template <typename T>
struct ModifierTraits;
#define ATC_NPU_ENUM(KIND)                                                     \
  template <>                                                                  \
  struct ModifierTraits<::atc::isa::KIND> {                                    \
    static constexpr ::atc::isa::ModifierKind kind =                           \
        ::atc::isa::ModifierKind::KIND;                                        \
  };
#include "atc/Isa/Modifiers.def"

/// The number of a text in an enumeration; nullopt if unknown.
std::optional<unsigned> lookupModifier(::atc::isa::ModifierKind kind,
                                       StringRef text);
/// Parses one of an enumeration's texts.
ParseResult parseModifierNumber(OpAsmParser &parser,
                                ::atc::isa::ModifierKind kind, unsigned &value);

template <typename T>
StringRef getModifierText(T value) {
  return ::atc::isa::modifierValueName(ModifierTraits<T>::kind,
                                       static_cast<unsigned>(value));
}

template <typename T>
ParseResult parseModifier(OpAsmParser &parser, T &storage) {
  unsigned value = 0;
  if (failed(parseModifierNumber(parser, ModifierTraits<T>::kind, value)))
    return failure();
  storage = static_cast<T>(value);
  return success();
}

template <typename T>
LogicalResult modifierFromNumber(T &storage, uint64_t value) {
  if (value >= ::atc::isa::modifierValueCount(ModifierTraits<T>::kind))
    return failure();
  storage = static_cast<T>(value);
  return success();
}

template <typename T>
Attribute modifierToAttribute(MLIRContext *context, T value) {
  return StringAttr::get(context, getModifierText(value));
}

template <typename T>
LogicalResult
modifierFromAttribute(T &storage, Attribute attribute,
                      llvm::function_ref<InFlightDiagnostic()> emitError) {
  auto text = dyn_cast_or_null<StringAttr>(attribute);
  std::optional<unsigned> value =
      text ? lookupModifier(ModifierTraits<T>::kind, text.getValue())
           : std::nullopt;
  if (!value)
    return emitError() << "expects a modifier, got " << attribute;
  storage = static_cast<T>(*value);
  return success();
}

/// A memref of bytes, of rank one, in a space.
bool isBufferType(Type type);
/// The space of a buffer.
::atc::isa::Space getSpace(Value buffer);
/// The alignment of a space: of slots, and of addresses that all instructions
/// take.
int64_t getSpaceAlignment(::atc::isa::Space space);

/// Constraints C1 and C2 of the instruction interface.
LogicalResult verifyInstruction(Operation *op);

} // namespace mlir::atc::npu

#include "atc/Dialect/Npu/IR/NpuDialect.h.inc"

#include "atc/Dialect/Npu/IR/NpuInterfaces.h.inc"

#define GET_ATTRDEF_CLASSES
#include "atc/Dialect/Npu/IR/NpuAttributes.h.inc"

#define GET_OP_CLASSES
#include "atc/Dialect/Npu/IR/Memory.h.inc"
#define GET_OP_CLASSES
#include "atc/Dialect/Npu/IR/Instructions.h.inc"

namespace mlir::atc::npu {

/// The type of a buffer of `bytes` bytes (or ShapedType::kDynamic).
MemRefType getBufferType(MLIRContext *context, ::atc::isa::Space space,
                         int64_t bytes);

} // namespace mlir::atc::npu

#endif // ATC_DIALECT_NPU_IR_NPU_H
