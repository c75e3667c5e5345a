// Rules of the plan's tables.
// SPDX-License-Identifier: Apache-2.0
#include "PlanFaults.h"

#include "atc/Model/PlanFormat.h"
#include "atc/Support/CheckedMath.h"

#include <algorithm>
#include <fmt/format.h>
#include <unordered_set>

namespace atc {
namespace {

/// Each function returns the first fault it finds, or an empty text.
class TableChecker {
public:
  TableChecker(const Plan &plan, const std::optional<PlanSizes> &sizes)
      : plan(plan), sizes(sizes) {}

  std::string check() const;

private:
  std::string checkHeader() const;
  std::string checkLayout(const PhysicalLayout &layout) const;
  std::string checkBuffer(const PlanBuffer &buffer) const;
  std::string checkFixedRange(const PlanBuffer &buffer) const;
  std::string checkView(const PlanView &view) const;
  std::string checkTiledView(const PlanView &view) const;
  std::string checkStaticBounds(const PlanView &view) const;
  std::string checkVariable(const PlanVariable &variable) const;
  std::string checkPort(const PlanPort &port, BufferSpace space,
                        uint32_t index) const;
  std::string checkSymbol(const PlanSymbol &symbol) const;
  std::string checkCodeImage(const PlanCodeImage &image) const;
  std::string checkKernel(const PlanKernel &kernel) const;
  std::string checkSymbolsCoverInputs() const;

  /// Runs `checkOne` on every entry and says which one is at fault.
  template <typename T, typename Check>
  static std::string forEach(const char *what, const std::vector<T> &entries,
                             Check &&checkOne) {
    for (size_t i = 0; i < entries.size(); ++i)
      if (std::string fault = checkOne(entries[i], i); !fault.empty())
        return fmt::format("{} {}: {}", what, i, fault);
    return {};
  }
  template <typename Name, typename T>
  static std::string checkUniqueNames(const char *what,
                                      const std::vector<T> &entries,
                                      Name &&nameOf) {
    std::unordered_set<std::string_view> names;
    for (const T &entry : entries)
      if (nameOf(entry).empty() || !names.insert(nameOf(entry)).second)
        return fmt::format("two {} have the name '{}'", what, nameOf(entry));
    return {};
  }

