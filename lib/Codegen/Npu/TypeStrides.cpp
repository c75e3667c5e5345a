// Distances between elements by the layout in a type.
// SPDX-License-Identifier: Apache-2.0
#include "TypeStrides.h"
#include "atc/Target/TensorLayout.h"

using namespace mlir;
using namespace mlir::atc;

SmallVector<int64_t> mlir::atc::npu::getTypeStrides(Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  ::atc::PhysicalLayout layout = getLayout(type);
  if (!layout.isStrided())
    layout = ::atc::PhysicalLayout::rowMajor(type.getRank());
  return llvm::to_vector(layout.strides(type.getShape().vec()).strides);
}

bool mlir::atc::npu::isTiled(Value tensor) {
  return !getLayout(cast<RankedTensorType>(tensor.getType())).isStrided();
}
