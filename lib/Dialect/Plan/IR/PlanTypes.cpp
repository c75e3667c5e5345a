// Types of the plan dialect: text form, verification, extents.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Dialect/Plan/IR/Plan.h"
#include "atc/Support/CheckedMath.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::atc::plan;

#include "atc/Dialect/Plan/IR/PlanEnums.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "atc/Dialect/Plan/IR/PlanTypes.cpp.inc"

void PlanDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "atc/Dialect/Plan/IR/PlanTypes.cpp.inc"
      >();
}

std::optional<int64_t> mlir::atc::plan::getElementBytes(Type elementType) {
  if (elementType.isInteger(1))
    return 1;
  if (auto complex = dyn_cast<ComplexType>(elementType)) {
    std::optional<int64_t> part = getElementBytes(complex.getElementType());
    return part ? std::optional<int64_t>(2 * *part) : std::nullopt;
  }
  if (!elementType.isIntOrFloat() || elementType.getIntOrFloatBitWidth() % 8)
    return std::nullopt;
  return elementType.getIntOrFloatBitWidth() / 8;
}

/// Strides of a dense row-major tensor; dynamic outside the first `?` counted
/// from the right.
static SmallVector<int64_t> getRowMajorStrides(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> strides(shape.size());
  int64_t stride = 1;
  for (size_t dim = shape.size(); dim-- > 0;) {
    strides[dim] = stride;
    if (ShapedType::isDynamic(stride) || ShapedType::isDynamic(shape[dim])) {
      stride = ShapedType::kDynamic;
      continue;
    }
    // An overflowing product is refused by the extent; here any value does.
    stride = ::atc::checkedMultiply(stride, shape[dim]).value_or(0);
  }
  return strides;
}

//===----------------------------------------------------------------------===//
// ViewType
//===----------------------------------------------------------------------===//

ViewType ViewType::get(ArrayRef<int64_t> shape, Type elementType,
                       ArrayRef<int64_t> strides, graph::LayoutAttr layout) {
  // One type for one meaning: implied strides are never stored. With dynamic
  // sizes they stay, since `?` strides may differ from the implied ones.
  if (!layout && strides == ArrayRef<int64_t>(getRowMajorStrides(shape)) &&
      !ShapedType::isDynamicShape(shape))
    strides = {};
  return Base::get(elementType.getContext(), shape, elementType, strides,
                   layout);
}

SmallVector<int64_t> ViewType::getExplicitStrides() const {
  if (!getStrides().empty())
    return SmallVector<int64_t>(getStrides());
  return getRowMajorStrides(getShape());
}

bool ViewType::hasRank() const { return true; }

ShapedType ViewType::cloneWith(std::optional<ArrayRef<int64_t>> shape,
                               Type elementType) const {
  if (!shape)
    return get(getShape(), elementType, getStrides(), getLayout());
  return get(*shape, elementType);
}

/// Elements below eight bits lie side by side, without gaps.
static std::optional<ViewType::Extent> getPackedExtent(ViewType view) {
  Type element = view.getElementType();
  if (!element.isIntOrFloat() || view.getLayout() || !view.getStrides().empty())
    return std::nullopt;
  int64_t bits = element.getIntOrFloatBitWidth();
  for (int64_t size : view.getShape()) {
    std::optional<int64_t> product = ::atc::checkedMultiply(bits, size);
    if (!product)
      return std::nullopt;
    bits = *product;
  }
  return ViewType::Extent{0, static_cast<int64_t>(llvm::divideCeil(bits, 8))};
}

