// Which file goes to which input, and which name an output gets.
// SPDX-License-Identifier: Apache-2.0
#include "Inputs.h"
#include "ArrayFile.h"
#include "GeneratedArray.h"
#include "Outputs.h"
#include "Report.h"

#include "atc/Support/AtomicFile.h"

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sstream>
#include <unistd.h>

using namespace atc;
using namespace atc::run;
using testing::ElementsAre;
using testing::HasSubstr;
namespace fs = std::filesystem;

namespace {
class InputsTest : public testing::Test {
protected:
  void SetUp() override {
    folder = fs::path(testing::TempDir()) /
             ("atc-run-" + std::to_string(::getpid()));
    fs::create_directories(folder);
  }
  void TearDown() override { fs::remove_all(folder); }

  std::string path(const std::string &name) { return (folder / name).string(); }
  /// Writes [value] as int32.
  std::string file(const std::string &name, int32_t value) {
    HostArray array{ElementType::I32, {1}, std::vector<uint8_t>(4)};
    std::memcpy(array.bytes.data(), &value, 4);
    EXPECT_TRUE(writeFileAtomically(path(name), serializeNpy(array)).ok());
    return path(name);
  }
  /// The first element of each input.
  std::vector<int32_t> collect(const Options &options) {
    Expected<std::vector<HostArray>> arrays = collectInputs(ports, options);
    EXPECT_TRUE(arrays.ok()) << arrays.getDiagnostic().message;
    std::vector<int32_t> values;
    for (const HostArray &array : *arrays) {
      values.emplace_back();
      std::memcpy(&values.back(), array.bytes.data(), 4);
    }
    return values;
  }
  Diagnostic failure(const Options &options) {
    Expected<std::vector<HostArray>> arrays = collectInputs(ports, options);
    EXPECT_FALSE(arrays.ok());
    return arrays.getDiagnostic();
  }

  fs::path folder;
  std::vector<InputPort> ports = {{"a", ElementType::I32, {1}, {""}},
                                  {"b=c:0", ElementType::I32, {1}, {""}},
                                  {"d", ElementType::I32, {-1}, {"n"}}};
};
} // namespace

TEST_F(InputsTest, FilesGoInOrderOrByName) {
  Options options;
  options.inputs = {file("1.npy", 1), "b=c:0=" + file("2.npy", 2),
                    file("3.npy", 3)};
  EXPECT_THAT(collect(options), ElementsAre(1, 2, 3));
  options.inputs = {"d=" + path("1.npy"), path("2.npy"), path("3.npy")};
  EXPECT_THAT(collect(options), ElementsAre(2, 3, 1));
}

TEST_F(InputsTest, EqualsSignsInFileNames) {
  Options options;
  options.inputs = {file("x=y.npy", 7), "b=c:0=" + path("x=y.npy")};
  options.shapes = {"d:1"};
  options.fill = 0;
  EXPECT_THAT(collect(options), ElementsAre(7, 7, 0));
}

TEST_F(InputsTest, FolderIsNumbered) {
  file("0.npy", 10);
  file("1.npy", 11);
  file("2.npy", 12);
  Options options;
  options.inputFolder = folder.string();
  options.inputs = {"a=" + file("other.npy", 5)};
  EXPECT_THAT(collect(options), ElementsAre(5, 11, 12));
  fs::remove(folder / "2.npy");
  EXPECT_THAT(failure(options).message, HasSubstr("has no 2.npy"));
}

TEST_F(InputsTest, RestIsMadeUp) {
  Options options;
  options.fill = 3.7;
  options.shapes = {"d:5"};
  EXPECT_THAT(collect(options), ElementsAre(3, 3, 3));
  EXPECT_EQ((*collectInputs(ports, options))[2].bytes.size(), 20u);
  options.fill.reset();
  options.seed = 1;
  std::vector<int32_t> first = collect(options);
  EXPECT_EQ(collect(options), first);
  EXPECT_THAT(first,
              testing::Each(testing::AllOf(testing::Ge(0), testing::Le(9))));
}

