// Compiles one kernel region with a template and runs it on logical tensors.
// SPDX-License-Identifier: Apache-2.0
#include "TemplateRunner.h"
#include "atc/Codegen/Cpu/KernelLaunch.h"
#include "atc/Codegen/Cpu/Template.h"
#include "atc/Dialect/Graph/IR/KernelSizes.h"
#include "atc/Support/Float16.h"
#include "atc/Target/TensorLayout.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>
#include <cstring>
#include <random>

using namespace mlir;
using namespace mlir::atc;
using namespace mlir::atc::test;

Elements mlir::atc::test::randomElements(int64_t count, unsigned seed) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<double> distribution(-1, 1);
  Elements elements(count);
  for (double &element : elements)
    element = static_cast<float>(distribution(generator));
  return elements;
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

static size_t elementBytes(Type type) {
  return std::max(type.getIntOrFloatBitWidth() / 8, 1u);
}

static void writeElement(char *at, Type type, double value) {
  if (type.isF32()) {
    float number = static_cast<float>(value);
    memcpy(at, &number, sizeof number);
  } else if (type.isF64()) {
    memcpy(at, &value, sizeof value);
  } else if (type.isF16()) {
    uint16_t bits = ::atc::floatToHalf(static_cast<float>(value));
    memcpy(at, &bits, sizeof bits);
  } else {
    int64_t number = static_cast<int64_t>(value);
    memcpy(at, &number, elementBytes(type));
  }
}

static double readElement(const char *at, Type type) {
  if (type.isF32()) {
    float number;
    memcpy(&number, at, sizeof number);
    return number;
  }
  if (type.isF64()) {
    double number;
    memcpy(&number, at, sizeof number);
    return number;
  }
  if (type.isF16()) {
    uint16_t bits;
    memcpy(&bits, at, sizeof bits);
    return ::atc::halfToFloat(bits);
  }
  int64_t number = 0;
  memcpy(&number, at, elementBytes(type));
  unsigned unused = 64 - 8 * elementBytes(type);
  return static_cast<double>(number << unused >> unused);
}

/// Calls `visit` with every index of a shape, in row-major order.
static void
forEachIndex(const std::vector<int64_t> &shape,
             function_ref<void(const std::vector<int64_t> &)> visit) {
  int64_t count = 1;
  for (int64_t size : shape)
    count *= size;
  std::vector<int64_t> index(shape.size(), 0);
  for (int64_t i = 0; i < count; ++i) {
    visit(index);
    for (size_t dim = shape.size(); dim-- > 0;) {
      if (++index[dim] < shape[dim])
        break;
      index[dim] = 0;
    }
  }
}

/// Bytes around tensors.
static constexpr char guard = 0x5a;

void TemplateRunner::Buffer::allocate(bool poison) {
  int64_t count = *layout.physicalElements(shape);
  size_t size = elementBytes(type.getElementType());
  // What lies around the tensor is neither 0 nor to be changed.
  bytes.assign(count * size + 64 + 64, guard);
  data = bytes.data() + (64 - reinterpret_cast<uintptr_t>(bytes.data()) % 64);
  std::memset(data, 0, count * size);
  base = layout.isStrided() ? layout.strides(shape).base : 0;
  if (poison) {
    // What a kernel forgets to write shows as NaN; halos are zero.
    double nan = std::numeric_limits<double>::quiet_NaN();
    if (!isa<FloatType>(type.getElementType()))
      nan = -7;
    forEachIndex(shape, [&](const std::vector<int64_t> &index) {
      writeElement(data + layout.offset(shape, index) * size,
                   type.getElementType(), nan);
    });
  }
}

bool TemplateRunner::Buffer::guardsAreIntact() const {
  size_t size = elementBytes(type.getElementType());
  const char *end = data + *layout.physicalElements(shape) * size;
  auto isGuard = [](char byte) { return byte == guard; };
  return std::all_of(bytes.data(), static_cast<const char *>(data), isGuard) &&
         std::all_of(end, bytes.data() + bytes.size(), isGuard);
}

