// Compiles one kernel region for a simulated NPU and runs it.
// SPDX-License-Identifier: Apache-2.0
#include "NpuKernelRunner.h"
#include "atc/Codegen/Npu/NpuTarget.h"
#include "atc/Codegen/Npu/Template.h"
#include "atc/Support/Float16.h"
#include "atc/Target/TensorLayout.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/raw_ostream.h"
#include <cstring>
#include <random>

using namespace mlir;
using namespace mlir::atc;
using namespace mlir::atc::test;
namespace hw = ::atc::isa;
namespace sim = ::atc::sim;

Elements mlir::atc::test::randomElements(int64_t count, unsigned seed) {
  std::mt19937 generator(seed);
  Elements elements(count);
  for (float &element : elements)
    element = static_cast<float>(int(generator() % 256) - 128) / 64;
  return elements;
}

float mlir::atc::test::toHalf(float value) {
  return ::atc::halfToFloat(::atc::floatToHalf(value));
}

std::string mlir::atc::test::describe(const sim::Report &report) {
  std::string text;
  for (const sim::Fault &fault : report.faults)
    text += std::string(sim::faultKindName(fault.kind)) + ": block " +
            std::to_string(fault.block) + ", instruction " +
            std::to_string(fault.instruction) + ": " + fault.message + "\n";
  return text;
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

::atc::PhysicalLayout NpuKernelRunner::Buffer::layout() const {
  return getLayout(type);
}

void NpuKernelRunner::Buffer::allocate() {
  int64_t elements = *layout().physicalElements(type.getShape().vec());
  bytes.assign(elements * type.getElementTypeBitWidth() / 8, 0);
}

/// Calls visit(position, index) for all elements in row-major order.
static void forEachIndex(
    ArrayRef<int64_t> shape,
    llvm::function_ref<void(int64_t, const std::vector<int64_t> &)> visit) {
  int64_t count = 1;
  for (int64_t size : shape)
    count *= size;
  for (int64_t position = 0; position < count; ++position) {
    std::vector<int64_t> index(shape.size());
    int64_t rest = position;
    for (size_t dim = shape.size(); dim-- > 0;) {
      index[dim] = rest % shape[dim];
      rest /= shape[dim];
    }
    visit(position, index);
  }
}

void NpuKernelRunner::Buffer::store(const Elements &elements) {
  ::atc::PhysicalLayout physical = layout();
  std::vector<int64_t> shape = type.getShape().vec();
  bool isHalf = type.getElementType().isF16();
  forEachIndex(shape, [&](int64_t position, const std::vector<int64_t> &index) {
    int64_t offset = physical.offset(shape, index);
    if (isHalf) {
      uint16_t bits = ::atc::floatToHalf(elements[position]);
      memcpy(&bytes[offset * 2], &bits, 2);
    } else {
      memcpy(&bytes[offset * 4], &elements[position], 4);
    }
  });
}

Elements NpuKernelRunner::Buffer::load() const {
  ::atc::PhysicalLayout physical = layout();
  std::vector<int64_t> shape = type.getShape().vec();
  Elements elements(type.getNumElements());
  bool isHalf = type.getElementType().isF16();
  forEachIndex(shape, [&](int64_t position, const std::vector<int64_t> &index) {
    int64_t offset = physical.offset(shape, index);
    if (isHalf) {
      uint16_t bits;
      memcpy(&bits, &bytes[offset * 2], 2);
      elements[position] = ::atc::halfToFloat(bits);
    } else {
      memcpy(&elements[position], &bytes[offset * 4], 4);
    }
  });
  return elements;
}

//===----------------------------------------------------------------------===//
// Compilation
//===----------------------------------------------------------------------===//

NpuKernelRunner::NpuKernelRunner(StringRef device)
    : device(*hw::findDevice(std::string_view(device))) {
  DialectRegistry registry;
  registry.insert<graph::GraphDialect>();
  npu::createNpuTarget(this->device)->registerDialects(registry);
  context.appendDialectRegistry(registry);
  context.loadAllAvailableDialects();
}

/// A module whose function holds the kernel; constants are weights.
static std::string kernelText(const NpuRegion &region) {
  std::string header, weights, arguments, types, block;
  auto append = [](std::string &list, const std::string &item) {
    list += (list.empty() ? "" : ", ") + item;
  };
  for (size_t i = 0; i < region.operands.size(); ++i) {
    std::string name = "%x" + std::to_string(i);
    std::string type = "tensor<" + region.operands[i] + ">";
    if (llvm::is_contained(region.constants, i))
      weights += name + "_out = graph.weight @w" + std::to_string(i) + " : " +
                 type + "\n";
    else
      append(header, name + "_out: " + type);
    append(arguments, name + "_out");
    append(types, type);
    append(block, name + ": " + type);
  }
  return "func.func @main(" + header + ") {\n" + weights + "graph.kernel(" +
         arguments + ") : (" + types + ") -> " + region.yieldedType +
         " {\n^bb0(" + block + "):\n" + region.body + "\ngraph.yield %" +
         region.yielded + " : " + region.yieldedType + "\n}\nreturn\n}\n";
}

static ::atc::PhysicalLayout layoutFor(const LayoutRequest &request,
                                       unsigned rank,
                                       ArrayRef<unsigned> order) {
  if (request.kind == LayoutRequest::Kind::Innermost)
    return layoutWithInnermost(rank, request.innermost);
  if (request.kind != LayoutRequest::Kind::Strided)
    return request.layout;
  ::atc::PhysicalLayout layout = ::atc::PhysicalLayout::rowMajor(rank);
  if (!order.empty())
    layout.permutation.assign(order.begin(), order.end());
  return layout;
}

bool NpuKernelRunner::settleLayouts(graph::KernelOp kernel,
                                    const NpuRegion &region) {
  std::shared_ptr<const Target> target = npu::createNpuTarget(device);
  SmallVector<KernelCandidate> candidates = target->candidates(kernel, reason);
  if (candidates.empty())
    return false;
  KernelCandidate &candidate = candidates.front();
  templateName = candidate.name;
  for (auto [number, request] : llvm::enumerate(candidate.operands)) {
    Value operand = kernel.getArgs()[number];
    auto type = cast<RankedTensorType>(operand.getType());
    ArrayRef<unsigned> order;
    if (number < region.operandOrders.size())
      order = region.operandOrders[number];
    type = withLayout(type, layoutFor(request, type.getRank(), order));
    operand.setType(type);
    kernel.getTensorArguments()[number].setType(type);
  }
  auto type = cast<RankedTensorType>(kernel.getResult(0).getType());
  type = withLayout(type, layoutFor(candidate.results[0], type.getRank(),
                                    region.resultOrder));
  kernel.getResult(0).setType(type);
  kernel.getYielded()[0].setType(type);
  FailureOr<graph::ConfigAttr> configured =
      target->configure(kernel, templateName);
  if (failed(configured))
    return false;
  config = *configured;
  return true;
}

OwningOpRef<ModuleOp> NpuKernelRunner::outline(graph::KernelOp kernel) {
  OpBuilder builder(&context);
  Location loc = kernel.getLoc();
  OwningOpRef<ModuleOp> outer = ModuleOp::create(loc);
  builder.setInsertionPointToEnd(outer->getBody());
  auto module = ModuleOp::create(builder, loc, "kernel_0");
  builder.setInsertionPointToEnd(module.getBody());
  Block &body = kernel.getBodyBlock();
  auto function =
      func::FuncOp::create(builder, loc, "kernel_0",
                           builder.getFunctionType(body.getArgumentTypes(),
                                                   kernel.getResultTypes()));
  function->setAttr(npu::configAttrName, config);
  IRMapping mapping;
  kernel.getBody().cloneInto(&function.getBody(), mapping);
  Operation *yield = function.front().getTerminator();
  builder.setInsertionPoint(yield);
  func::ReturnOp::create(builder, loc, yield->getOperands());
  yield->erase();
  return outer;
}

bool NpuKernelRunner::compile(const NpuRegion &region) {
  ParserConfig parserConfig(&context, /*verifyAfterParse=*/false);
  OwningOpRef<ModuleOp> source =
      parseSourceString<ModuleOp>(kernelText(region), parserConfig);
  if (!source)
    return false;
  graph::KernelOp kernel;
  source->walk([&](graph::KernelOp op) { kernel = op; });
  if (!settleLayouts(kernel, region)) {
    llvm::errs() << "no template: " << reason << "\n";
    return false;
  }
  tiles = config.getTiles()[0].getSingleConstantResult();
  buffers.clear();
  for (Type type : kernel.getArgs().getTypes())
    buffers.push_back({cast<RankedTensorType>(type), {}});
  buffers.push_back(
      {cast<RankedTensorType>(kernel.getResult(0).getType()), {}});

  OwningOpRef<ModuleOp> module = outline(kernel);
  std::shared_ptr<const Target> target = npu::createNpuTarget(device);
  PassManager manager(&context);
  target->buildLowering(manager.nest<ModuleOp>());
  if (failed(manager.run(*module)))
    return false;
  if (getenv("ATC_TEST_KERNEL"))
    module->print(llvm::errs());
  FailureOr<CodeImage> code = target->emit(*module);
  if (failed(code))
    return false;
  ::atc::Expected<hw::Image> parsed =
      hw::parseImage(reinterpret_cast<const uint8_t *>(code->bytes.data()),
                     code->bytes.size());
  if (!parsed) {
    llvm::errs() << parsed.getDiagnostic().message << "\n";
    return false;
  }
  image = std::move(*parsed);
  return true;
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

sim::Report NpuKernelRunner::run(const std::vector<Elements> &operands,
                                 uint32_t blocks) {
  std::vector<sim::BufferBinding> bindings;
  for (auto [number, buffer] : llvm::enumerate(buffers)) {
    buffer.allocate();
    bool isOperand = number < operands.size();
    if (isOperand)
      buffer.store(operands[number]);
    else
      std::fill(buffer.bytes.begin(), buffer.bytes.end(), char(0xff));
    bindings.push_back({buffer.bytes.data(), buffer.bytes.size(),
                        /*initialized=*/isOperand, /*writable=*/!isOperand});
  }
  ::atc::Expected<std::vector<uint8_t>> bytes = hw::serializeImage(image);
  if (!bytes)
    llvm::report_fatal_error(bytes.getDiagnostic().message.c_str());
  sim::SimulatorOptions options;
  options.strict = true;
  ::atc::Expected<sim::Simulator> simulator =
      sim::Simulator::create(bytes->data(), bytes->size(), options);
  if (!simulator)
    llvm::report_fatal_error(simulator.getDiagnostic().message.c_str());
  if (blocks == 0)
    blocks = simulator->blockCount(0, tiles);
  ::atc::Expected<sim::Report> report =
      simulator->launch(0, blocks, bindings, {});
  if (!report)
    llvm::report_fatal_error(report.getDiagnostic().message.c_str());
  return *report;
}

Elements NpuKernelRunner::getResult() const { return buffers.back().load(); }
