// Files appear whole or not at all.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Support/AtomicFile.h"

#include "atc/Support/MappedFile.h"

#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>
#include <sys/resource.h>
#include <unistd.h>

using namespace atc;
namespace fs = std::filesystem;

namespace {
class AtomicFileTest : public testing::Test {
protected:
  void SetUp() override {
    folder = fs::path(testing::TempDir()) /
             ("atomic-file-" + std::to_string(::getpid()));
    fs::create_directories(folder);
  }
  void TearDown() override { fs::remove_all(folder); }

  std::string path(const char *name) const { return (folder / name).string(); }
  static std::string read(const std::string &path) {
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return text.str();
  }
  size_t fileCount() const {
    return std::distance(fs::directory_iterator(folder), {});
  }

  fs::path folder;
};
} // namespace

TEST_F(AtomicFileTest, CommitMakesTheFileAppear) {
  Expected<AtomicFile> file = AtomicFile::create(path("a"));
  ASSERT_TRUE(file.ok());
  EXPECT_TRUE(file->append("hello world").ok());
  EXPECT_TRUE(file->overwrite(6, "there", 5).ok());
  EXPECT_EQ(file->position(), 11u);
  EXPECT_FALSE(fs::exists(path("a")));
  EXPECT_TRUE(file->commit().ok());
  EXPECT_EQ(read(path("a")), "hello there");
  EXPECT_EQ(fileCount(), 1u);
}

TEST_F(AtomicFileTest, WithoutCommitNothingRemains) {
  ASSERT_TRUE(writeFileAtomically(path("a"), "old").ok());
  {
    Expected<AtomicFile> file = AtomicFile::create(path("a"));
    EXPECT_TRUE(file->append("new").ok());
  }
  EXPECT_EQ(read(path("a")), "old");
  EXPECT_EQ(fileCount(), 1u);
}

TEST_F(AtomicFileTest, NothingRemainsOfAKilledProcess) {
  int probe = ::open(folder.c_str(), O_RDWR | O_TMPFILE, 0600);
  if (probe < 0)
    GTEST_SKIP() << "the file system has no files without names";
  ::close(probe);
  std::string target = path("a");
  EXPECT_EXIT(
      {
        Expected<AtomicFile> file = AtomicFile::create(target);
        (void)file->append("half of it");
        ::raise(SIGKILL);
      },
      testing::KilledBySignal(SIGKILL), "");
  EXPECT_EQ(fileCount(), 0u);
}

TEST_F(AtomicFileTest, SymbolicLinkKeepsPointing) {
  ASSERT_TRUE(writeFileAtomically(path("target"), "old").ok());
  fs::create_symlink("target", path("link"));
  ASSERT_TRUE(writeFileAtomically(path("link"), "new").ok());
  EXPECT_TRUE(fs::is_symlink(path("link")));
  EXPECT_EQ(read(path("target")), "new");
}

TEST_F(AtomicFileTest, FolderIsNoFileName) {
  EXPECT_EQ(AtomicFile::create(folder.string()).getDiagnostic().code,
            ErrorCode::MissingFileName);
  EXPECT_EQ(AtomicFile::create(path("x/")).getDiagnostic().code,
            ErrorCode::MissingFileName);
  EXPECT_EQ(AtomicFile::create("").getDiagnostic().code,
            ErrorCode::MissingFileName);
}

TEST_F(AtomicFileTest, MissingFolderIsUnwritable) {
  EXPECT_EQ(AtomicFile::create(path("no/such/a")).getDiagnostic().code,
            ErrorCode::FileUnwritable);
}

TEST_F(AtomicFileTest, TooLongNames) {
  std::string name(5000, 'x');
  EXPECT_EQ(AtomicFile::create(path(name.c_str())).getDiagnostic().code,
            ErrorCode::PathTooLong);
}

TEST_F(AtomicFileTest, FailedWriteLeavesNoFile) {
  // A limit on file sizes stands for a full disk: both end a write early.
  struct rlimit old;
  ::getrlimit(RLIMIT_FSIZE, &old);
  struct rlimit small = {4096, old.rlim_max};
  auto *handler = std::signal(SIGXFSZ, SIG_IGN);
  ::setrlimit(RLIMIT_FSIZE, &small);
  Status status = writeFileAtomically(path("a"), std::string(10000, 'x'));
  ::setrlimit(RLIMIT_FSIZE, &old);
  std::signal(SIGXFSZ, handler);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.getDiagnostic().code, ErrorCode::FileUnwritable);
  EXPECT_EQ(fileCount(), 0u);
}
