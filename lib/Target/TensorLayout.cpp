// Layouts on tensor types, and how they pass through ops that rename elements.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Target/TensorLayout.h"
#include "atc/Dialect/Graph/IR/Graph.h"

using namespace mlir;
using namespace mlir::atc;
using ::atc::PhysicalLayout;

PhysicalLayout mlir::atc::getLayout(RankedTensorType type) {
  if (auto layout = dyn_cast_or_null<graph::LayoutAttr>(type.getEncoding()))
    return layout.getPhysical();
  return PhysicalLayout::rowMajor(type.getRank());
}

RankedTensorType mlir::atc::withLayout(RankedTensorType type,
                                       const PhysicalLayout &layout) {
  Attribute encoding;
  if (!layout.isRowMajor())
    encoding = graph::LayoutAttr::get(type.getContext(), layout);
  return RankedTensorType::get(type.getShape(), type.getElementType(),
                               encoding);
}

std::optional<unsigned> mlir::atc::innermostDim(const PhysicalLayout &layout) {
  if (!layout.isStrided() || layout.permutation.empty())
    return std::nullopt;
  return layout.permutation.back();
}

PhysicalLayout mlir::atc::withoutHalo(const PhysicalLayout &layout) {
  PhysicalLayout result = layout;
  result.halos.clear();
  return result;
}

PhysicalLayout mlir::atc::layoutWithInnermost(unsigned rank, unsigned dim) {
  PhysicalLayout layout = PhysicalLayout::rowMajor(rank);
  layout.permutation.erase(layout.permutation.begin() + dim);
  layout.permutation.push_back(dim);
  return layout;
}

/// Renames the dims of a strided layout: dim d becomes newName[d].
static std::optional<PhysicalLayout> renameDims(const PhysicalLayout &layout,
                                                ArrayRef<unsigned> newName) {
  if (!layout.isStrided())
    return std::nullopt;
  PhysicalLayout result = layout;
  for (unsigned &dim : result.permutation)
    dim = newName[dim];
  for (PhysicalLayout::Halo &halo : result.halos)
    halo.dim = newName[halo.dim];
  llvm::sort(result.halos, [](const auto &lhs, const auto &rhs) {
    return lhs.dim < rhs.dim;
  });
  return result;
}

std::optional<PhysicalLayout>
mlir::atc::layoutThroughTranspose(const PhysicalLayout &operand,
                                  ArrayRef<int64_t> permutation) {
  SmallVector<unsigned> newName(permutation.size());
  for (auto [resultDim, operandDim] : llvm::enumerate(permutation))
    newName[operandDim] = resultDim;
  return renameDims(operand, newName);
}

std::optional<PhysicalLayout>
mlir::atc::layoutBeforeTranspose(const PhysicalLayout &result,
                                 ArrayRef<int64_t> permutation) {
  return renameDims(result, llvm::map_to_vector(permutation, [](int64_t dim) {
                      return static_cast<unsigned>(dim);
                    }));
}

namespace {
/// A run of operand dims and the run of result dims with the same elements.
struct DimGroup {
  SmallVector<unsigned> operandDims, resultDims;
};
} // namespace

/// Cuts both shapes into the shortest runs of equal products. Shapes hold no
/// zero.
static SmallVector<DimGroup> groupDims(ArrayRef<int64_t> operandShape,
                                       ArrayRef<int64_t> resultShape) {
  SmallVector<DimGroup> groups;
  size_t i = 0, j = 0;
  while (i < operandShape.size() || j < resultShape.size()) {
    DimGroup group;
    int64_t operandProduct = 1, resultProduct = 1;
    auto takeOperand = [&] {
      operandProduct *= operandShape[i];
      group.operandDims.push_back(i++);
    };
    auto takeResult = [&] {
      resultProduct *= resultShape[j];
      group.resultDims.push_back(j++);
    };
    if (i < operandShape.size())
      takeOperand();
    if (j < resultShape.size())
      takeResult();
    while (operandProduct != resultProduct) {
      bool operandBehind = operandProduct < resultProduct;
      if (operandBehind && i < operandShape.size())
        takeOperand();
      else if (!operandBehind && j < resultShape.size())
        takeResult();
      else
        return {};
    }
    groups.push_back(std::move(group));
  }
  // Trailing ones of either side belong to the last run with elements.
  while (groups.size() > 1 && (groups.back().operandDims.empty() ||
                               groups.back().resultDims.empty())) {
    DimGroup last = groups.pop_back_val();
    groups.back().operandDims.append(last.operandDims);
    groups.back().resultDims.append(last.resultDims);
  }
  return groups;
}

std::optional<PhysicalLayout>
mlir::atc::layoutThroughReshape(const PhysicalLayout &operand,
                                ArrayRef<int64_t> operandShape,
                                ArrayRef<int64_t> resultShape) {
  if (operand.isRowMajor())
    return PhysicalLayout::rowMajor(resultShape.size());
  if (!operand.isStrided() || ShapedType::isDynamicShape(operandShape) ||
      ShapedType::isDynamicShape(resultShape) ||
      llvm::is_contained(operandShape, 0))
    return std::nullopt;

  SmallVector<DimGroup> groups = groupDims(operandShape, resultShape);
  if (groups.empty())
    return std::nullopt;
  PhysicalLayout::Strides strides = operand.strides(
      std::vector<int64_t>(operandShape.begin(), operandShape.end()));
  SmallVector<unsigned> groupOf(operandShape.size());
  PhysicalLayout result;
  for (auto [index, group] : llvm::enumerate(groups)) {
    bool isIdentity =
        group.operandDims.size() == 1 && group.resultDims.size() == 1;
    // Inside a run each dim must continue the one behind it.
    int64_t expected = -1;
    for (unsigned dim : llvm::reverse(group.operandDims)) {
      groupOf[dim] = index;
      if (operandShape[dim] == 1)
        continue;
      if (expected >= 0 && strides.strides[dim] != expected)
        return std::nullopt;
      expected = strides.strides[dim] * operandShape[dim];
    }
    for (const PhysicalLayout::Halo &halo : operand.halos) {
      if (!llvm::is_contained(group.operandDims, halo.dim))
        continue;
      if (!isIdentity)
        return std::nullopt;
      result.halos.push_back({group.resultDims.front(), halo.low, halo.high});
    }
  }

  // A run stands where its first dim with elements stood.
  SmallVector<bool> placed(groups.size(), false);
  auto place = [&](unsigned group) {
    if (placed[group])
      return;
    placed[group] = true;
    llvm::append_range(result.permutation, groups[group].resultDims);
  };
  auto hasHalo = [&](unsigned dim) {
    return llvm::any_of(operand.halos,
                        [&](const auto &halo) { return halo.dim == dim; });
  };
  for (unsigned dim : operand.permutation)
    if (operandShape[dim] != 1 || hasHalo(dim))
      place(groupOf[dim]);
  // Runs of ones may stand anywhere; in front they leave the innermost dim.
  std::vector<unsigned> ones;
  for (auto [index, group] : llvm::enumerate(groups))
    if (!placed[index])
      llvm::append_range(ones, group.resultDims);
  result.permutation.insert(result.permutation.begin(), ones.begin(),
                            ones.end());
  return result;
}
