// Copies and fills of strided and tiled tensors.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Runtime/TensorRef.h"

#include <cstring>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <numeric>

using namespace atc;
using testing::ElementsAre;
using testing::ElementsAreArray;

static TensorRef makeTensor(ElementType type, void *data,
                            const std::vector<int64_t> &sizes,
                            const std::vector<int64_t> &strides = {}) {
  TensorRef tensor;
  tensor.elementType = type;
  tensor.rank = sizes.size();
  std::copy(sizes.begin(), sizes.end(), tensor.sizes.begin());
  tensor.setDenseStrides();
  std::copy(strides.begin(), strides.end(), tensor.strides.begin());
  tensor.data = static_cast<uint8_t *>(data);
  return tensor;
}

TEST(TensorRef, Density) {
  EXPECT_TRUE(makeTensor(ElementType::F32, nullptr, {2, 3}).isDense());
  EXPECT_TRUE(makeTensor(ElementType::F32, nullptr, {}).isDense());
  EXPECT_FALSE(makeTensor(ElementType::F32, nullptr, {2, 3}, {4, 1}).isDense());
  EXPECT_TRUE(makeTensor(ElementType::F32, nullptr, {1, 3}, {99, 1}).isDense())
      << "the stride of a single element does not matter";
  EXPECT_TRUE(makeTensor(ElementType::F32, nullptr, {0, 3}, {7, 7}).isDense());
}

TEST(CopyTensor, Transposes) {
  int16_t from[6] = {0, 1, 2, 3, 4, 5}, to[6] = {};
  EXPECT_TRUE(copyTensor(makeTensor(ElementType::I16, from, {3, 2}, {1, 3}),
                         makeTensor(ElementType::I16, to, {3, 2})));
  EXPECT_THAT(to, ElementsAre(0, 3, 1, 4, 2, 5));
}

TEST(CopyTensor, BroadcastsReversesAndScatters) {
  uint8_t from[2] = {1, 2}, to[8] = {};
  copyTensor(makeTensor(ElementType::U8, from + 1, {2, 2}, {0, -1}),
             makeTensor(ElementType::U8, to, {2, 2}, {4, 2}));
  EXPECT_THAT(to, ElementsAre(2, 0, 1, 0, 2, 0, 1, 0));
}

TEST(CopyTensor, ScalarsAndNothing) {
  double from = 3, to = 0;
  copyTensor(makeTensor(ElementType::F64, &from, {}),
             makeTensor(ElementType::F64, &to, {}));
  EXPECT_EQ(to, 3);
  EXPECT_TRUE(copyTensor(makeTensor(ElementType::F64, nullptr, {0, 4}),
                         makeTensor(ElementType::F64, nullptr, {0, 4})));
}

TEST(CopyTensor, PackedElementsOnlyDense) {
  uint8_t from[2] = {0x21, 0x03}, to[2] = {};
  EXPECT_TRUE(copyTensor(makeTensor(ElementType::I4, from, {3}),
                         makeTensor(ElementType::I4, to, {3})));
  EXPECT_THAT(to, ElementsAre(0x21, 0x03));
  EXPECT_FALSE(copyTensor(makeTensor(ElementType::I4, from, {3}, {2}),
                          makeTensor(ElementType::I4, to, {3})));
}

TEST(CopyTensor, AnyPairOfOrdersAgreesWithTheDefinition) {
  // [2,3,4,5] as NCHW with a pitch to NHWC with a halo, for each element size.
  const std::vector<int64_t> sizes = {2, 3, 4, 5};
  const std::vector<int64_t> fromStrides = {80, 24, 6, 1};
  const std::vector<int64_t> toStrides = {126, 1, 21, 3};
  for (ElementType type : {ElementType::U8, ElementType::F16, ElementType::F32,
                           ElementType::F64, ElementType::C128}) {
    int64_t bytes = elementTypeInfo(type).bits / 8;
    std::vector<uint8_t> from(400 * bytes), to(400 * bytes, 0xee);
    for (size_t i = 0; i < from.size(); ++i)
      from[i] = static_cast<uint8_t>(i * 7 + i / 251);
    std::vector<uint8_t> expected = to;
    for (int64_t n = 0; n < 2; ++n)
      for (int64_t c = 0; c < 3; ++c)
        for (int64_t h = 0; h < 4; ++h)
          for (int64_t w = 0; w < 5; ++w)
            std::memcpy(&expected[(24 + n * 126 + c + h * 21 + w * 3) * bytes],
                        &from[(n * 80 + c * 24 + h * 6 + w) * bytes], bytes);
    copyTensor(makeTensor(type, from.data(), sizes, fromStrides),
               makeTensor(type, to.data() + 24 * bytes, sizes, toStrides));
    EXPECT_EQ(to, expected);
  }
}

TEST(CopyTensor, TiledLayoutAndBack) {
  // [N,C,H,W] = [1,20,2,3] as NC1HWC0 and back.
  PhysicalLayout layout{{0, 1, 2, 3}, {{1, 16}}, {}};
  std::vector<float> dense(120), tiled(192, -1), back(120);
  std::iota(dense.begin(), dense.end(), 0.0f);
  TensorRef inTiles = makeTensor(ElementType::F32, tiled.data(), {1, 20, 2, 3});
  inTiles.layout = &layout;
  copyTensor(makeTensor(ElementType::F32, dense.data(), {1, 20, 2, 3}),
             inTiles);
  // Channel 17 at (1, 2): tile 1, position (1, 2), lane 1.
  EXPECT_EQ(tiled[((1 * 2 + 1) * 3 + 2) * 16 + 1], (17 * 2 + 1) * 3 + 2);
  copyTensor(inTiles, makeTensor(ElementType::F32, back.data(), {1, 20, 2, 3}));
  EXPECT_THAT(back, ElementsAreArray(dense));
}

TEST(FillTensor, RepeatsThePattern) {
  uint16_t dense[3] = {};
  fillTensor(makeTensor(ElementType::F16, dense, {3}), 0x3c00);
  EXPECT_THAT(dense, ElementsAre(0x3c00, 0x3c00, 0x3c00));
  uint32_t spread[4] = {7, 7, 7, 7};
  fillTensor(makeTensor(ElementType::F32, spread, {2}, {2}), 5);
  EXPECT_THAT(spread, ElementsAre(5, 7, 5, 7));
  uint8_t packed[2] = {};
  EXPECT_TRUE(fillTensor(makeTensor(ElementType::U4, packed, {4}), 0x3));
  EXPECT_THAT(packed, ElementsAre(0x33, 0x33));
}

TEST(ZeroHalo, ClearsTheShellAndNothingElse) {
  // A 2x3 tensor with a halo of 1 above, 2 below, 1 left, 2 right in a buffer
  // of 5 rows of 8.
  std::vector<int32_t> buffer(40, 9);
  TensorRef tensor =
      makeTensor(ElementType::I32, buffer.data() + 8 + 1, {2, 3}, {8, 1});
  int64_t low[] = {1, 1}, high[] = {2, 2};
  zeroHalo(tensor, low, high);
  for (int row = 0; row < 5; ++row)
    for (int column = 0; column < 8; ++column) {
      bool interior = row >= 1 && row < 3 && column >= 1 && column < 4;
      bool outside = column >= 6;
      EXPECT_EQ(buffer[row * 8 + column], interior || outside ? 9 : 0)
          << row << ", " << column;
    }
}