void TemplateRunner::Buffer::store(const Elements &elements) {
  size_t next = 0, size = elementBytes(type.getElementType());
  forEachIndex(shape, [&](const std::vector<int64_t> &index) {
    writeElement(data + layout.offset(shape, index) * size,
                 type.getElementType(), elements[next++]);
  });
}

Elements TemplateRunner::Buffer::load() const {
  Elements elements;
  size_t size = elementBytes(type.getElementType());
  forEachIndex(shape, [&](const std::vector<int64_t> &index) {
    elements.push_back(readElement(data + layout.offset(shape, index) * size,
                                   type.getElementType()));
  });
  return elements;
}

bool TemplateRunner::Buffer::haloIsZero() const {
  size_t size = elementBytes(type.getElementType());
  std::vector<char> rest(data, data + *layout.physicalElements(shape) * size);
  forEachIndex(shape, [&](const std::vector<int64_t> &index) {
    memset(rest.data() + layout.offset(shape, index) * size, 0, size);
  });
  return llvm::all_of(rest, [](char byte) { return byte == 0; });
}

bool TemplateRunner::haloStaysZero() const {
  return llvm::all_of(buffers,
                      [](const Buffer &buffer) { return buffer.haloIsZero(); });
}

//===----------------------------------------------------------------------===//
// Compiling
//===----------------------------------------------------------------------===//

static std::string kernelText(const TemplateRunner::Region &region,
                              size_t dimCount) {
  std::string text, arguments, types, block, dims, dimOperands, dimTypes;
  llvm::raw_string_ostream stream(text);
  auto append = [](std::string &list, const std::string &item) {
    list += (list.empty() ? "" : ", ") + item;
  };
  std::string header;
  for (size_t i = 0; i < region.operands.size(); ++i) {
    std::string type = "tensor<" + region.operands[i] + ">";
    append(header, "%x" + std::to_string(i) + ": " + type);
    append(arguments, "%x" + std::to_string(i));
    append(types, type);
    append(block, "%x" + std::to_string(i) + "_: " + type);
  }
  for (size_t i = 0; i < dimCount; ++i) {
    append(header, "%d" + std::to_string(i) + ": index");
    append(dimOperands, "%d" + std::to_string(i));
    append(dims, "%d" + std::to_string(i) + "_: index");
    append(dimTypes, "index");
  }
  stream << "func.func @main(" << header << ") {\n";
  for (size_t i = 0; i < region.constants.size(); ++i) {
    std::string type = "tensor<" + region.constants[i] + ">";
    std::string name = "w" + std::to_string(i);
    stream << "%" << name << " = graph.weight @" << name << " : " << type
           << "\n";
    append(arguments, "%" + name);
    append(types, type);
    append(block, "%" + name + "_: " + type);
  }
  if (!dims.empty()) {
    append(block, dims);
    append(types, dimTypes);
  }
  stream << "graph.kernel(" << arguments << ")";
  if (!dimOperands.empty())
    stream << " dims(" << dimOperands << ")";
  if (!region.shapes.empty())
    stream << " shapes [" << region.shapes << "]";
  stream << " : (" << types << ") -> " << region.yieldedType << " {\n^bb0("
         << block << "):\n";
  // Inside, operands go by the names of the arguments.
  std::string body = region.body;
  for (std::string kind : {"%x", "%w"})
    for (int i = 9; i >= 0; --i) {
      std::string name = kind + std::to_string(i);
      for (size_t at = 0; (at = body.find(name, at)) != std::string::npos;
           at += name.size() + 1)
        body.insert(at + name.size(), "_");
    }
  stream << body << "\ngraph.yield %" << region.yielded << " : "
         << region.yieldedType << "\n}\nreturn\n}\n";
  return text;
}

