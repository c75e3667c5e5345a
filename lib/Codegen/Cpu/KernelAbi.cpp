// Gives launches the signature that the runtime calls.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Support/KernelAbi.h"
#include "atc/Codegen/Cpu/KernelImports.h"
#include "atc/Codegen/Cpu/KernelLaunch.h"
#include "atc/Codegen/Cpu/Passes.h"
#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "llvm/ADT/STLExtras.h"
#include <cstddef>
#include <limits>

namespace mlir::atc::cpu {
#define GEN_PASS_DEF_KERNELABIPASS
#include "atc/Codegen/Cpu/Passes.h.inc"
} // namespace mlir::atc::cpu

using namespace mlir;
using namespace mlir::atc;
using namespace mlir::atc::cpu;

/// Imported functions in the order of the table.
static constexpr StringLiteral importNames[] = {
#define ATC_IMPORT_NAME(RESULT, NAME, ARGUMENTS) #NAME,
    ATC_KERNEL_IMPORTS(ATC_IMPORT_NAME)
#undef ATC_IMPORT_NAME
};

/// The place of an imported function in the table.
static std::optional<size_t> findImport(StringRef name) {
  if (name == faultImportName)
    return offsetof(atc_kernel_imports, report_fault) / sizeof(void *);
  const auto *found = llvm::find(importNames, name);
  if (found == std::end(importNames))
    return std::nullopt;
  return found - std::begin(importNames);
}

namespace {

struct KernelAbi : public cpu::impl::KernelAbiPassBase<KernelAbi> {
  using Base::Base;

  void runOnOperation() override;

private:
  /// Turns the launch into a private function over pointers and integers whose
  /// first argument is the context.
  void convertBody(func::FuncOp body);
  void convertBuffer(OpBuilder &builder, BlockArgument argument, int64_t base);
  /// The memref that begins at `start`.
  Value makeMemRef(OpBuilder &builder, Location loc, MemRefType type,
                   Value start);
  /// The function with the signature atc_kernel.
  void makeEntry(func::FuncOp body, StringRef name);
  /// Lets calls of imported functions find them in the context.
  LogicalResult convertImports(func::FuncOp body);
  Value loadElement(OpBuilder &builder, Location loc, Type type, Value array,
                    int32_t number);

  LLVM::LLVMPointerType pointer() {
    return LLVM::LLVMPointerType::get(&getContext());
  }
};

} // namespace

Value KernelAbi::loadElement(OpBuilder &builder, Location loc, Type type,
                             Value array, int32_t number) {
  Value address = LLVM::GEPOp::create(builder, loc, pointer(), type, array,
                                      ArrayRef<LLVM::GEPArg>{number},
                                      LLVM::GEPNoWrapFlags::inbounds);
  return LLVM::LoadOp::create(builder, loc, type, address);
}

Value KernelAbi::makeMemRef(OpBuilder &builder, Location loc, MemRefType type,
                            Value start) {
  LLVMTypeConverter converter(builder.getContext());
  auto descriptor =
      MemRefDescriptor::poison(builder, loc, converter.convertType(type));
  descriptor.setAllocatedPtr(builder, loc, start);
  descriptor.setAlignedPtr(builder, loc, start);
  descriptor.setConstantOffset(builder, loc, 0);
  // Nothing asks for the size.
  descriptor.setConstantSize(builder, loc, 0,
                             std::numeric_limits<int64_t>::max());
  descriptor.setConstantStride(builder, loc, 0, 1);
  return UnrealizedConversionCastOp::create(builder, loc, type,
                                            Value(descriptor))
      .getResult(0);
}

void KernelAbi::convertBuffer(OpBuilder &builder, BlockArgument argument,
                              int64_t base) {
  Location loc = argument.getLoc();
  auto type = cast<MemRefType>(argument.getType());
  int64_t elementBytes = type.getElementTypeBitWidth() / 8;
  SmallVector<OpOperand *> uses = llvm::map_to_vector(
      argument.getUses(), [](OpOperand &use) { return &use; });
  argument.setType(pointer());
  auto moveBack = [&](OpBuilder &at, Value bytes) -> Value {
    return LLVM::GEPOp::create(at, loc, pointer(), at.getI8Type(), argument,
                               ArrayRef<LLVM::GEPArg>{bytes});
  };
  Value start = argument;
  if (base)
    start =
        moveBack(builder, LLVM::ConstantOp::create(
                              builder, loc,
                              builder.getI64IntegerAttr(-base * elementBytes)));
  Value memref;
  for (OpOperand *use : uses) {
    // A halo whose size depends on dims: the launch has computed it.
    auto shifted = dyn_cast<UnrealizedConversionCastOp>(use->getOwner());
    if (shifted && shifted.getNumOperands() == 2) {
      OpBuilder at(shifted);
      Value size = arith::ConstantIndexOp::create(at, loc, -elementBytes);
      Value bytes = arith::MulIOp::create(at, loc, shifted.getOperand(1), size);
      bytes = arith::IndexCastOp::create(at, loc, at.getI64Type(), bytes);
      shifted.getResult(0).replaceAllUsesWith(
          makeMemRef(at, loc, type, moveBack(at, bytes)));
      shifted.erase();
      continue;
    }
    if (!memref)
      memref = makeMemRef(builder, loc, type, start);
    use->set(memref);
  }
}

