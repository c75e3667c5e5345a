// Kernel images: what is written is read, damage is found.
// SPDX-License-Identifier: Apache-2.0
#include "SampleInstructions.h"

#include "atc/Isa/Image.h"

#include <gmock/gmock.h>

using namespace atc;
using namespace atc::isa;
using testing::HasSubstr;

namespace {

KernelImage kernelNamed(std::string name) {
  KernelImage kernel;
  kernel.name = std::move(name);
  kernel.bufferCount = 2;
  kernel.scalarCount = 1;
  kernel.codes.push_back({CoreType::Fused, {sampleProgram(true), {}}});
  return kernel;
}

Image sampleImage() {
  Image image;
  image.device = "TinyNpu";
  image.kernels = {kernelNamed("first"), kernelNamed("second")};
  return image;
}

std::vector<uint8_t> serialize(Image image) {
  Expected<std::vector<uint8_t>> bytes = serializeImage(image);
  EXPECT_TRUE(bytes.ok()) << bytes.getDiagnostic().message;
  return *bytes;
}

TEST(Image, Survives) {
  Image image = sampleImage();
  Expected<std::vector<uint8_t>> bytes = serializeImage(image);
  ASSERT_TRUE(bytes.ok());
  Expected<Image> read = parseImage(bytes->data(), bytes->size());
  ASSERT_TRUE(read.ok()) << read.getDiagnostic().message;
  EXPECT_EQ(read->device, "TinyNpu");
  ASSERT_EQ(read->kernels.size(), 2u);
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(read->kernels[i].name, image.kernels[i].name);
    EXPECT_EQ(read->kernels[i].bufferCount, 2u);
    EXPECT_EQ(read->kernels[i].scalarCount, 1u);
    EXPECT_EQ(read->kernels[i].entryOffset, image.kernels[i].entryOffset);
    EXPECT_EQ(read->kernels[i].codes[0].program.instructions,
              sampleProgram(true));
  }
}

TEST(Image, IsReproducible) {
  EXPECT_EQ(serialize(sampleImage()), serialize(sampleImage()));
}

TEST(Image, RefusesTwoKernelsOfOneName) {
  Image image = sampleImage();
  image.kernels[1].name = "first";
  Expected<std::vector<uint8_t>> bytes = serializeImage(image);
  ASSERT_FALSE(bytes.ok());
  EXPECT_EQ(bytes.getDiagnostic().message, "two NPU kernels named 'first'");
}

TEST(Image, RefusesWhatTheDeviceLacks) {
  Image image = sampleImage();
  image.device = "Ascend310P3";
  EXPECT_FALSE(serializeImage(image).ok());
}

TEST(Image, RefusesEveryTruncation) {
  std::vector<uint8_t> bytes = serialize(sampleImage());
  // The tail may be padding behind the last program.
  for (size_t size = 0; size + 64 < bytes.size(); ++size)
    EXPECT_FALSE(parseImage(bytes.data(), size).ok()) << size;
}

TEST(Image, RefusesNewerVersions) {
  std::vector<uint8_t> bytes = serialize(sampleImage());
  bytes[4] = 2;
  Expected<Image> image = parseImage(bytes.data(), bytes.size());
  ASSERT_FALSE(image.ok());
  EXPECT_EQ(image.getDiagnostic().code, ErrorCode::NewerOfflineModel);
}

TEST(Image, RefusesUnknownDevices) {
  std::vector<uint8_t> bytes = serialize(sampleImage());
  bytes[8] = 'X';
  Expected<Image> image = parseImage(bytes.data(), bytes.size());
  ASSERT_FALSE(image.ok());
  EXPECT_EQ(image.getDiagnostic().code, ErrorCode::WrongDevice);
}

TEST(Image, SurvivesFlippedBytes) {
  std::vector<uint8_t> bytes = serialize(sampleImage());
  // Whatever a reader says, it must not touch memory outside of the image.
  for (size_t i = 0; i < bytes.size(); ++i)
    for (uint8_t flip : {0x01, 0x80, 0xff}) {
      std::vector<uint8_t> damaged = bytes;
      damaged[i] ^= flip;
      (void)parseImage(damaged.data(), damaged.size());
    }
}

} // namespace