static ::atc::PhysicalLayout layoutFor(const LayoutRequest &request,
                                       unsigned rank, int64_t extraHalo) {
  if (request.kind == LayoutRequest::Kind::Strided)
    return ::atc::PhysicalLayout::rowMajor(rank);
  if (request.kind == LayoutRequest::Kind::Innermost)
    return layoutWithInnermost(rank, request.innermost);
  ::atc::PhysicalLayout layout = request.layout;
  if (request.kind == LayoutRequest::Kind::Exact || extraHalo == 0)
    return layout;
  for (unsigned dim = 2; dim < rank; ++dim) {
    auto found = llvm::find_if(
        layout.halos, [&](const auto &halo) { return halo.dim == dim; });
    if (found == layout.halos.end()) {
      layout.halos.push_back({dim, extraHalo, extraHalo});
    } else {
      found->low += extraHalo;
      found->high += extraHalo;
    }
  }
  return layout;
}

bool TemplateRunner::applyLayouts(graph::KernelOp kernel,
                                  const TemplateOptions &options) {
  const CpuDescription &cpu = *hostCpu();
  SmallVector<KernelCandidate> candidates;
  for (const cpu::Template *kernelTemplate : cpu::getTemplates()) {
    std::string why;
    kernelTemplate->addCandidates(kernel, cpu, candidates, why);
    if (reason.empty())
      reason = why;
    if (!candidates.empty())
      break;
  }
  if (candidates.empty())
    return false;
  KernelCandidate &candidate = candidates.front();
  templateName = candidate.name;
  for (auto [number, request] : llvm::enumerate(candidate.operands)) {
    Value operand = kernel.getArgs()[number];
    auto type = cast<RankedTensorType>(operand.getType());
    type = withLayout(type,
                      layoutFor(request, type.getRank(), options.operandHalo));
    operand.setType(type);
    kernel.getTensorArguments()[number].setType(type);
  }
  for (auto [number, request] : llvm::enumerate(candidate.results)) {
    auto type = cast<RankedTensorType>(kernel.getResult(number).getType());
    type = withLayout(type,
                      layoutFor(request, type.getRank(), options.resultHalo));
    kernel.getResult(number).setType(type);
    kernel.getYielded()[number].setType(type);
  }
  FailureOr<graph::ConfigAttr> configured =
      cpu::lookupTemplate(templateName)->configure(kernel, templateName, cpu);
  if (failed(configured))
    return false;
  config = *configured;
  return true;
}

OwningOpRef<ModuleOp> TemplateRunner::outline(graph::KernelOp kernel) {
  OpBuilder builder(kernel.getContext());
  Location loc = kernel.getLoc();
  OwningOpRef<ModuleOp> module = ModuleOp::create(loc);
  builder.setInsertionPointToEnd(module->getBody());
  Block &body = kernel.getBodyBlock();
  auto function =
      func::FuncOp::create(builder, loc, "kernel_0",
                           builder.getFunctionType(body.getArgumentTypes(),
                                                   kernel.getResultTypes()));
  function->setAttr(cpu::configAttrName, config);
  if (kernel.getShapes())
    function->setAttr(graph::shapesAttrName, *kernel.getShapes());
  Block *entry = function.addEntryBlock();
  builder.setInsertionPointToStart(entry);
  IRMapping mapping;
  mapping.map(body.getArguments(), entry->getArguments());
  for (Operation &op : body.without_terminator())
    builder.clone(op, mapping);
  SmallVector<Value> results;
  for (Value value : kernel.getYielded())
    results.push_back(mapping.lookup(value));
  func::ReturnOp::create(builder, loc, results);
  return module;
}

