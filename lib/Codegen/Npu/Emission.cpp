// Kernel images from lowered kernel modules.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Codegen/Npu/Emission.h"
#include "ProgramEmitter.h"
#include "atc/Codegen/Npu/KernelLaunch.h"
#include "atc/Target/CurrentWork.h"
#include "mlir/IR/Threading.h"

using namespace mlir;
using namespace mlir::atc;
using namespace mlir::atc::npu;
namespace hw = ::atc::isa;

static std::optional<hw::CoreType> parseCore(StringRef name) {
  for (unsigned i = 0; i < hw::coreTypeCount; ++i) {
    auto core = static_cast<hw::CoreType>(i);
    if (StringRef(hw::coreTypeName(core)) == name)
      return core;
  }
  return std::nullopt;
}

static FailureOr<hw::KernelImage> emitLaunch(func::FuncOp function) {
  auto attribute = function->getAttrOfType<StringAttr>(coreAttrName);
  std::optional<hw::CoreType> core =
      attribute ? parseCore(attribute.getValue()) : std::nullopt;
  if (!core)
    return function.emitError("expects the type of core in '")
           << coreAttrName << "'";
  FailureOr<std::vector<hw::Instruction>> program = emitProgram(function);
  if (failed(program))
    return failure();
  hw::KernelImage kernel;
  kernel.name = function.getSymName().str();
  for (Type type : function.getArgumentTypes())
    ++(isa<MemRefType>(type) ? kernel.bufferCount : kernel.scalarCount);
  kernel.codes.push_back({*core, {std::move(*program), {}}});
  return kernel;
}

FailureOr<CodeImage> mlir::atc::npu::emitCode(ArrayRef<ModuleOp> kernels,
                                              const hw::DeviceRecord &device) {
  SmallVector<func::FuncOp> functions;
  for (ModuleOp module : kernels)
    llvm::append_range(functions, module.getOps<func::FuncOp>());
  hw::Image image;
  image.device = std::string(device.name);
  image.kernels.resize(functions.size());
  CodeImage code;
  if (functions.empty())
    return code;
  auto emit = [&](size_t number) -> LogicalResult {
    auto module = functions[number]->getParentOfType<ModuleOp>();
    CurrentWorkScope work({module.getSymName().value_or(""), module, {}});
    FailureOr<hw::KernelImage> kernel = emitLaunch(functions[number]);
    if (failed(kernel))
      return failure();
    image.kernels[number] = std::move(*kernel);
    return success();
  };
  if (failed(failableParallelForEachN(functions.front().getContext(), 0,
                                      functions.size(), emit)))
    return failure();
  ::atc::Expected<std::vector<uint8_t>> bytes = hw::serializeImage(image);
  if (!bytes)
    return emitError(functions.front().getLoc())
           << bytes.getDiagnostic().message;
  code.bytes.assign(bytes->begin(), bytes->end());
  for (const hw::KernelImage &kernel : image.kernels)
    code.entries[kernel.name] = kernel.entryOffset;
  return code;
}
