// The algebra of physical layouts against the storage formats of the field.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Support/PhysicalLayout.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <set>

using atc::PhysicalLayout;
using testing::ElementsAre;
using Shape = std::vector<int64_t>;

/// Visits every index of a shape in row-major order.
template <typename Visitor>
static void forEachIndex(const Shape &shape, Visitor &&visit) {
  Shape index(shape.size());
  for (;;) {
    visit(index);
    size_t dim = shape.size();
    while (dim-- > 0 && ++index[dim] == shape[dim])
      index[dim] = 0;
    if (dim == size_t(-1))
      return;
  }
}

/// Different elements have different offsets, all inside the buffer.
static void expectInjective(const PhysicalLayout &layout, const Shape &shape) {
  std::set<int64_t> seen;
  int64_t elements = *layout.physicalElements(shape);
  forEachIndex(shape, [&](const Shape &index) {
    int64_t offset = layout.offset(shape, index);
    EXPECT_GE(offset, 0);
    EXPECT_LT(offset, elements);
    EXPECT_TRUE(seen.insert(offset).second) << "offset " << offset << " twice";
  });
}

TEST(PhysicalLayout, RowMajorIsTheIdentity) {
  PhysicalLayout layout = PhysicalLayout::rowMajor(3);
  EXPECT_TRUE(layout.isRowMajor());
  EXPECT_THAT(*layout.physicalShape({2, 3, 4}), ElementsAre(2, 3, 4));
  EXPECT_EQ(layout.offset({2, 3, 4}, {1, 2, 3}), 23);
  EXPECT_THAT(layout.strides({2, 3, 4}).strides, ElementsAre(12, 4, 1));
}

TEST(PhysicalLayout, ScalarHasOneElement) {
  PhysicalLayout layout = PhysicalLayout::rowMajor(0);
  EXPECT_TRUE(layout.isValid(0));
  EXPECT_EQ(layout.physicalElements({}), 1);
  EXPECT_EQ(layout.offset({}, {}), 0);
}

TEST(PhysicalLayout, NhwcIsAPermutation) {
  PhysicalLayout layout{{0, 2, 3, 1}, {}, {}};
  EXPECT_FALSE(layout.isRowMajor());
  EXPECT_THAT(*layout.physicalShape({2, 3, 5, 7}), ElementsAre(2, 5, 7, 3));
  EXPECT_EQ(layout.offset({2, 3, 5, 7}, {1, 2, 3, 4}),
            ((1 * 5 + 3) * 7 + 4) * 3 + 2);
  expectInjective(layout, {2, 3, 5, 7});
}

TEST(PhysicalLayout, Nc1hwc0TilesChannels) {
  PhysicalLayout layout{{0, 1, 2, 3}, {{1, 16}}, {}};
  EXPECT_THAT(*layout.physicalShape({2, 35, 4, 5}),
              ElementsAre(2, 3, 4, 5, 16));
  // [n, c / 16, h, w, c % 16]
  EXPECT_EQ(layout.offset({2, 35, 4, 5}, {1, 33, 2, 3}),
            (((1 * 3 + 2) * 4 + 2) * 5 + 3) * 16 + 1);
  expectInjective(layout, {2, 35, 4, 5});
}

TEST(PhysicalLayout, FractalZOrdersWeightsForTheCube) {
  PhysicalLayout layout{{1, 2, 3, 0}, {{0, 16}, {1, 16}}, {}};
  // [C1, H, W, N1, 16, C0]
  EXPECT_THAT(*layout.physicalShape({20, 33, 3, 2}),
              ElementsAre(3, 3, 2, 2, 16, 16));
  EXPECT_EQ(layout.offset({20, 33, 3, 2}, {17, 18, 2, 1}),
            ((((1 * 3 + 2) * 2 + 1) * 2 + 1) * 16 + 1) * 16 + 2);
  expectInjective(layout, {20, 33, 3, 2});
}

TEST(PhysicalLayout, FractalNzKeepsBatchDimsInFront) {
  PhysicalLayout layout{{0, 2, 1}, {{1, 16}, {2, 16}}, {}};
  // [..., ceil(W / 16), ceil(H / 16), 16, 16]
  EXPECT_THAT(*layout.physicalShape({2, 17, 40}), ElementsAre(2, 3, 2, 16, 16));
  EXPECT_EQ(layout.offset({2, 17, 40}, {1, 16, 39}),
            (((1 * 3 + 2) * 2 + 1) * 16 + 0) * 16 + 7);
  expectInjective(layout, {2, 17, 40});
}

TEST(PhysicalLayout, FractalNzOfARowVector) {
  PhysicalLayout layout{{1, 0}, {{0, 16}, {1, 16}}, {}};
  EXPECT_THAT(*layout.physicalShape({1, 40}), ElementsAre(3, 1, 16, 16));
}