  const Plan &plan;
  const std::optional<PlanSizes> &sizes;
};

} // namespace

std::string TableChecker::checkHeader() const {
  if (plan.targetKind > TargetKind::Npu || plan.targetName.empty())
    return "the target is unknown";
  static constexpr uint64_t limit = PlanInt::maxStatic;
  if (plan.arenaBytes > limit || plan.variableBytes > limit)
    return "the arena is too large";
  // Every register is set somewhere, so their number is bounded by what sets
  // them; a file cannot ask for more.
  uint64_t definitions = plan.symbols.size();
  for (const auto *list : {&plan.prologue, &plan.body})
    for (const PlanInstruction &instruction : *list) {
      const PlanOperation &operation = instruction.operation;
      if (auto *call = std::get_if<HostCallInstruction>(&operation))
        definitions += call->results.size();
      definitions += std::holds_alternative<ScalarInstruction>(operation) ||
                     std::holds_alternative<LoadScalarInstruction>(operation);
    }
  if (plan.registerCount > definitions)
    return "more registers than instructions that set them";
  return {};
}

std::string TableChecker::checkLayout(const PhysicalLayout &layout) const {
  size_t rank = layout.permutation.size();
  if (rank > planformat::maxRank || layout.tiles.size() > planformat::maxRank ||
      !layout.isValid(rank))
    return "expects a permutation with tiles and halos of its dims";
  return {};
}

/// A static range inside its space.
std::string TableChecker::checkFixedRange(const PlanBuffer &buffer) const {
  if (!buffer.bytes.isStatic())
    return "expects a static size with a fixed place";
  if (buffer.offset % buffer.alignment != 0)
    return "the offset is not aligned";
  uint64_t bytes = buffer.bytes.value();
  switch (buffer.space) {
  case BufferSpace::Arena:
    if (!isRangeInside(buffer.offset, bytes, plan.arenaBytes))
      return "lies outside the arena";
    return {};
  case BufferSpace::Weights:
    if (buffer.offset > uint64_t(PlanInt::maxStatic) ||
        (sizes && !isRangeInside(buffer.offset, bytes, sizes->weightsBytes)))
      return "lies outside the weights";
    return {};
  case BufferSpace::Variable:
    if (!isRangeInside(buffer.offset, bytes, plan.variableBytes))
      return "lies outside the variables";
    return {};
  case BufferSpace::Input:
  case BufferSpace::Output:
    return buffer.offset == 0 ? "" : "expects no offset in a port";
  }
  return "the space is unknown";
}

std::string TableChecker::checkBuffer(const PlanBuffer &buffer) const {
  if (!isPowerOfTwo(buffer.alignment) || buffer.alignment > 4096)
    return "the alignment is no power of two up to 4096";
  if (!isValidPlanInt(plan, buffer.bytes) ||
      (buffer.bytes.isStatic() && buffer.bytes.value() < 0))
    return "the size is malformed";
  bool isPort =
      buffer.space == BufferSpace::Input || buffer.space == BufferSpace::Output;
  size_t ports = buffer.space == BufferSpace::Input ? plan.inputs.size()
                                                    : plan.outputs.size();
  if (isPort ? buffer.port >= ports : buffer.port != noIndex)
    return "the port is malformed";
  if (buffer.placement == Placement::Fixed) {
    if (std::string fault = checkFixedRange(buffer); !fault.empty())
      return fault;
  } else if (buffer.offset != 0 || buffer.space == BufferSpace::Weights ||
             buffer.space == BufferSpace::Variable) {
    return "expects a fixed place";
  }
  if (buffer.placement == Placement::Data && buffer.space == BufferSpace::Input)
    return "the size of an input is known before the body";
  bool isArena = buffer.space == BufferSpace::Arena;
  if (isArena ? buffer.firstUse > buffer.lastUse ||
                    buffer.lastUse > plan.body.size()
              : buffer.firstUse != 0 || buffer.lastUse != 0)
    return "the lifetime is malformed";
  if (buffer.storageGroup != noIndex &&
      (!isArena || buffer.placement != Placement::Shape ||
       buffer.storageGroup >= plan.buffers.size()))
    return "the storage group is malformed";
  return {};
}

/// Sizes are static and the physical buffer fits.
std::string TableChecker::checkTiledView(const PlanView &view) const {
  if (view.layout >= plan.layouts.size() ||
      plan.layouts[view.layout].permutation.size() != view.dims.size())
    return "the layout is malformed";
  const PlanBuffer &buffer = plan.buffers[view.buffer];
  std::vector<int64_t> sizesOfDims;
  for (const PlanView::Dim &dim : view.dims) {
    if (!dim.size.isStatic() || dim.stride != PlanInt(0))
      return "expects static sizes and no strides with a layout";
    sizesOfDims.push_back(dim.size.value());
  }
  if (buffer.placement != Placement::Fixed || !view.byteOffset.isStatic() ||
      elementTypeInfo(view.elementType).bits < 8)
    return "expects a static place and whole bytes with a layout";
  std::optional<int64_t> elements =
      plan.layouts[view.layout].physicalElements(sizesOfDims);
  std::optional<int64_t> bytes =
      elements ? elementBytes(view.elementType, *elements) : std::nullopt;
  if (!bytes ||
      !isRangeInside(view.byteOffset.value(), *bytes, buffer.bytes.value()))
    return "lies outside its buffer";
  return {};
}

/// First and last element lie inside the buffer, as far as all is static.
std::string TableChecker::checkStaticBounds(const PlanView &view) const {
  const PlanBuffer &buffer = plan.buffers[view.buffer];
  bool isStatic = view.byteOffset.isStatic() && buffer.bytes.isStatic();
  for (const PlanView::Dim &dim : view.dims)
    isStatic &= dim.size.isStatic() && dim.stride.isStatic();
  if (!isStatic)
    return {};
  // In 128 bits, with each product limited, the sums below cannot overflow.
  __int128 low = 0, high = 0;
  for (const PlanView::Dim &dim : view.dims) {
    if (dim.size.value() == 0)
      return {};
    __int128 span =
        static_cast<__int128>(dim.size.value() - 1) * dim.stride.value();
    static constexpr __int128 limit = static_cast<__int128>(1) << 100;
    if (span > limit || span < -limit)
      return "lies outside its buffer";
    (span < 0 ? low : high) += span;
  }
  unsigned bits = elementTypeInfo(view.elementType).bits;
  __int128 offsetBits = static_cast<__int128>(view.byteOffset.value()) * 8;
  if (offsetBits + low * bits < 0 ||
      offsetBits + (high + 1) * bits >
          static_cast<__int128>(buffer.bytes.value()) * 8)
    return "lies outside its buffer";
  return {};
}

std::string TableChecker::checkView(const PlanView &view) const {
  if (view.buffer >= plan.buffers.size())
    return "the buffer does not exist";
  if (!isElementType(static_cast<uint8_t>(view.elementType)) ||
      elementTypeInfo(view.elementType).bits == 0)
    return "the element type has no fixed size";
  if (view.dims.size() > planformat::maxRank)
    return "the rank is too large";
  unsigned bytes = elementTypeInfo(view.elementType).bits / 8;
  if (!isValidPlanInt(plan, view.byteOffset) ||
      (view.byteOffset.isStatic() &&
       (view.byteOffset.value() < 0 ||
        (bytes > 1 && view.byteOffset.value() % bytes != 0))))
    return "the offset is malformed";
  for (const PlanView::Dim &dim : view.dims)
    if (!isValidPlanInt(plan, dim.size) || !isValidPlanInt(plan, dim.stride) ||
        (dim.size.isStatic() && dim.size.value() < 0))
      return "a dim is malformed";
  return view.layout == noIndex ? checkStaticBounds(view)
                                : checkTiledView(view);
}

std::string TableChecker::checkVariable(const PlanVariable &variable) const {
  if (variable.view >= plan.views.size())
    return "the view does not exist";
  const PlanBuffer &buffer = plan.buffers[plan.views[variable.view].buffer];
  if (buffer.space != BufferSpace::Variable)
    return "the view is not of a variable";
  if (variable.initial == noIndex)
    return {};
  if (variable.initial >= plan.buffers.size() ||
      plan.buffers[variable.initial].space != BufferSpace::Weights ||
      plan.buffers[variable.initial].bytes != buffer.bytes)
    return "the initial value is malformed";
  return {};
}

std::string TableChecker::checkPort(const PlanPort &port, BufferSpace space,
                                    uint32_t index) const {
  if (port.kind != ValueKind::View)
    return "values other than tensors are not supported by this version";
  if (port.view >= plan.views.size())
    return "the view does not exist";
  const PlanView &view = plan.views[port.view];
  const PlanBuffer &buffer = plan.buffers[view.buffer];
  if (buffer.space != space || buffer.port != index)
    return "the view is not of the port's buffer";
  if (view.byteOffset != PlanInt(0) || view.layout != noIndex)
    return "expects the whole buffer without layout";
  // Dense as far as static; the rest is checked when a shape is known.
  std::optional<int64_t> stride = 1;
  for (size_t dim = view.dims.size(); dim-- > 0 && stride;) {
    const PlanView::Dim &entry = view.dims[dim];
    bool single = entry.size.isStatic() && entry.size.value() <= 1;
    if (entry.stride.isStatic() && !single && entry.stride != PlanInt(*stride))
      return "expects row-major order";
    stride = entry.size.isStatic()
                 ? checkedMultiply(*stride, entry.size.value())
                 : std::nullopt;
    if (stride && *stride > PlanInt::maxStatic)
      stride.reset();
  }
  return {};
}

std::string TableChecker::checkSymbol(const PlanSymbol &symbol) const {
  if (symbol.port >= plan.inputs.size())
    return "the input does not exist";
  const PlanView &view = plan.views[plan.inputs[symbol.port].view];
  if (symbol.dim >= view.dims.size() ||
      symbol.registerIndex >= plan.registerCount ||
      view.dims[symbol.dim].size != PlanInt::reg(symbol.registerIndex))
    return "the dim of the input is not in that register";
  if (symbol.min < 0 || symbol.min > symbol.max ||
      symbol.max > PlanInt::maxStatic)
    return "the range of sizes is malformed";
  return {};
}

std::string TableChecker::checkCodeImage(const PlanCodeImage &image) const {
  if (image.offset % 4096 != 0)
    return "the offset is not aligned";
  if (sizes && !isRangeInside(image.offset, image.bytes, sizes->codeBytes))
    return "lies outside the code";
  if (plan.targetKind == TargetKind::Npu &&
      (image.level != CpuLevel::None || plan.codeImages.size() != 1))
    return "expects a single image without processor level";
  if (plan.targetKind == TargetKind::Cpu && image.level == CpuLevel::None)
    return "expects a processor level";
  return {};
}

std::string TableChecker::checkKernel(const PlanKernel &kernel) const {
  if (kernel.launches.empty() || plan.codeImages.empty())
    return "expects a launch and code";
  for (const PlanKernel::Launch &launch : kernel.launches) {
    if (launch.entries.size() != plan.codeImages.size())
      return "expects an entry for each code image";
    for (size_t i = 0; i < launch.entries.size(); ++i)
      if (plan.targetKind == TargetKind::Npu &&
          launch.entries[i] >= plan.codeImages[i].bytes)
        return "an entry lies outside the code";
  }
  return {};
}

/// Each dynamic dim of an input has a symbol, or its register would be unset.
std::string TableChecker::checkSymbolsCoverInputs() const {
  std::vector<uint64_t> bound;
  for (const PlanSymbol &symbol : plan.symbols)
    bound.push_back(uint64_t(symbol.port) << 32 | symbol.dim);
  std::sort(bound.begin(), bound.end());
  if (std::adjacent_find(bound.begin(), bound.end()) != bound.end())
    return "a dim of an input has two symbols";
  for (uint32_t port = 0; port < plan.inputs.size(); ++port) {
    const PlanView &view = plan.views[plan.inputs[port].view];
    for (uint32_t dim = 0; dim < view.dims.size(); ++dim)
      if (view.dims[dim].size.isRegister() &&
          !std::binary_search(bound.begin(), bound.end(),
                              uint64_t(port) << 32 | dim))
        return fmt::format("dim {} of input '{}' has no symbol", dim,
                           plan.inputs[port].name);
  }
  return {};
}

std::string TableChecker::check() const {
  auto portName = [](const PlanPort &port) -> const std::string & {
    return port.name;
  };
  std::string fault = checkHeader();
  auto then = [&fault](auto &&next) {
    if (fault.empty())
      fault = next();
  };
  // Later tables are checked on the ground of earlier ones.
  then([&] {
    return forEach("layout", plan.layouts,
                   [&](auto &entry, size_t) { return checkLayout(entry); });
  });
  then([&] {
    return forEach("buffer", plan.buffers,
                   [&](auto &entry, size_t) { return checkBuffer(entry); });
  });
  then([&] {
    return forEach("view", plan.views,
                   [&](auto &entry, size_t) { return checkView(entry); });
  });
  then([&] {
    return forEach("variable", plan.variables,
                   [&](auto &entry, size_t) { return checkVariable(entry); });
  });
  then([&] {
    return forEach("input", plan.inputs, [&](auto &entry, size_t i) {
      return checkPort(entry, BufferSpace::Input, i);
    });
  });
  then([&] {
    return forEach("output", plan.outputs, [&](auto &entry, size_t i) {
      return checkPort(entry, BufferSpace::Output, i);
    });
  });
  then([&] { return checkUniqueNames("inputs", plan.inputs, portName); });
  // Models may list a value twice among their outputs.
  then([&] {
    return forEach("output", plan.outputs, [](const PlanPort &port, size_t) {
      return std::string(port.name.empty() ? "expects a name" : "");
    });
  });
  then([&] {
    return forEach("symbol", plan.symbols,
                   [&](auto &entry, size_t) { return checkSymbol(entry); });
  });
  then([&] { return checkSymbolsCoverInputs(); });
  then([&] {
    return forEach("code image", plan.codeImages,
                   [&](auto &entry, size_t) { return checkCodeImage(entry); });
  });
  then([&] {
    return forEach("kernel", plan.kernels,
                   [&](auto &entry, size_t) { return checkKernel(entry); });
  });
  then([&] {
    return checkUniqueNames(
        "kernels", plan.kernels,
        [](const PlanKernel &kernel) -> const std::string & {
          return kernel.name;
        });
  });
  return fault;
}

std::string findTableFault(const Plan &plan,
                           const std::optional<PlanSizes> &sizes) {
  return TableChecker(plan, sizes).check();
}

std::string findPlanFault(const Plan &plan,
                          const std::optional<PlanSizes> &sizes) {
  std::string fault = findTableFault(plan, sizes);
  return fault.empty() ? findInstructionFault(plan) : fault;
}

Status checkPlan(const Plan &plan, const std::optional<PlanSizes> &sizes) {
  std::string fault = findPlanFault(plan, sizes);
  if (fault.empty())
    return Status::success();
  return Status::error(ErrorCode::Internal, "the plan breaks a rule: " + fault);
}

} // namespace atc