TEST_F(InputsTest, OpenSizesMustBeGiven) {
  Options options;
  EXPECT_EQ(failure(options).where, "input 'd'");
  EXPECT_THAT(failure(options).message, HasSubstr("[n] is open"));
  EXPECT_THAT(failure(options).message, HasSubstr("--shape d:"));
}

TEST_F(InputsTest, SizesOfOneNameAreEqual) {
  ports.push_back({"e", ElementType::I32, {-1, 2, -1}, {"n", "", ""}});
  Options options;
  options.inputs = {"d=" + file("1.npy", 1)};
  EXPECT_THAT(failure(options).message, HasSubstr("[n, 2, ?] is open"));
  options.shapes = {"e:3,2,4"};
  EXPECT_EQ((*collectInputs(ports, options))[3].bytes.size(), 4u * 3 * 2 * 4)
      << "the run will refuse it";
  ports.back().sizes[2] = 4;
  options.shapes = {};
  EXPECT_EQ((*collectInputs(ports, options))[3].bytes.size(), 4u * 1 * 2 * 4);
  options.inputs = {};
  options.shapes = {"e:3,2,4"};
  EXPECT_EQ((*collectInputs(ports, options))[2].bytes.size(), 4u * 3);
}

TEST_F(InputsTest, Mistakes) {
  Options options;
  options.inputs = {"nope=" + file("1.npy", 1)};
  EXPECT_EQ(failure(options).code, ErrorCode::UnknownTensorName);
  EXPECT_THAT(failure(options).message, HasSubstr("a, b=c:0, d"));
  options.inputs = std::vector<std::string>(4, path("1.npy"));
  EXPECT_THAT(failure(options).message, HasSubstr("more than the model has"));
  options.inputs = {"a=" + path("1.npy"), "a=" + path("1.npy")};
  EXPECT_THAT(failure(options).message, HasSubstr("given twice"));
  options.inputs = {"a=" + path("missing.npy")};
  EXPECT_EQ(failure(options).code, ErrorCode::FileNotFound);
  options.inputs = {};
  options.shapes = {"x:1"};
  EXPECT_EQ(failure(options).code, ErrorCode::UnknownTensorName);
  options.shapes = {"a:1,2"};
  EXPECT_EQ(failure(options).code, ErrorCode::RankMismatch);
  options.shapes = {"a:2"};
  EXPECT_EQ(failure(options).code, ErrorCode::DimensionMismatch);
  for (const char *text :
       {"d:x", "d:-1", "d:1,", "d:,1", "d: 1", "d:99999999999999999999"}) {
    options.shapes = {text};
    EXPECT_EQ(failure(options).code, ErrorCode::InvalidOptionValue) << text;
  }
  options.shapes = {"d:1", "d:2"};
  EXPECT_THAT(failure(options).message, HasSubstr("the input has one"));
}

TEST_F(InputsTest, FilesMustHaveTheShapeThatIsGiven) {
  Options options;
  options.shapes = {"d:5"};
  options.inputs = {"d=" + file("1.npy", 1)};
  EXPECT_THAT(failure(options).message, HasSubstr("--shape gives [5]"));
  options.shapes = {"d:1"};
  options.fill = 0;
  EXPECT_THAT(collect(options), ElementsAre(0, 0, 1));
}

TEST_F(InputsTest, TypesAndShapesMustFit) {
  HostArray array{ElementType::F32, {1}, std::vector<uint8_t>(4)};
  ASSERT_TRUE(writeFileAtomically(path("f.npy"), serializeNpy(array)).ok());
  Options options;
  options.inputs = {path("f.npy")};
  EXPECT_THAT(failure(options).message, HasSubstr("expects int32"));
  array = {ElementType::I32, {2}, std::vector<uint8_t>(8)};
  ASSERT_TRUE(writeFileAtomically(path("f.npy"), serializeNpy(array)).ok());
  EXPECT_THAT(failure(options).message, HasSubstr("expects the shape [1]"));
}

