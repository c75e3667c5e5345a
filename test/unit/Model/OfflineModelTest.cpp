// The .om container: what is written is read, what is changed is noticed.
// SPDX-License-Identifier: Apache-2.0
#include "PlanExamples.h"

#include "atc/Model/OfflineModelWriter.h"
#include "atc/Support/AtomicFile.h"

#include <cstdio>
#include <cstring>
#include <gtest/gtest.h>
#include <numeric>
#include <unistd.h>

using namespace atc;
using namespace atc::test;

namespace {
struct Contents {
  std::vector<uint8_t> weights = std::vector<uint8_t>(128, 0x11);
  std::vector<uint8_t> code = std::vector<uint8_t>(4096 + 300, 0x22);
  std::vector<uint8_t> graph = std::vector<uint8_t>(77, 0x33);
};
} // namespace

static void write(ByteSink &sink, const Contents &contents = {},
                  const Plan &plan = everythingPlan()) {
  Expected<OfflineModelWriter> writer = OfflineModelWriter::begin(
      sink, {"net", "OpenATC 0.1.0", true}, *serializePlan(plan));
  ASSERT_TRUE(writer.ok());
  // In two pieces, as weights come one at a time.
  ASSERT_TRUE(writer->appendWeights(contents.weights.data(), 10).ok());
  ASSERT_TRUE(writer
                  ->appendWeights(contents.weights.data() + 10,
                                  contents.weights.size() - 10)
                  .ok());
  ASSERT_TRUE(writer
                  ->finish({contents.code.data(), contents.code.size()},
                           {contents.graph.data(), contents.graph.size()})
                  .ok());
}

static std::vector<uint8_t> exampleFile() {
  MemorySink sink;
  write(sink);
  return sink.bytes;
}

static Expected<OfflineModel> load(const std::vector<uint8_t> &bytes) {
  return OfflineModel::fromMemory(bytes.data(), bytes.size());
}

static ErrorCode errorOf(const std::vector<uint8_t> &bytes) {
  Expected<OfflineModel> model = load(bytes);
  EXPECT_FALSE(model.ok());
  return model.getDiagnostic().code;
}

TEST(OfflineModel, ReadsWhatWasWritten) {
  Expected<OfflineModel> model = load(exampleFile());
  ASSERT_TRUE(model.ok()) << model.getDiagnostic().message;
  EXPECT_EQ(model->info().name, "net");
  EXPECT_EQ(model->info().platformVersion, "OpenATC 0.1.0");
  EXPECT_TRUE(model->info().isDynamic);
  EXPECT_EQ(model->graph().size, 77u);
  EXPECT_EQ(model->graph().data[76], 0x33);
  EXPECT_EQ(model->weights().data[127], 0x11);
  EXPECT_EQ(model->code().size, 4396u);
  EXPECT_EQ(model->code().data[4395], 0x22);
  EXPECT_EQ(model->plan().kernels[0].name, "matmul_0");
  EXPECT_TRUE(model->verifyWeights().ok());
}

TEST(OfflineModel, PartitionsAreAligned) {
  Expected<OfflineModel> model = load(exampleFile());
  EXPECT_EQ(reinterpret_cast<uintptr_t>(model->weights().data) % 64, 0u);
  EXPECT_EQ(model->codeFileOffset() % 4096, 0u);
}

TEST(OfflineModel, HeaderIsThatOfAscendTools) {
  std::vector<uint8_t> bytes = exampleFile();
  EXPECT_EQ(std::memcmp(bytes.data(), "IMOD", 4), 0);
  EXPECT_EQ(bytes[4] | bytes[5] << 8, 256);
  EXPECT_EQ(bytes[11], 0x20);
  uint64_t payload;
  std::memcpy(&payload, &bytes[184], 8);
  EXPECT_EQ(payload, bytes.size() - 256);
  EXPECT_EQ(bytes[256], 4) << "partitions";
}

TEST(OfflineModel, EqualInputsEqualBytes) {
  EXPECT_EQ(exampleFile(), exampleFile());
}

TEST(OfflineModel, LongNamesAreCut) {
  MemorySink sink;
  Expected<OfflineModelWriter> writer =
      OfflineModelWriter::begin(sink, {std::string(100, 'n'), "", false},
                                *serializePlan(everythingPlan()));
  std::vector<uint8_t> weights(128), code(8192);
  ASSERT_TRUE(writer->appendWeights(weights.data(), weights.size()).ok());
  ASSERT_TRUE(writer->finish({code.data(), code.size()}, {}).ok());
  EXPECT_EQ(load(sink.bytes)->info().name, std::string(31, 'n'));
}