void KernelAbi::convertBody(func::FuncOp body) {
  ArrayRef<int64_t> bases =
      body->getAttrOfType<DenseI64ArrayAttr>(bufferBasesAttrName).asArrayRef();
  Block &entry = body.front();
  auto builder = OpBuilder::atBlockBegin(&entry);
  // Scratch memory lies behind the dims, in front of begin and end.
  unsigned scratch = entry.getNumArguments() - 3;
  for (auto [number, argument] : llvm::enumerate(entry.getArguments())) {
    if (isa<MemRefType>(argument.getType())) {
      convertBuffer(builder, argument, number == scratch ? 0 : bases[number]);
      continue;
    }
    argument.setType(builder.getI64Type());
    auto index = arith::IndexCastOp::create(builder, argument.getLoc(),
                                            builder.getIndexType(), argument);
    argument.replaceAllUsesExcept(index, index);
  }
  entry.insertArgument(0u, pointer(), body.getLoc());
  body.setFunctionType(
      builder.getFunctionType(entry.getArgumentTypes(), TypeRange()));
}

void KernelAbi::makeEntry(func::FuncOp body, StringRef name) {
  OpBuilder builder(body);
  Location loc = body.getLoc();
  Type i64 = builder.getI64Type();
  SmallVector<Type> types = {pointer(), pointer(), pointer(),
                             pointer(), i64,       i64};
  auto entry = func::FuncOp::create(builder, loc, name,
                                    builder.getFunctionType(types, {}));
  Block *block = entry.addEntryBlock();
  builder.setInsertionPointToStart(block);
  size_t buffers =
      body->getAttrOfType<DenseI64ArrayAttr>(bufferBasesAttrName).size();
  size_t dims = body.getNumArguments() - 4 - buffers;
  SmallVector<Value> arguments = {block->getArgument(0)};
  for (size_t i = 0; i < buffers; ++i)
    arguments.push_back(
        loadElement(builder, loc, pointer(), block->getArgument(1), i));
  for (size_t i = 0; i < dims; ++i)
    arguments.push_back(
        loadElement(builder, loc, i64, block->getArgument(2), i));
  llvm::append_range(arguments, block->getArguments().drop_front(3));
  func::CallOp::create(builder, loc, body, arguments);
  func::ReturnOp::create(builder, loc);
}

LogicalResult KernelAbi::convertImports(func::FuncOp body) {
  auto result = body.walk([&](func::CallOp call) {
    StringRef name = call.getCallee();
    if (!name.consume_front(importPrefix)) {
      call.emitOpError("calls '")
          << call.getCallee() << "', which is no import";
      return WalkResult::interrupt();
    }
    std::optional<size_t> position = findImport(name);
    if (!position) {
      call.emitOpError("calls '") << name << "', which the context lacks";
      return WalkResult::interrupt();
    }
    OpBuilder builder(call);
    Location loc = call.getLoc();
    // The table's address is the context's second word; see KernelAbi.h.
    static_assert(offsetof(atc_kernel_context, imports) == 8);
    Value table = loadElement(builder, loc, pointer(), body.getArgument(0), 1);
    Value function = loadElement(builder, loc, pointer(), table, *position);
    SmallVector<Value> operands = {function};
    if (name == faultImportName)
      operands.push_back(body.getArgument(0));
    llvm::append_range(operands, call.getOperands());
    Type result = call.getNumResults() != 0
                      ? call.getResult(0).getType()
                      : Type(LLVM::LLVMVoidType::get(&getContext()));
    auto type = LLVM::LLVMFunctionType::get(
        result, llvm::to_vector(ValueRange(operands).drop_front().getTypes()));
    auto indirect = LLVM::CallOp::create(builder, loc, type, operands);
    call.replaceAllUsesWith(indirect.getResults());
    call.erase();
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

void KernelAbi::runOnOperation() {
  ModuleOp module = getOperation();
  OpBuilder builder(&getContext());
  for (auto body : llvm::make_early_inc_range(module.getOps<func::FuncOp>())) {
    if (!body->hasAttr(bufferBasesAttrName))
      continue;
    std::string name = body.getSymName().str();
    body.setSymName(name + ".body");
    body.setPrivate();
    convertBody(body);
    if (failed(convertImports(body)))
      return signalPassFailure();
    makeEntry(body, name);
    size_t buffers =
        body->getAttrOfType<DenseI64ArrayAttr>(bufferBasesAttrName).size();
    auto shared = body->getAttrOfType<DenseI64ArrayAttr>(sharedBuffersAttrName);
    for (size_t i = 0; i < buffers; ++i)
      if (!shared || !llvm::is_contained(shared.asArrayRef(), int64_t(i)))
        body.setArgAttr(i + 1, "llvm.noalias", builder.getUnitAttr());
    body->removeAttr(bufferBasesAttrName);
    body->removeAttr(sharedBuffersAttrName);
  }
  // Declarations of imports have done their duty.
  for (auto function :
       llvm::make_early_inc_range(module.getOps<func::FuncOp>()))
    if (function.isDeclaration() &&
        function.getSymName().starts_with(importPrefix))
      function.erase();
}
