// Freestanding ELF images: mapped, called, refused.
// SPDX-License-Identifier: Apache-2.0
#include "TestModel.h"

#include "atc/Runtime/CpuCode.h"
#include "atc/Runtime/CpuFeatures.h"
#include "atc/Support/MappedFile.h"

#include <cmath>
#include <elf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace atc;
using namespace atc::test;
using testing::HasSubstr;

static ByteRange rangeOf(const std::vector<uint8_t> &bytes) {
  return {bytes.data(), bytes.size()};
}

static void expectAddScalarWorks(const CpuCode &code, uint64_t address) {
  atc_kernel kernel = code.entry(address);
  ASSERT_NE(kernel, nullptr);
  float x[3] = {1, 2, 3}, y[3] = {};
  void *buffers[] = {x, y};
  int64_t scalars[] = {10};
  LaunchContext context;
  kernel(&context, buffers, scalars, nullptr, 1, 3);
  EXPECT_EQ(y[0], 0);
  EXPECT_EQ(y[1], 12);
  EXPECT_EQ(y[2], 13);
}

TEST(CpuCode, RunsFromMemory) {
  std::vector<uint8_t> image = readImage();
  Expected<CpuCode> code = CpuCode::load(rangeOf(image));
  ASSERT_TRUE(code.ok()) << code.getDiagnostic().message;
  expectAddScalarWorks(*code, symbolAddress(image, "add_scalar"));
}

TEST(CpuCode, RunsFromAFile) {
  Expected<MappedFile> file =
      MappedFile::open(std::string(ATC_TEST_KERNELS) + ".so");
  ASSERT_TRUE(file.ok());
  Expected<CpuCode> code =
      CpuCode::load({file->data(), file->size()}, {file->descriptor(), 0});
  ASSERT_TRUE(code.ok()) << code.getDiagnostic().message;
  expectAddScalarWorks(*code, symbolAddress(readImage(), "add_scalar"));
}

TEST(CpuCode, EntriesLieInExecutableSegments) {
  std::vector<uint8_t> image = readImage();
  Expected<CpuCode> code = CpuCode::load(rangeOf(image));
  EXPECT_EQ(code->entry(0), nullptr) << "the ELF header";
  EXPECT_EQ(code->entry(code->size()), nullptr);
  EXPECT_EQ(code->entry(UINT64_MAX), nullptr);
}

static std::string refusal(const std::vector<uint8_t> &image) {
  Expected<CpuCode> code = CpuCode::load(rangeOf(image));
  if (code.ok())
    return "accepted";
  EXPECT_EQ(code.getDiagnostic().code, ErrorCode::DamagedOfflineModel);
  return code.getDiagnostic().message;
}

TEST(CpuCode, RefusesWhatNeedsALinker) {
  EXPECT_THAT(refusal(readImage("relocations")), HasSubstr("relocations"));
  EXPECT_THAT(refusal(readImage("writable")), HasSubstr("writable data"));
  EXPECT_THAT(refusal(readImage("tls")), HasSubstr("thread-local"));
}

TEST(CpuCode, RefusesOtherFiles) {
  EXPECT_THAT(refusal({}), HasSubstr("no 64-bit shared object"));
  EXPECT_THAT(refusal(std::vector<uint8_t>(1000, 'x')),
              HasSubstr("no 64-bit shared object"));
  std::vector<uint8_t> image = readImage();
  auto *header = reinterpret_cast<Elf64_Ehdr *>(image.data());
  header->e_machine = EM_RISCV;
  EXPECT_THAT(refusal(image), HasSubstr("another machine"));
}

TEST(CpuCode, NoDamageOfTheHeadersIsHarmful) {
  // Loading is all that is tried: damaged code cannot be run.
  std::vector<uint8_t> image = readImage();
  auto *header = reinterpret_cast<Elf64_Ehdr *>(image.data());
  size_t end = header->e_phoff + header->e_phnum * sizeof(Elf64_Phdr);
  for (size_t i = 0; i < end; ++i)
    for (uint8_t value : {0x00, 0x01, 0x7f, 0xff}) {
      std::vector<uint8_t> changed = image;
      changed[i] = value;
      (void)CpuCode::load(rangeOf(changed));
    }
  for (size_t size = 0; size < image.size(); size += 13)
    (void)CpuCode::load({image.data(), size});
}

TEST(KernelImports, TableIsComplete) {
  const LaunchContext context;
  EXPECT_EQ(context.abi_version, uint32_t(ATC_KERNEL_ABI_VERSION));
  auto *entries = reinterpret_cast<void (*const *)()>(context.imports);
  for (uint32_t i = 0; i < context.import_count; ++i)
    EXPECT_NE(entries[i], nullptr) << i;
  EXPECT_EQ(context.imports->fmod(7.5, 2), std::fmod(7.5, 2));
  EXPECT_EQ(context.imports->sinhf(0.5f), std::sinh(0.5f));
}

TEST(KernelImports, FaultsBelongToTheirLaunch) {
  const LaunchContext context, other;
  EXPECT_FALSE(context.hasFaults());
  context.imports->report_fault(&context, ATC_KERNEL_FAULT_INDEX);
  context.imports->report_fault(&context, ATC_KERNEL_FAULT_INDEX);
  EXPECT_TRUE(context.has(ATC_KERNEL_FAULT_INDEX));
  EXPECT_FALSE(other.hasFaults());
}

TEST(CpuFeatures, HostRunsItsOwnLevelAndThoseBelow) {
  CpuLevel host = hostCpuLevel();
  EXPECT_TRUE(canRunOnHost(host, 0));
  EXPECT_TRUE(canRunOnHost(host, hostCpuFeatures()));
  EXPECT_FALSE(canRunOnHost(host, 1u << 31)) << "an unknown feature";
  EXPECT_FALSE(canRunOnHost(CpuLevel::None, 0));
#if defined(__x86_64__)
  EXPECT_TRUE(canRunOnHost(CpuLevel::X86_64_V1, 0));
  EXPECT_FALSE(canRunOnHost(CpuLevel::AArch64, 0));
#endif
}

TEST(CpuFeatures, FirstRunnableImageIsTaken) {
  Plan plan;
  plan.codeImages = {{hostCpuLevel(), 1u << 31, 0, 0},
                     {hostCpuLevel(), 0, 0, 0}};
  EXPECT_EQ(*selectCodeImage(plan), 1u);
  plan.codeImages.pop_back();
  EXPECT_EQ(selectCodeImage(plan).getDiagnostic().code, ErrorCode::WrongDevice);
}
