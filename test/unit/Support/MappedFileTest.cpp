// Mapping of regular files, refusal of everything else.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Support/MappedFile.h"

#include <cstdio>
#include <fstream>
#include <gtest/gtest.h>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>

using namespace atc;

static std::string temporaryName(const char *name) {
  return testing::TempDir() + "mapped-file-" + std::to_string(::getpid()) +
         name;
}

TEST(MappedFile, MapsTheBytes) {
  std::string path = temporaryName("a");
  std::ofstream(path) << "content";
  Expected<MappedFile> file = MappedFile::open(path);
  ASSERT_TRUE(file.ok());
  EXPECT_EQ(std::string_view(reinterpret_cast<const char *>(file->data()),
                             file->size()),
            "content");
  MappedFile moved = std::move(*file);
  EXPECT_EQ(file->data(), nullptr);
  EXPECT_EQ(moved.size(), 7u);
  std::remove(path.c_str());
}

TEST(MappedFile, EmptyFileHasNoData) {
  std::string path = temporaryName("empty");
  std::ofstream{path};
  Expected<MappedFile> file = MappedFile::open(path);
  ASSERT_TRUE(file.ok());
  EXPECT_EQ(file->size(), 0u);
  EXPECT_EQ(file->data(), nullptr);
  std::remove(path.c_str());
}

TEST(MappedFile, MissingFile) {
  EXPECT_EQ(MappedFile::open("/no/such/file").getDiagnostic().code,
            ErrorCode::FileNotFound);
  EXPECT_EQ(MappedFile::open("").getDiagnostic().code, ErrorCode::FileNotFound);
}

TEST(MappedFile, FolderIsRefused) {
  const Diagnostic diagnostic = MappedFile::open("/").getDiagnostic();
  EXPECT_EQ(diagnostic.code, ErrorCode::FileNotFound);
  EXPECT_EQ(diagnostic.message, "is a directory");
}

TEST(MappedFile, PipeIsRefusedWithoutWaiting) {
  std::string path = temporaryName("pipe");
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  EXPECT_EQ(MappedFile::open(path).getDiagnostic().code,
            ErrorCode::FileNotFound);
  std::remove(path.c_str());
}

TEST(MappedFile, TooLongPath) {
  EXPECT_EQ(MappedFile::open(std::string(10000, 'x')).getDiagnostic().code,
            ErrorCode::PathTooLong);
}
