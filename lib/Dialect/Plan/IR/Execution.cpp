// The program and its instructions: text form, effects, verifiers.
// SPDX-License-Identifier: Apache-2.0
#include "AssemblyDirectives.h"
#include "atc/Dialect/Plan/IR/Plan.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/DialectImplementation.h"

using namespace mlir;
using namespace mlir::atc::plan;

//===----------------------------------------------------------------------===//
// Operands with their access
//===----------------------------------------------------------------------===//

/// `(` (access operand `:` type) (`,` ...)* `)`
static ParseResult
parseAccesses(OpAsmParser &parser,
              SmallVectorImpl<OpAsmParser::UnresolvedOperand> &views,
              SmallVectorImpl<Type> &types, DenseI32ArrayAttr &accesses) {
  SmallVector<int32_t> values;
  auto parseOne = [&]() -> ParseResult {
    FailureOr<Access> access = FieldParser<Access>::parse(parser);
    if (failed(access))
      return failure();
    values.push_back(static_cast<int32_t>(*access));
    return failure(parser.parseOperand(views.emplace_back()) ||
                   parser.parseColonType(types.emplace_back()));
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, parseOne))
    return failure();
  accesses = parser.getBuilder().getDenseI32ArrayAttr(values);
  return success();
}

static void printAccesses(OpAsmPrinter &printer, Operation *,
                          OperandRange views, TypeRange,
                          DenseI32ArrayAttr accesses) {
  printer << '(';
  llvm::interleaveComma(
      llvm::zip_equal(views, accesses.asArrayRef()), printer, [&](auto pair) {
        auto [view, access] = pair;
        printer << stringifyAccess(static_cast<Access>(access)) << ' ' << view
                << " : " << view.getType();
      });
  printer << ')';
}

#define GET_OP_CLASSES
#include "atc/Dialect/Plan/IR/Execution.cpp.inc"

void PlanDialect::registerExecutionOps() {
  addOperations<
#define GET_OP_LIST
#include "atc/Dialect/Plan/IR/Execution.cpp.inc"
      >();
}

static BufferType getBufferType(Value view) {
  auto viewOp = view.getDefiningOp<ViewOp>();
  return viewOp ? viewOp.getBuffer().getType() : BufferType();
}

/// Views are made by plan.view alone, and read-only buffers stay as they are.
static LogicalResult verifyAccess(Operation *op, Value view, Access access) {
  BufferType buffer = getBufferType(view);
  if (!buffer)
    return op->emitOpError("expects views made by plan.view");
  if (access != Access::Read && buffer.isReadOnly())
    return op->emitOpError("expects to write no buffer in ")
           << stringifySpace(buffer.getSpace());
  return success();
}

static LogicalResult verifyAccesses(Operation *op, ValueRange views,
                                    ArrayRef<int32_t> accesses) {
  if (views.size() != accesses.size())
    return op->emitOpError("expects one access per view, got ")
           << accesses.size() << " for " << views.size();
  for (auto [view, access] : llvm::zip_equal(views, accesses)) {
    std::optional<Access> known = symbolizeAccess(access);
    if (!known)
      return op->emitOpError("expects read, write or update, got ") << access;
    if (failed(verifyAccess(op, view, *known)))
      return failure();
  }
  return success();
}

static void addRead(SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  effects.emplace_back(MemoryEffects::Read::get());
}

static void addWrite(SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  effects.emplace_back(MemoryEffects::Write::get());
}

//===----------------------------------------------------------------------===//
// ProgramOp
//===----------------------------------------------------------------------===//

void ProgramOp::build(OpBuilder &builder, OperationState &state,
                      StringRef name) {
  state.getOrAddProperties<Properties>().sym_name = builder.getStringAttr(name);
  state.addRegion()->emplaceBlock();
}

/// What the runtime's format cannot say is refused here, not when a file is
/// written.
static LogicalResult verifyNestedOp(Operation *op) {
  StringRef dialect = op->getDialect() ? op->getDialect()->getNamespace() : "";
  if (dialect == "arith" || dialect == "plan")
    return success();
  if (!isa<scf::IfOp, scf::WhileOp, scf::ConditionOp, scf::YieldOp>(op))
    return op->emitOpError("expects no such op in a plan.program");
  for (Type type : op->getResultTypes())
    if (!type.isIndex() && !type.isInteger(1))
      return op->emitOpError("expects to carry scalars in a plan.program, got ")
             << type;
  return success();
}

template <typename PortOp>
static LogicalResult verifyPorts(ProgramOp program) {
  int64_t next = 0;
  for (PortOp port : program.getBody().getOps<PortOp>())
    if (port.getIndex() != next++)
      return port.emitOpError("expects ports numbered without gaps; ")
             << next - 1 << " comes here, got " << port.getIndex();
  return success();
}