bool TemplateRunner::compile(const Region &region,
                             const TemplateOptions &options) {
  MLIRContext &context = runner.getContext();
  context.loadDialect<graph::GraphDialect>();
  ParserConfig config(&context, /*verifyAfterParse=*/false);
  source = parseSourceString<ModuleOp>(kernelText(region, options.dims.size()),
                                       config);
  if (!source)
    return false;
  graph::KernelOp kernel;
  source->walk([&](graph::KernelOp op) { kernel = op; });
  if (!applyLayouts(kernel, options)) {
    llvm::errs() << "no template: " << reason << "\n";
    return false;
  }
  OwningOpRef<ModuleOp> module = outline(kernel);
  if (getenv("ATC_TEST_KERNEL"))
    module->print(llvm::errs());
  buffers.clear();
  operandCount = kernel.getArgs().size();
  auto addBuffer = [&](Type type) {
    Buffer buffer;
    buffer.type = cast<RankedTensorType>(type);
    buffer.shape.assign(buffer.type.getShape().begin(),
                        buffer.type.getShape().end());
    buffer.layout = getLayout(buffer.type);
    buffers.push_back(std::move(buffer));
  };
  llvm::for_each(kernel.getArgs().getTypes(), addBuffer);
  llvm::for_each(kernel.getResultTypes(), addBuffer);
  setDims(options.dims);
  workspaces.clear();
  for (int64_t bytes : this->config.getWorkspace())
    workspaces.emplace_back(bytes + 64);
  return runner.compile(std::move(module), /*fromLaunches=*/false);
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

void TemplateRunner::setDims(const std::vector<int64_t> &sizes) {
  dims = sizes;
  tiles.clear();
  for (AffineMap map : config.getTiles()) {
    SmallVector<Attribute> constants, result;
    for (int64_t dim : dims)
      constants.push_back(
          IntegerAttr::get(IndexType::get(&runner.getContext()), dim));
    if (failed(map.constantFold(constants, result)))
      llvm::report_fatal_error("a tile count is no number");
    tiles.push_back(cast<IntegerAttr>(result[0]).getInt());
  }
}

void TemplateRunner::setOperand(unsigned number, const Elements &elements,
                                std::vector<int64_t> shape) {
  Buffer &buffer = buffers[number];
  if (!shape.empty())
    buffer.shape = shape;
  buffer.allocate(/*poison=*/false);
  buffer.store(elements);
}

static void *aligned(std::vector<char> &bytes) {
  return bytes.data() + (64 - reinterpret_cast<uintptr_t>(bytes.data()) % 64);
}

Elements TemplateRunner::run(std::vector<int64_t> resultShape, unsigned parts) {
  for (size_t i = operandCount; i < buffers.size(); ++i) {
    if (!resultShape.empty())
      buffers[i].shape = resultShape;
    buffers[i].allocate(/*poison=*/true);
  }
  std::vector<void *> pointers;
  for (Buffer &buffer : buffers)
    pointers.push_back(
        buffer.data + buffer.base * elementBytes(buffer.type.getElementType()));
  for (std::vector<char> &workspace : workspaces)
    pointers.push_back(aligned(workspace));
  for (size_t launch = 0; launch < tiles.size(); ++launch) {
    std::string name = "kernel_0";
    if (launch > 0)
      name += "." + std::to_string(launch);
    for (unsigned part = 0; part < parts; ++part)
      runner.run(name, pointers, dims, tiles[launch] * part / parts,
                 tiles[launch] * (part + 1) / parts, config.getScratch());
  }
  for (Buffer &buffer : buffers)
    if (!buffer.guardsAreIntact())
      llvm::report_fatal_error("a kernel wrote outside of a tensor");
  return buffers[operandCount].load();
}

void TemplateRunner::runAgain() {
  std::vector<void *> pointers;
  for (Buffer &buffer : buffers)
    pointers.push_back(
        buffer.data + buffer.base * elementBytes(buffer.type.getElementType()));
  for (std::vector<char> &workspace : workspaces)
    pointers.push_back(aligned(workspace));
  for (size_t launch = 0; launch < tiles.size(); ++launch)
    runner.run(launch == 0 ? "kernel_0" : "kernel_0." + std::to_string(launch),
               pointers, dims, 0, tiles[launch], config.getScratch());
}