TEST(OfflineModel, ModelWithoutWeightsAndCode) {
  Plan plan;
  plan.targetName = "CPU-x86-64-v3";
  MemorySink sink;
  Expected<OfflineModelWriter> writer =
      OfflineModelWriter::begin(sink, {}, *serializePlan(plan));
  ASSERT_TRUE(writer->finish({}, {}).ok());
  Expected<OfflineModel> model = load(sink.bytes);
  ASSERT_TRUE(model.ok()) << model.getDiagnostic().message;
  EXPECT_EQ(model->weights().size, 0u);
  EXPECT_TRUE(model->verifyWeights().ok());
}

TEST(OfflineModel, FileIsMapped) {
  std::string path =
      testing::TempDir() + "offline-model-" + std::to_string(::getpid());
  {
    Expected<AtomicFile> file = AtomicFile::create(path);
    write(*file);
    ASSERT_TRUE(file->commit().ok());
  }
  Expected<OfflineModel> model = OfflineModel::open(path);
  ASSERT_TRUE(model.ok());
  EXPECT_GE(model->descriptor(), 0);
  uint8_t byte = 0;
  EXPECT_EQ(::pread(model->descriptor(), &byte, 1, model->codeFileOffset()), 1);
  EXPECT_EQ(byte, 0x22);
  std::remove(path.c_str());
}

TEST(OfflineModel, OtherFilesAreNamedAsSuch) {
  EXPECT_EQ(errorOf({}), ErrorCode::NotOfflineModel);
  EXPECT_EQ(errorOf({'I', 'M'}), ErrorCode::NotOfflineModel);
  EXPECT_EQ(errorOf(std::vector<uint8_t>(5000, 'x')),
            ErrorCode::NotOfflineModel);
}

TEST(OfflineModel, FilesOfAnotherCompilerAreNamedAsSuch) {
  // The same container, but no plan of ours and no digest in the header.
  std::vector<uint8_t> bytes = exampleFile();
  std::fill_n(bytes.begin() + 120, 32, 0);
  bytes[360] = 'X';
  EXPECT_EQ(errorOf(bytes), ErrorCode::NotOfflineModel);
}

TEST(OfflineModel, EveryTruncationIsRefused) {
  std::vector<uint8_t> bytes = exampleFile();
  for (size_t size = 0; size < bytes.size();
       size += size < 1000 || size + 100 > bytes.size() ? 1 : 61) {
    Expected<OfflineModel> model = OfflineModel::fromMemory(bytes.data(), size);
    ASSERT_FALSE(model.ok()) << size;
    EXPECT_EQ(model.getDiagnostic().code, size < 4
                                              ? ErrorCode::NotOfflineModel
                                              : ErrorCode::DamagedOfflineModel)
        << size;
  }
}

TEST(OfflineModel, AppendedBytesAreRefused) {
  std::vector<uint8_t> bytes = exampleFile();
  bytes.push_back(0);
  EXPECT_EQ(errorOf(bytes), ErrorCode::DamagedOfflineModel);
}

TEST(OfflineModel, EveryFlippedBitIsNoticed) {
  std::vector<uint8_t> bytes = exampleFile();
  Expected<OfflineModel> original = load(bytes);
  uint64_t planEnd = 360 + original->planPartition().size;
  uint64_t weightsEnd = original->codeFileOffset();
  for (size_t i = 0; i < bytes.size(); i += i < planEnd ? 1 : 7) {
    bytes[i] ^= 1 << i % 8;
    Expected<OfflineModel> model = load(bytes);
    if (i >= planEnd && i < weightsEnd) {
      ASSERT_TRUE(model.ok()) << "weights are not read at load";
      EXPECT_EQ(model->verifyWeights().getDiagnostic().code,
                ErrorCode::DamagedOfflineModel);
    } else {
      EXPECT_FALSE(model.ok()) << "byte " << i;
    }
    bytes[i] ^= 1 << i % 8;
  }
}

TEST(OfflineModel, RandomDamageIsSurvived) {
  std::vector<uint8_t> bytes = exampleFile();
  uint32_t random = 1;
  for (int round = 0; round < 2000; ++round) {
    std::vector<uint8_t> damaged = bytes;
    for (int change = 0; change < 3; ++change) {
      random = random * 1664525 + 1013904223;
      damaged[random % 420] = random >> 24; // header, table, digests
    }
    (void)load(damaged);
  }
}
