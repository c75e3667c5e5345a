// The function of one launch of a kernel, in terms of memrefs.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Codegen/Cpu/KernelLaunch.h"
#include "atc/Dialect/Graph/IR/Graph.h"
#include "atc/Dialect/Graph/IR/KernelSizes.h"
#include "atc/Dialect/Plan/IR/KernelStrides.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::atc;
using namespace mlir::atc::cpu;

/// Sizes of the dynamic dims of operand or result `number`, by the kernel's
/// `graph.shapes`.
static SmallVector<Value> dynamicSizes(RegionEmitter &region,
                                       func::FuncOp kernel, unsigned number,
                                       RankedTensorType type) {
  SmallVector<Value> sizes;
  auto shapes = kernel->getAttrOfType<ArrayAttr>(graph::shapesAttrName);
  if (type.hasStaticShape() || !shapes)
    return sizes;
  AffineMap map = cast<AffineMapAttr>(shapes[number]).getValue();
  for (unsigned dim = 0; dim < type.getRank(); ++dim)
    if (type.isDynamicDim(dim))
      sizes.push_back(
          region.getIndex().value(region.evaluate(map.getResult(dim))));
  return sizes;
}

static MemRefType bufferType(Type elementType) {
  return MemRefType::get({ShapedType::kDynamic}, storageType(elementType));
}

/// The buffers that the configuration lets share memory.
static SmallVector<int64_t> sharedBuffers(graph::ConfigAttr config,
                                          int64_t operandCount) {
  SmallVector<int64_t> shared;
  ArrayRef<int64_t> pairs = config.getInplace();
  for (size_t i = 0; i + 1 < pairs.size(); i += 2) {
    shared.push_back(operandCount + pairs[i]);
    shared.push_back(pairs[i + 1]);
  }
  llvm::sort(shared);
  shared.erase(llvm::unique(shared), shared.end());
  return shared;
}

KernelLaunch KernelLaunch::create(func::FuncOp kernel, unsigned number,
                                  const CpuDescription &cpu) {
  KernelLaunch launch;
  Location loc = kernel.getLoc();
  auto config = kernel->getAttrOfType<graph::ConfigAttr>(configAttrName);
  launch.builder = std::make_unique<OpBuilder>(kernel);
  OpBuilder &builder = *launch.builder;
  SmallVector<RankedTensorType> tensors;
  for (Type type : kernel.getArgumentTypes())
    if (auto tensor = dyn_cast<RankedTensorType>(type))
      tensors.push_back(tensor);
  size_t operandCount = tensors.size();
  size_t dimCount = kernel.getNumArguments() - operandCount;
  for (Type type : kernel.getResultTypes())
    tensors.push_back(cast<RankedTensorType>(type));

  Type byte = builder.getI8Type(), indexType = builder.getIndexType();
  SmallVector<Type> types;
  for (RankedTensorType tensor : tensors)
    types.push_back(bufferType(tensor.getElementType()));
  types.append(config.getWorkspace().size(), bufferType(byte));
  types.append(dimCount, indexType);
  llvm::append_values(types, bufferType(byte), indexType, indexType);

  std::string name = kernel.getSymName().str();
  if (number > 0)
    name += "." + std::to_string(number);
  launch.function = func::FuncOp::create(builder, loc, name,
                                         builder.getFunctionType(types, {}));
  Block *block = launch.function.addEntryBlock();
  builder.setInsertionPointToStart(block);
  ArrayRef<BlockArgument> arguments = block->getArguments();
  launch.end = arguments.back();
  launch.begin = arguments.drop_back(1).back();
  launch.scratch = arguments.drop_back(2).back();
  for (Value dim : arguments.drop_back(3).take_back(dimCount))
    launch.dims.push_back(dim);
  for (Value workspace :
       arguments.slice(tensors.size(), config.getWorkspace().size()))
    launch.workspaces.push_back(workspace);

  IndexBuilder index(builder, loc);
  SmallVector<int64_t> bases(tensors.size() + launch.workspaces.size(), 0);
  launch.region =
      std::make_unique<RegionEmitter>(builder, loc, cpu, launch.dims);
  for (auto [position, tensor] : llvm::enumerate(tensors)) {
    TensorView view = TensorView::create(
        index, arguments[position], tensor,
        dynamicSizes(*launch.region, kernel, position, tensor),
        position < operandCount
            ? plan::getGivenArgumentStrides(kernel, position)
            : plan::getGivenResultStrides(kernel, position - operandCount));
    if (std::optional<int64_t> base = IndexBuilder::getConstant(view.base)) {
      bases[position] = *base;
    } else {
      // Stands for the buffer's start until the ABI pass computes it.
      Value start[] = {view.buffer, index.value(view.base)};
      view.buffer = UnrealizedConversionCastOp::create(
                        builder, loc, view.buffer.getType(), start)
                        .getResult(0);
    }
    if (position < operandCount) {
      launch.region->setView(kernel.getArgument(position), view);
      launch.operands.push_back(std::move(view));
    } else {
      launch.results.push_back(std::move(view));
    }
  }
  launch.function->setAttr(bufferBasesAttrName,
                           builder.getDenseI64ArrayAttr(bases));
  SmallVector<int64_t> shared = sharedBuffers(config, operandCount);
  if (!shared.empty())
    launch.function->setAttr(sharedBuffersAttrName,
                             builder.getDenseI64ArrayAttr(shared));
  return launch;
}

scf::ForOp KernelLaunch::createTileLoop() {
  Location loc = function.getLoc();
  Value step = IndexBuilder(*builder, loc).value(1);
  auto loop = scf::ForOp::create(*builder, loc, begin, end, step);
  builder->setInsertionPointToStart(loop.getBody());
  return loop;
}

static Value viewBytes(OpBuilder &builder, Location loc, Value bytes,
                       int64_t offset, int64_t count, Type elementType) {
  IndexBuilder index(builder, loc);
  return memref::ViewOp::create(builder, loc, bufferType(elementType), bytes,
                                index.value(offset), index.value(count));
}

Value KernelLaunch::scratchBuffer(int64_t byteOffset, int64_t count,
                                  Type elementType) {
  return viewBytes(*builder, function.getLoc(), scratch, byteOffset, count,
                   elementType);
}

Value KernelLaunch::workspaceBuffer(unsigned number, int64_t count,
                                    Type elementType) {
  return viewBytes(*builder, function.getLoc(), workspaces[number], 0, count,
                   elementType);
}

void KernelLaunch::finish() {
  builder->setInsertionPointToEnd(&function.getBody().front());
  func::ReturnOp::create(*builder, function.getLoc());
}