TEST(PhysicalLayout, FractalZzKeepsTheOrderOfTiles) {
  PhysicalLayout layout{{0, 1}, {{0, 16}, {1, 32}}, {}};
  // [ceil(H / H0), ceil(W / W0), H0, W0]
  EXPECT_THAT(*layout.physicalShape({17, 70}), ElementsAre(2, 3, 16, 32));
  EXPECT_EQ(layout.offset({17, 70}, {16, 69}), ((1 * 3 + 2) * 16 + 0) * 32 + 5);
  expectInjective(layout, {17, 70});
}

TEST(PhysicalLayout, GemmPanelsStreamKPerPanel) {
  // [K / KC, N / 16, KC, 16]
  PhysicalLayout layout{{0, 1}, {{0, 8}, {1, 16}}, {}};
  EXPECT_THAT(*layout.physicalShape({20, 33}), ElementsAre(3, 3, 8, 16));
  EXPECT_EQ(layout.offset({20, 33}, {9, 32}), ((1 * 3 + 2) * 8 + 1) * 16 + 0);
  expectInjective(layout, {20, 33});
}

TEST(PhysicalLayout, SecondTileSplitsTheFirst) {
  // K in blocks of 8, each in pairs: [K / 8, N, 8 / 2, 2]
  PhysicalLayout layout{{0, 1}, {{0, 8}, {0, 2}}, {}};
  EXPECT_THAT(*layout.physicalShape({16, 3}), ElementsAre(2, 3, 4, 2));
  EXPECT_EQ(layout.offset({16, 3}, {13, 2}), ((1 * 3 + 2) * 4 + 2) * 2 + 1);
  expectInjective(layout, {16, 3});
}

TEST(PhysicalLayout, SecondTileNeedNotDivideTheFirst) {
  PhysicalLayout layout{{0}, {{0, 5}, {0, 2}}, {}};
  EXPECT_THAT(*layout.physicalShape({10}), ElementsAre(2, 3, 2));
  expectInjective(layout, {10});
}

TEST(PhysicalLayout, HaloSurroundsTheInterior) {
  PhysicalLayout layout{{0, 2, 3, 1}, {}, {{2, 1, 2}, {3, 3, 0}}};
  EXPECT_THAT(*layout.physicalShape({1, 4, 5, 6}), ElementsAre(1, 8, 9, 4));
  PhysicalLayout::Strides strides = layout.strides({1, 4, 5, 6});
  EXPECT_THAT(strides.strides, ElementsAre(288, 1, 36, 4));
  EXPECT_EQ(strides.base, 1 * 36 + 3 * 4);
  forEachIndex({1, 4, 5, 6}, [&](const Shape &index) {
    int64_t expected = strides.base;
    for (size_t dim = 0; dim < index.size(); ++dim)
      expected += index[dim] * strides.strides[dim];
    EXPECT_EQ(layout.offset({1, 4, 5, 6}, index), expected);
  });
}

TEST(PhysicalLayout, ZeroSizedDimHasNoElements) {
  PhysicalLayout layout{{0, 1, 2, 3}, {{1, 16}}, {}};
  EXPECT_EQ(layout.physicalElements({2, 0, 4, 5}), 0);
}

TEST(PhysicalLayout, OverflowIsReported) {
  PhysicalLayout layout = PhysicalLayout::rowMajor(3);
  EXPECT_EQ(layout.physicalShape({1 << 30, 1 << 30, 1 << 30}), std::nullopt);
  PhysicalLayout halo{{0}, {}, {{0, INT64_MAX, 1}}};
  EXPECT_EQ(halo.physicalShape({1}), std::nullopt);
  EXPECT_EQ(layout.physicalShape({1, -1, 1}), std::nullopt);
}

TEST(PhysicalLayout, InvalidLayouts) {
  EXPECT_TRUE((PhysicalLayout{{1, 0}, {{0, 4}}, {{1, 1, 1}}}).isValid(2));
  EXPECT_FALSE((PhysicalLayout{{0}, {}, {}}).isValid(2)) << "rank";
  EXPECT_FALSE((PhysicalLayout{{0, 0}, {}, {}}).isValid(2)) << "repeated dim";
  EXPECT_FALSE((PhysicalLayout{{0, 2}, {}, {}}).isValid(2)) << "no such dim";
  EXPECT_FALSE((PhysicalLayout{{0, 1}, {{2, 4}}, {}}).isValid(2)) << "tile";
  EXPECT_FALSE((PhysicalLayout{{0, 1}, {{1, 0}}, {}}).isValid(2)) << "size";
  EXPECT_FALSE((PhysicalLayout{{0, 1}, {}, {{1, -1, 0}}}).isValid(2)) << "low";
  EXPECT_FALSE((PhysicalLayout{{0, 1}, {{1, 4}}, {{1, 1, 0}}}).isValid(2))
      << "tiled and haloed";
}
