// Strides that the plan gives to the operands and results of a kernel.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Dialect/Plan/IR/KernelStrides.h"
#include "atc/Dialect/Plan/IR/Plan.h"

using namespace mlir;
using namespace mlir::atc;

static ArrayRef<int64_t> getGiven(Attribute attribute) {
  auto strides = dyn_cast_or_null<DenseI64ArrayAttr>(attribute);
  return strides ? strides.asArrayRef() : ArrayRef<int64_t>();
}

static SmallVector<int64_t> getStrides(Type type, ArrayRef<int64_t> given) {
  if (!given.empty())
    return SmallVector<int64_t>(given);
  auto tensor = cast<RankedTensorType>(type);
  auto layout = dyn_cast_or_null<graph::LayoutAttr>(tensor.getEncoding());
  ::atc::PhysicalLayout physical =
      layout ? layout.getPhysical()
             : ::atc::PhysicalLayout::rowMajor(tensor.getRank());
  std::vector<int64_t> strides =
      physical.strides(tensor.getShape().vec()).strides;
  return SmallVector<int64_t>(strides.begin(), strides.end());
}

ArrayRef<int64_t> plan::getGivenArgumentStrides(FunctionOpInterface kernel,
                                                unsigned index) {
  return getGiven(kernel.getArgAttr(index, stridesAttrName));
}

ArrayRef<int64_t> plan::getGivenResultStrides(FunctionOpInterface kernel,
                                              unsigned index) {
  return getGiven(kernel.getResultAttr(index, stridesAttrName));
}

SmallVector<int64_t> plan::getArgumentStrides(FunctionOpInterface kernel,
                                              unsigned index) {
  return getStrides(kernel.getArgumentTypes()[index],
                    getGivenArgumentStrides(kernel, index));
}

SmallVector<int64_t> plan::getResultStrides(FunctionOpInterface kernel,
                                            unsigned index) {
  return getStrides(kernel.getResultTypes()[index],
                    getGivenResultStrides(kernel, index));
}
