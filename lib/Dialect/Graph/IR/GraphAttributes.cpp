// The layout and config attributes: text form and verification.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Dialect/Graph/IR/GraphDialect.h"
#include "llvm/ADT/STLExtras.h"

namespace atc {
llvm::hash_code hash_value(const PhysicalLayout &layout) {
  llvm::hash_code hash = llvm::hash_combine_range(layout.permutation);
  for (const PhysicalLayout::Tile &tile : layout.tiles)
    hash = llvm::hash_combine(hash, tile.dim, tile.size);
  for (const PhysicalLayout::Halo &halo : layout.halos)
    hash = llvm::hash_combine(hash, halo.dim, halo.low, halo.high);
  return hash;
}
} // namespace atc

using namespace mlir;
using namespace mlir::atc::graph;
using ::atc::PhysicalLayout;

#define GET_ATTRDEF_CLASSES
#include "atc/Dialect/Graph/IR/GraphAttributes.cpp.inc"

void GraphDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "atc/Dialect/Graph/IR/GraphAttributes.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Text of lists
//===----------------------------------------------------------------------===//

static ParseResult parseIntegers(AsmParser &parser,
                                 SmallVectorImpl<int64_t> &values) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
    return parser.parseInteger(values.emplace_back());
  });
}

/// Parses a list of lists of `width` integers each.
static ParseResult parseTuples(AsmParser &parser, unsigned width,
                               SmallVectorImpl<int64_t> &values) {
  return parser.parseCommaSeparatedList(
      AsmParser::Delimiter::Square, [&]() -> ParseResult {
        SMLoc loc = parser.getCurrentLocation();
        SmallVector<int64_t> tuple;
        if (parseIntegers(parser, tuple))
          return failure();
        if (tuple.size() != width)
          return parser.emitError(loc)
                 << "expects " << width << " integers, got " << tuple.size();
        values.append(tuple);
        return success();
      });
}

/// Parses `name = value` pairs up to the closing `>`; `parseValue` is asked for
/// each name once.
static ParseResult
parseFields(AsmParser &parser,
            function_ref<OptionalParseResult(StringRef name)> parseValue) {
  SmallVector<StringRef> seen;
  return parser.parseCommaSeparatedList(
      AsmParser::Delimiter::LessGreater, [&]() -> ParseResult {
        StringRef name;
        SMLoc loc = parser.getCurrentLocation();
        if (parser.parseKeyword(&name) || parser.parseEqual())
          return failure();
        if (llvm::is_contained(seen, name))
          return parser.emitError(loc) << "'" << name << "' is given twice";
        seen.push_back(name);
        OptionalParseResult result = parseValue(name);
        if (!result.has_value())
          return parser.emitError(loc) << "unknown field '" << name << "'";
        return *result;
      });
}

static void printIntegers(AsmPrinter &printer, ArrayRef<int64_t> values) {
  printer << '[';
  llvm::interleaveComma(values, printer);
  printer << ']';
}

/// Prints a flat list as a list of tuples.
static void printTuples(AsmPrinter &printer, unsigned width,
                        ArrayRef<int64_t> values) {
  printer << '[';
  for (size_t i = 0; i < values.size(); i += width) {
    if (i)
      printer << ", ";
    printIntegers(printer, values.slice(i, width));
  }
  printer << ']';
}

//===----------------------------------------------------------------------===//
// LayoutAttr
//===----------------------------------------------------------------------===//

/// Whether every number fits the unsigned dims of a layout.
static bool areDims(ArrayRef<int64_t> dims) {
  return llvm::all_of(dims, [](int64_t dim) {
    return dim >= 0 && dim <= std::numeric_limits<int32_t>::max();
  });
}

Attribute LayoutAttr::parse(AsmParser &parser, Type) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<int64_t> permutation, tiles, halos;
  if (parseFields(parser, [&](StringRef name) -> OptionalParseResult {
        if (name == "perm")
          return parseIntegers(parser, permutation);
        if (name == "tile")
          return parseTuples(parser, 2, tiles);
        if (name == "halo")
          return parseTuples(parser, 3, halos);
        return std::nullopt;
      }))
    return {};

  PhysicalLayout layout;
  SmallVector<int64_t> dims(permutation);
  for (size_t i = 0; i < tiles.size(); i += 2)
    dims.push_back(tiles[i]);
  for (size_t i = 0; i < halos.size(); i += 3)
    dims.push_back(halos[i]);
  if (!areDims(dims)) {
    parser.emitError(loc, "expects dims that are not negative");
    return {};
  }
  layout.permutation.assign(permutation.begin(), permutation.end());
  for (size_t i = 0; i < tiles.size(); i += 2)
    layout.tiles.push_back({unsigned(tiles[i]), tiles[i + 1]});
  for (size_t i = 0; i < halos.size(); i += 3)
    layout.halos.push_back({unsigned(halos[i]), halos[i + 1], halos[i + 2]});
  return parser.getChecked<LayoutAttr>(loc, parser.getContext(), layout);
}

