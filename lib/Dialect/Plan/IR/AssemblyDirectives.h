// Custom directives of the plan dialect's assembly format.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_LIB_DIALECT_PLAN_IR_ASSEMBLYDIRECTIVES_H
#define ATC_LIB_DIALECT_PLAN_IR_ASSEMBLYDIRECTIVES_H

#include "atc/Dialect/Plan/IR/Plan.h"
#include "mlir/IR/OpImplementation.h"

namespace mlir::atc::plan {

/// An integer, or an operand in its place: `42` or `%n`.
inline ParseResult
parseStaticOrValue(OpAsmParser &parser,
                   std::optional<OpAsmParser::UnresolvedOperand> &value,
                   int64_t &integer) {
  OpAsmParser::UnresolvedOperand operand;
  OptionalParseResult isValue = parser.parseOptionalOperand(operand);
  if (!isValue.has_value())
    return parser.parseInteger(integer);
  integer = ShapedType::kDynamic;
  value = operand;
  return *isValue;
}

inline void printStaticOrValue(OpAsmPrinter &printer, Operation *, Value value,
                               int64_t integer) {
  if (value)
    printer << value;
  else
    printer << integer;
}

/// An integer attribute without its type.
inline ParseResult parseInteger(OpAsmParser &parser, IntegerAttr &attribute) {
  int64_t value;
  if (parser.parseInteger(value))
    return failure();
  attribute = parser.getBuilder().getI64IntegerAttr(value);
  return success();
}

inline void printInteger(OpAsmPrinter &printer, Operation *,
                         IntegerAttr attribute) {
  printer << attribute.getInt();
}

} // namespace mlir::atc::plan

#endif // ATC_LIB_DIALECT_PLAN_IR_ASSEMBLYDIRECTIVES_H
