// Which files a model may name.
// SPDX-License-Identifier: Apache-2.0
#include "ExternalData.h"

#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

namespace mlir::atc::onnx {
namespace {

namespace fs = std::filesystem;
using ::atc::ErrorCode;
using ::testing::HasSubstr;

class ExternalDataTest : public ::testing::Test {
protected:
  void SetUp() override {
    root = fs::temp_directory_path() /
           ("atc-external-" + std::to_string(getpid()));
    fs::create_directories(root / "model" / "sub");
    write("model/model.onnx", "");
    write("model/weights.bin", "0123456789");
    write("model/sub/weights.bin", "abc");
    write("secret.bin", "secret");
  }
  void TearDown() override { fs::remove_all(root); }

  void write(const std::string &name, const std::string &text) {
    std::ofstream(root / name, std::ios::binary) << text;
  }
  ::atc::Expected<graph::WeightRange> resolve(const std::string &location,
                                              uint64_t bytes,
                                              const std::string &offset = "",
                                              const std::string &length = "") {
    ::onnx::TensorProto tensor;
    auto add = [&](const char *key, const std::string &value) {
      if (value.empty())
        return;
      auto *entry = tensor.add_external_data();
      entry->set_key(key);
      entry->set_value(value);
    };
    add("location", location);
    add("offset", offset);
    add("length", length);
    ExternalData data((root / "model" / "model.onnx").string(), store);
    return data.resolve(tensor, bytes);
  }
  ErrorCode codeOf(const ::atc::Expected<graph::WeightRange> &range) {
    EXPECT_FALSE(range);
    return range ? ErrorCode::Internal : range.getDiagnostic().code;
  }

  fs::path root;
  graph::WeightStore store;
};

TEST_F(ExternalDataTest, FindsARangeBesideTheModel) {
  auto range = resolve("weights.bin", 3, "4", "3");
  ASSERT_TRUE(range);
  ArrayRef<char> bytes = *store.getBytes(*range);
  EXPECT_EQ(std::string(bytes.begin(), bytes.end()), "456");
  EXPECT_TRUE(resolve("sub/weights.bin", 3));
}

TEST_F(ExternalDataTest, RefusesPathsOutOfTheFolder) {
  EXPECT_EQ(codeOf(resolve("../secret.bin", 6)), ErrorCode::ExternalDataPath);
  EXPECT_EQ(codeOf(resolve("sub/../../secret.bin", 6)),
            ErrorCode::ExternalDataPath);
  EXPECT_EQ(codeOf(resolve((root / "secret.bin").string(), 6)),
            ErrorCode::ExternalDataPath);
  EXPECT_EQ(codeOf(resolve("", 6)), ErrorCode::ExternalDataPath);
}

TEST_F(ExternalDataTest, RefusesLinksOutOfTheFolder) {
  fs::create_symlink(root / "secret.bin", root / "model" / "link.bin");
  EXPECT_EQ(codeOf(resolve("link.bin", 6)), ErrorCode::ExternalDataPath);
  fs::create_directory_symlink(root, root / "model" / "up");
  EXPECT_EQ(codeOf(resolve("up/secret.bin", 6)), ErrorCode::ExternalDataPath);
  // A folder whose name only begins like the model's is outside too.
  fs::create_directories(root / "model2");
  write("model2/x.bin", "123");
  fs::create_symlink(root / "model2" / "x.bin", root / "model" / "x.bin");
  EXPECT_EQ(codeOf(resolve("x.bin", 3)), ErrorCode::ExternalDataPath);
}

TEST_F(ExternalDataTest, FollowsLinksInsideTheFolder) {
  fs::create_symlink(root / "model" / "weights.bin",
                     root / "model" / "alias.bin");
  EXPECT_TRUE(resolve("alias.bin", 10));
}

TEST_F(ExternalDataTest, RefusesRangesOutsideOfTheFile) {
  EXPECT_EQ(codeOf(resolve("weights.bin", 11)), ErrorCode::InvalidTensor);
  EXPECT_EQ(codeOf(resolve("weights.bin", 4, "7")), ErrorCode::InvalidTensor);
  // The end of the range would wrap around.
  EXPECT_EQ(codeOf(resolve("weights.bin", 4, "18446744073709551614")),
            ErrorCode::InvalidTensor);
  EXPECT_EQ(codeOf(resolve("weights.bin", 4, "99999999999999999999999")),
            ErrorCode::InvalidTensor);
  EXPECT_EQ(codeOf(resolve("weights.bin", 4, "-1")), ErrorCode::InvalidTensor);
}

TEST_F(ExternalDataTest, RefusesALengthThatIsNotTheTensors) {
  auto range = resolve("weights.bin", 4, "0", "5");
  EXPECT_EQ(codeOf(range), ErrorCode::InvalidTensor);
  EXPECT_THAT(range.getDiagnostic().message, HasSubstr("of 5 bytes"));
}

TEST_F(ExternalDataTest, ReportsMissingFilesAndFolders) {
  EXPECT_EQ(codeOf(resolve("none.bin", 4)), ErrorCode::FileNotFound);
  EXPECT_EQ(codeOf(resolve("sub", 4)), ErrorCode::FileNotFound);
}

} // namespace
} // namespace mlir::atc::onnx