void LayoutAttr::print(AsmPrinter &printer) const {
  const PhysicalLayout &layout = getPhysical();
  printer << "<perm = ";
  printIntegers(printer, SmallVector<int64_t>(layout.permutation.begin(),
                                              layout.permutation.end()));
  if (!layout.tiles.empty()) {
    SmallVector<int64_t> tiles;
    for (const PhysicalLayout::Tile &tile : layout.tiles)
      tiles.append({tile.dim, tile.size});
    printer << ", tile = ";
    printTuples(printer, 2, tiles);
  }
  if (!layout.halos.empty()) {
    SmallVector<int64_t> halos;
    for (const PhysicalLayout::Halo &halo : layout.halos)
      halos.append({halo.dim, halo.low, halo.high});
    printer << ", halo = ";
    printTuples(printer, 3, halos);
  }
  printer << '>';
}

LogicalResult LayoutAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 PhysicalLayout layout) {
  // layout-C1..C4
  if (!layout.isValid(layout.permutation.size()))
    return emitError() << "expects a permutation, positive tiles and "
                          "non-negative halos of existing dims, and no dim "
                          "with both";
  return success();
}

LogicalResult
LayoutAttr::verifyEncoding(ArrayRef<int64_t> shape, Type elementType,
                           function_ref<InFlightDiagnostic()> emitError) const {
  if (shape.size() != getRank())
    return emitError() << "expects a layout of rank " << shape.size()
                       << ", got rank " << getRank();
  return success();
}

//===----------------------------------------------------------------------===//
// ConfigAttr
//===----------------------------------------------------------------------===//

static ParseResult parseMaps(AsmParser &parser,
                             SmallVectorImpl<AffineMap> &maps) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                        [&]() -> ParseResult {
                                          AffineMapAttr map;
                                          if (parser.parseAttribute(map))
                                            return failure();
                                          maps.push_back(map.getValue());
                                          return success();
                                        });
}

Attribute ConfigAttr::parse(AsmParser &parser, Type) {
  SMLoc loc = parser.getCurrentLocation();
  StringAttr templateName;
  DictionaryAttr params;
  SmallVector<AffineMap> tiles;
  SmallVector<int64_t> workspace, inplace;
  int64_t scratch = 0;
  if (parseFields(parser, [&](StringRef name) -> OptionalParseResult {
        if (name == "template")
          return parser.parseAttribute(templateName);
        if (name == "tiles")
          return parseMaps(parser, tiles);
        if (name == "scratch")
          return parser.parseInteger(scratch);
        if (name == "workspace")
          return parseIntegers(parser, workspace);
        if (name == "inplace")
          return parseTuples(parser, 2, inplace);
        if (name == "params")
          return parser.parseAttribute(params);
        return std::nullopt;
      }))
    return {};
  if (!templateName) {
    parser.emitError(loc, "expects a template");
    return {};
  }
  if (!params)
    params = DictionaryAttr::get(parser.getContext());
  return parser.getChecked<ConfigAttr>(loc, parser.getContext(), templateName,
                                       tiles, scratch, workspace, inplace,
                                       params);
}

void ConfigAttr::print(AsmPrinter &printer) const {
  printer << "<template = " << getTemplateName();
  if (!getTiles().empty()) {
    printer << ", tiles = [";
    llvm::interleaveComma(getTiles(), printer, [&](AffineMap map) {
      printer << AffineMapAttr::get(map);
    });
    printer << ']';
  }
  if (getScratch())
    printer << ", scratch = " << getScratch();
  if (!getWorkspace().empty()) {
    printer << ", workspace = ";
    printIntegers(printer, getWorkspace());
  }
  if (!getInplace().empty()) {
    printer << ", inplace = ";
    printTuples(printer, 2, getInplace());
  }
  if (!getParams().empty())
    printer << ", params = " << getParams();
  printer << '>';
}

LogicalResult ConfigAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 StringAttr templateName,
                                 ArrayRef<AffineMap> tiles, int64_t scratch,
                                 ArrayRef<int64_t> workspace,
                                 ArrayRef<int64_t> inplace,
                                 DictionaryAttr params) {
  // config-C1
  for (AffineMap map : tiles)
    if (map.getNumResults() != 1 || map.getNumDims() != 0)
      return emitError() << "expects tile maps of one result and no dims, got "
                         << AffineMapAttr::get(map);
  // config-C2
  if (scratch < 0 || llvm::any_of(workspace, [](int64_t b) { return b < 0; }))
    return emitError() << "expects sizes in bytes that are not negative";
  // config-C3
  if (inplace.size() % 2 || llvm::any_of(inplace, [](int64_t i) {
        return i < 0 || i > std::numeric_limits<int32_t>::max();
      }))
    return emitError() << "expects inplace to hold pairs of a result and an "
                          "operand";
  return success();
}

int64_t ConfigAttr::getParam(StringRef name, int64_t missing) const {
  if (auto value = getParams().getAs<IntegerAttr>(name))
    return value.getValue().getSExtValue();
  return missing;
}

std::optional<unsigned> ConfigAttr::getInplaceOperand(unsigned result) const {
  ArrayRef<int64_t> pairs = getInplace();
  for (size_t i = 0; i < pairs.size(); i += 2)
    if (pairs[i] == int64_t(result))
      return unsigned(pairs[i + 1]);
  return std::nullopt;
}