LogicalResult ProgramOp::verifyRegions() {
  if (failed(verifyPorts<InputOp>(*this)) ||
      failed(verifyPorts<OutputOp>(*this)))
    return failure();
  WalkResult result = getBody().walk([](Operation *op) {
    return failed(verifyNestedOp(op)) ? WalkResult::interrupt()
                                      : WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

//===----------------------------------------------------------------------===//
// DimOp
//===----------------------------------------------------------------------===//

LogicalResult DimOp::verify() {
  auto input = getPort().getDefiningOp<InputOp>();
  if (!input)
    return emitOpError("expects the buffer of a plan.input");
  ViewType type = input.getPortType();
  if (getAxis() < 0 || getAxis() >= type.getRank() ||
      !type.isDynamicDim(getAxis()))
    return emitOpError("expects a dynamic dim of ")
           << type << ", got axis " << getAxis();
  if (getMin() < 0 || getMin() > getMax())
    return emitOpError("expects 0 <= min <= max, got ")
           << getMin() << " and " << getMax();
  return success();
}

//===----------------------------------------------------------------------===//
// LaunchOp
//===----------------------------------------------------------------------===//

void LaunchOp::build(OpBuilder &builder, OperationState &state,
                     FlatSymbolRefAttr kernel, int64_t launch, ValueRange views,
                     ArrayRef<Access> accesses, ValueRange scalars,
                     OpFoldResult tiles, OpFoldResult scratch,
                     OpFoldResult flops, OpFoldResult traffic) {
  SmallVector<int32_t> accessValues = llvm::map_to_vector(
      accesses, [](Access access) { return static_cast<int32_t>(access); });
  auto split = [](OpFoldResult value) -> std::pair<Value, int64_t> {
    if (std::optional<int64_t> integer = getConstantIntValue(value))
      return {Value(), *integer};
    return {cast<Value>(value), ShapedType::kDynamic};
  };
  auto [tileValue, tileCount] = split(tiles);
  auto [scratchValue, scratchBytes] = split(scratch);
  auto [flopsValue, flopsCount] = split(flops);
  auto [trafficValue, trafficBytes] = split(traffic);
  build(builder, state, kernel, launch, views,
        builder.getDenseI32ArrayAttr(accessValues), scalars, tileValue,
        tileCount, scratchValue, scratchBytes, flopsValue, flopsCount,
        trafficValue, trafficBytes);
}

LogicalResult LaunchOp::verify() {
  if (getLaunch() < 0)
    return emitOpError("expects a launch that is not negative, got ")
           << getLaunch();
  if (!getTiles() && getStaticTiles() < 0)
    return emitOpError("expects a tile count that is not negative, got ")
           << getStaticTiles();
  if (!getScratch() && getStaticScratch() < 0)
    return emitOpError("expects scratch bytes that are not negative, got ")
           << getStaticScratch();
  return verifyAccesses(*this, getViews(), getAccesses());
}

LogicalResult LaunchOp::verifySymbolUses(SymbolTableCollection &symbols) {
  if (!symbols.lookupNearestSymbolFrom<ModuleOp>(*this, getKernelAttr()))
    return emitOpError("expects a kernel module, got ") << getKernelAttr();
  return success();
}

void LaunchOp::getEffects(
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  addRead(effects);
  addWrite(effects);
}

//===----------------------------------------------------------------------===//
// HostCallOp
//===----------------------------------------------------------------------===//

LogicalResult HostCallOp::verify() {
  return verifyAccesses(*this, getViews(), getAccesses());
}

void HostCallOp::getEffects(
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  addRead(effects);
  addWrite(effects);
}

//===----------------------------------------------------------------------===//
// CopyOp, FillOp, ZeroHaloOp
//===----------------------------------------------------------------------===//

LogicalResult CopyOp::verify() {
  ViewType source = getSource().getType();
  ViewType destination = getDestination().getType();
  if (source.getElementType() != destination.getElementType() ||
      failed(verifyCompatibleShape(source.getShape(), destination.getShape())))
    return emitOpError("expects equal dims and element types, got ")
           << source << " and " << destination;
  return failure(failed(verifyAccess(*this, getSource(), Access::Read)) ||
                 failed(verifyAccess(*this, getDestination(), Access::Write)));
}

void CopyOp::getEffects(
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  addRead(effects);
  addWrite(effects);
}

LogicalResult FillOp::verify() {
  return verifyAccess(*this, getView(), Access::Write);
}

void FillOp::getEffects(
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  addWrite(effects);
}

LogicalResult ZeroHaloOp::verify() {
  ViewType type = getView().getType();
  if (type.isTiled())
    return emitOpError("expects a strided view, got ") << type;
  if (static_cast<int64_t>(getLow().size()) != type.getRank() ||
      static_cast<int64_t>(getHigh().size()) != type.getRank())
    return emitOpError("expects ") << type.getRank() << " low and high widths";
  for (ArrayRef<int64_t> widths : {getLow(), getHigh()})
    for (int64_t width : widths)
      if (width < 0)
        return emitOpError("expects widths that are not negative, got ")
               << width;
  return verifyAccess(*this, getView(), Access::Write);
}

void ZeroHaloOp::getEffects(
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  addWrite(effects);
}

//===----------------------------------------------------------------------===//
// LoadScalarOp, StoreScalarOp
//===----------------------------------------------------------------------===//

static LogicalResult verifyElement(Operation *op, ViewType type,
                                   ValueRange indices) {
  if (!type.getElementType().isInteger())
    return op->emitOpError("expects integer or boolean elements, got ") << type;
  if (type.isTiled() || type.getRank() != static_cast<int64_t>(indices.size()))
    return op->emitOpError("expects one index per dim of a strided view of "
                           "rank ")
           << type.getRank() << ", got " << indices.size();
  return success();
}

LogicalResult LoadScalarOp::verify() {
  if (failed(verifyElement(*this, getView().getType(), getIndices())))
    return failure();
  return verifyAccess(*this, getView(), Access::Read);
}

void LoadScalarOp::getEffects(
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  addRead(effects);
}

LogicalResult StoreScalarOp::verify() {
  if (failed(verifyElement(*this, getView().getType(), getIndices())))
    return failure();
  return verifyAccess(*this, getView(), Access::Write);
}

void StoreScalarOp::getEffects(
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  addWrite(effects);
}
