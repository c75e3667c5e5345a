// Registration of the npu dialect, spaces and modifiers.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Dialect/Npu/IR/Npu.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::atc::npu;
namespace hw = ::atc::isa;

#include "atc/Dialect/Npu/IR/NpuDialect.cpp.inc"

#include "atc/Dialect/Npu/IR/NpuInterfaces.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "atc/Dialect/Npu/IR/NpuAttributes.cpp.inc"

void NpuDialect::initialize() {
  registerAttributes();
  registerInstructionOps();
  registerMemoryOps();
}

void NpuDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "atc/Dialect/Npu/IR/NpuAttributes.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Spaces
//===----------------------------------------------------------------------===//

Attribute SpaceAttr::parse(AsmParser &parser, Type) {
  StringRef name;
  SMLoc where = parser.getCurrentLocation();
  if (parser.parseLess() || parser.parseKeyword(&name) || parser.parseGreater())
    return {};
  for (unsigned i = 0; i < hw::spaceCount; ++i) {
    auto space = static_cast<hw::Space>(i);
    if (StringRef(hw::spaceName(space)) == name)
      return get(parser.getContext(), space);
  }
  parser.emitError(where, "unknown space '") << name << "'";
  return {};
}

void SpaceAttr::print(AsmPrinter &printer) const {
  printer << '<' << StringRef(hw::spaceName(getValue())) << '>';
}

bool mlir::atc::npu::isBufferType(Type type) {
  auto memref = dyn_cast<MemRefType>(type);
  return memref && memref.getRank() == 1 &&
         memref.getElementType().isInteger(8) &&
         memref.getLayout().isIdentity() &&
         isa_and_nonnull<SpaceAttr>(memref.getMemorySpace());
}

MemRefType mlir::atc::npu::getBufferType(MLIRContext *context, hw::Space space,
                                         int64_t bytes) {
  return MemRefType::get({bytes}, IntegerType::get(context, 8),
                         MemRefLayoutAttrInterface(),
                         SpaceAttr::get(context, space));
}

hw::Space mlir::atc::npu::getSpace(Value buffer) {
  auto type = cast<MemRefType>(buffer.getType());
  return cast<SpaceAttr>(type.getMemorySpace()).getValue();
}

int64_t mlir::atc::npu::getSpaceAlignment(hw::Space space) {
  switch (space) {
  case hw::Space::GM:
    return 1;
  case hw::Space::L1:
  case hw::Space::UB:
    return 32;
  case hw::Space::L0A:
  case hw::Space::L0B:
    return 512;
  case hw::Space::L0C:
    return 1024;
  case hw::Space::BT:
  case hw::Space::FB:
    return 64;
  }
  llvm_unreachable("unknown space");
}

//===----------------------------------------------------------------------===//
// Modifiers
//===----------------------------------------------------------------------===//

std::optional<unsigned> mlir::atc::npu::lookupModifier(hw::ModifierKind kind,
                                                       StringRef text) {
  for (unsigned i = 0; i < hw::modifierValueCount(kind); ++i)
    if (StringRef(hw::modifierValueName(kind, i)) == text)
      return i;
  return std::nullopt;
}

ParseResult mlir::atc::npu::parseModifierNumber(OpAsmParser &parser,
                                                hw::ModifierKind kind,
                                                unsigned &value) {
  // The property's parser tells what it expected.
  StringRef text;
  if (failed(parser.parseOptionalKeyword(&text)))
    return failure();
  std::optional<unsigned> number = lookupModifier(kind, text);
  if (!number)
    return failure();
  value = *number;
  return success();
}