TEST(GeneratedArray, NoiseIsTheSameEverywhere) {
  HostArray array = *makeRandomArray(ElementType::F64, {2}, 1);
  double values[2];
  std::memcpy(values, array.bytes.data(), 16);
  // The first number of SplitMix64 with seed 1.
  EXPECT_EQ(values[0], 2 * ((0x910a2dec89025cc1 >> 11) * 0x1p-53) - 1);
  EXPECT_NE(values[0], values[1]);
}

TEST(GeneratedArray, TypesWithoutArithmetic) {
  EXPECT_TRUE(makeRandomArray(ElementType::C64, {3}, 0).ok());
  EXPECT_EQ(makeFilledArray(ElementType::F16, {1}, 1)->bytes[1], 0x3c);
  EXPECT_FALSE(makeRandomArray(ElementType::F8E5M2, {3}, 0).ok());
}

//===----------------------------------------------------------------------===//
// Outputs
//===----------------------------------------------------------------------===//

static TensorRef scalarTensor(float &value) {
  TensorRef tensor;
  tensor.data = reinterpret_cast<uint8_t *>(&value);
  return tensor;
}

TEST_F(InputsTest, OutputNamesBecomeFileNames) {
  Expected<TensorFolder> outputs =
      TensorFolder::create(path("new/folder"), OutputFormat::Npy);
  ASSERT_TRUE(outputs.ok());
  float value = 1.5f;
  TensorRef tensor = scalarTensor(value);
  std::string longName(300, 'n');
  for (const std::string &name :
       {std::string("plain-1.0_x"), std::string("a/b:0"), std::string("a:b/0"),
        std::string(""), std::string(".."), longName, longName + "2",
        std::string("a_b_0-2")})
    ASSERT_TRUE(outputs->write(name, tensor).ok());
  ASSERT_TRUE(outputs->finish("outputs.json").ok());
  std::ifstream stream(path("new/folder/outputs.json"));
  auto list = nlohmann::json::parse(stream);
  std::vector<std::string> files;
  for (const auto &entry : list) {
    files.push_back(entry["file"]);
    EXPECT_TRUE(fs::exists(folder / "new/folder" / files.back()));
    EXPECT_EQ(entry["type"], "float32");
    EXPECT_TRUE(entry["shape"].empty());
  }
  std::string cut(100, 'n');
  EXPECT_THAT(files, ElementsAre("plain-1.0_x.npy", "a_b_0.npy", "a_b_0-2.npy",
                                 "_.npy", "_..npy", cut + "-5.npy",
                                 cut + "-6.npy", "a_b_0-2-7.npy"));
  EXPECT_EQ(list[1]["name"], "a/b:0");
}

TEST_F(InputsTest, OutputFormats) {
  float values[2] = {0.1f, NAN};
  TensorRef tensor = scalarTensor(values[0]);
  tensor.rank = 1;
  tensor.sizes[0] = 2;
  for (OutputFormat format : {OutputFormat::Bin, OutputFormat::Text}) {
    Expected<TensorFolder> outputs =
        TensorFolder::create(folder.string(), format);
    ASSERT_TRUE(outputs->write("y", tensor).ok());
  }
  EXPECT_EQ(fs::file_size(folder / "y.bin"), 8u);
  std::ostringstream text;
  text << std::ifstream(path("y.txt")).rdbuf();
  EXPECT_EQ(text.str(), "0.100000001\nnan\n");
}

TEST_F(InputsTest, UnwritableFolder) {
  file("in-the-way", 1);
  EXPECT_EQ(TensorFolder::create(path("in-the-way"), OutputFormat::Npy)
                .getDiagnostic()
                .code,
            ErrorCode::FileUnwritable);
}

TEST(Report, Quantiles) {
  Report report;
  for (int i = 100; i > 0; --i)
    report.latencyMs.push_back(i);
  EXPECT_EQ(report.quantile(0), 1);
  EXPECT_EQ(report.quantile(0.5), 50);
  EXPECT_EQ(report.quantile(0.99), 99);
  EXPECT_EQ(report.quantile(1), 100);
  auto json = nlohmann::json::parse(report.json());
  EXPECT_EQ(json["latency_ms"].size(), 100u);
  EXPECT_TRUE(json.contains("load_ms"));
  EXPECT_GT(json["peak_rss_mb"], 0);
}