std::optional<ViewType::Extent> ViewType::getStaticExtent() const {
  if (ShapedType::isDynamicShape(getShape()))
    return std::nullopt;
  std::optional<int64_t> elementBytes = getElementBytes(getElementType());
  if (!elementBytes)
    return getPackedExtent(*this);
  if (graph::LayoutAttr layout = getLayout()) {
    std::optional<int64_t> elements =
        layout.getPhysical().physicalElements(getShape().vec());
    if (!elements)
      return std::nullopt;
    std::optional<int64_t> bytes =
        ::atc::checkedMultiply(*elements, *elementBytes);
    return bytes ? std::optional<Extent>({0, *bytes}) : std::nullopt;
  }
  if (llvm::is_contained(getShape(), 0))
    return Extent{0, 0};
  // The lowest and the highest element that an index reaches.
  int64_t low = 0, high = 0;
  for (auto [size, stride] :
       llvm::zip_equal(getShape(), getExplicitStrides())) {
    if (ShapedType::isDynamic(stride))
      return std::nullopt;
    std::optional<int64_t> reach = ::atc::checkedMultiply(size - 1, stride);
    int64_t &bound = stride < 0 ? low : high;
    std::optional<int64_t> sum =
        reach ? ::atc::checkedAdd(bound, *reach) : std::nullopt;
    if (!sum)
      return std::nullopt;
    bound = *sum;
  }
  std::optional<int64_t> elements = ::atc::checkedSubtract(high, low);
  std::optional<int64_t> bytes =
      elements ? ::atc::checkedMultiply(*elements + 1, *elementBytes)
               : std::nullopt;
  if (!bytes)
    return std::nullopt;
  return Extent{-low * *elementBytes, *bytes};
}

LogicalResult
ViewType::verify(llvm::function_ref<InFlightDiagnostic()> emitError,
                 ArrayRef<int64_t> shape, Type elementType,
                 ArrayRef<int64_t> strides, graph::LayoutAttr layout) {
  for (int64_t size : shape)
    if (size < 0 && !ShapedType::isDynamic(size))
      return emitError() << "expects sizes that are not negative, got " << size;
  if (!getElementBytes(elementType) && !isa<graph::StringType>(elementType) &&
      !(elementType.isIntOrFloat() && strides.empty() && !layout))
    return emitError() << "expects elements of whole bytes in a view with "
                          "strides or a layout, got "
                       << elementType;
  if (layout) {
    if (!strides.empty())
      return emitError() << "expects strides or a layout, got both";
    if (layout.getRank() != shape.size())
      return emitError() << "expects a layout of rank " << shape.size()
                         << ", got rank " << layout.getRank();
    if (ShapedType::isDynamicShape(shape))
      return emitError() << "expects static sizes in a view with a layout";
    return success();
  }
  if (!strides.empty() && strides.size() != shape.size())
    return emitError() << "expects " << shape.size() << " strides, got "
                       << strides.size();
  return success();
}

/// (integer | `?`) (`,` ...)* `]`, behind the opening bracket.
static ParseResult parseStrides(AsmParser &parser,
                                SmallVectorImpl<int64_t> &strides) {
  auto parseOne = [&]() -> ParseResult {
    if (succeeded(parser.parseOptionalQuestion())) {
      strides.push_back(ShapedType::kDynamic);
      return success();
    }
    return parser.parseInteger(strides.emplace_back());
  };
  return failure(parser.parseCommaSeparatedList(parseOne) ||
                 parser.parseRSquare());
}

Type ViewType::parse(AsmParser &parser) {
  SmallVector<int64_t> shape, strides;
  Type elementType;
  graph::LayoutAttr layout;
  SMLoc location = parser.getCurrentLocation();
  if (parser.parseLess() || parser.parseDimensionList(shape) ||
      parser.parseType(elementType))
    return Type();
  if (succeeded(parser.parseOptionalComma())) {
    ParseResult parsed = succeeded(parser.parseOptionalLSquare())
                             ? parseStrides(parser, strides)
                             : parser.parseAttribute(layout);
    if (failed(parsed))
      return Type();
  }
  if (parser.parseGreater())
    return Type();
  auto emitError = [&] { return parser.emitError(location); };
  if (failed(verify(emitError, shape, elementType, strides, layout)))
    return Type();
  return get(shape, elementType, strides, layout);
}

void ViewType::print(AsmPrinter &printer) const {
  auto printSize = [&](int64_t size) {
    if (ShapedType::isDynamic(size))
      printer << '?';
    else
      printer << size;
  };
  printer << '<';
  for (int64_t size : getShape()) {
    printSize(size);
    printer << 'x';
  }
  printer << getElementType();
  if (getLayout())
    printer << ", " << getLayout();
  if (!getStrides().empty()) {
    printer << ", [";
    llvm::interleaveComma(getStrides(), printer, printSize);
    printer << ']';
  }
  printer << '>';
}
