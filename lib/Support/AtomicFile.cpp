// Temporary file, synchronization, rename.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Support/AtomicFile.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <fcntl.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace atc {

static std::string folderOf(const std::string &path) {
  size_t slash = path.rfind('/');
  if (slash == std::string::npos)
    return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

/// A path as it may stand in a message.
static std::string shorten(const std::string &path) {
  return path.size() <= 200 ? path : path.substr(0, 200) + "...";
}

/// Follows symbolic links of an existing path and refuses what a rename must
/// not replace.
static Expected<std::string> resolveTarget(const std::string &path) {
  if (path.empty() || path.back() == '/')
    return Status::error(ErrorCode::MissingFileName, "the path names no file",
                         shorten(path));
  if (path.find('\0') != std::string::npos)
    return Status::error(ErrorCode::FileUnwritable,
                         "the path contains a zero byte");
  struct stat info;
  if (::stat(path.c_str(), &info) != 0) {
    if (errno == ENAMETOOLONG)
      return Status::error(ErrorCode::PathTooLong,
                           std::to_string(path.size()) + " characters",
                           shorten(path));
    return path;
  }
  if (S_ISDIR(info.st_mode))
    return Status::error(ErrorCode::MissingFileName, "is a directory",
                         shorten(path));
  if (!S_ISREG(info.st_mode))
    return Status::error(ErrorCode::FileUnwritable, "is not a regular file",
                         shorten(path));
  char *resolved = ::realpath(path.c_str(), nullptr);
  if (!resolved)
    return path;
  std::string result = resolved;
  std::free(resolved);
  return result;
}

/// Calls `make` with unused names beside `path` until one can be made. Returns
/// the name, or an errno value in `error`.
template <typename Make>
static std::string makeTemporary(const std::string &path, int &error,
                                 const Make &make) {
  static std::atomic<unsigned> counter{0};
  std::string stem =
      folderOf(path) + "/.atc-" + std::to_string(::getpid()) + "-";
  error = EEXIST;
  for (int attempt = 0; attempt < 100 && error == EEXIST; ++attempt) {
    std::string name = stem + std::to_string(counter++) + ".tmp";
    error = make(name.c_str()) ? 0 : errno;
    if (error == 0)
      return name;
  }
  return {};
}

static std::string describeDescriptor(int descriptor) {
  return "/proc/self/fd/" + std::to_string(descriptor);
}

Expected<AtomicFile> AtomicFile::create(const std::string &path) {
  Expected<std::string> target = resolveTarget(path);
  if (!target)
    return target.getDiagnostic();
  AtomicFile file;
  file.finalPath = *target;
  // Without a name, nothing is left even of a process that is killed.
  file.fileDescriptor =
      ::open(folderOf(*target).c_str(), O_RDWR | O_TMPFILE | O_CLOEXEC, 0666);
  if (file.fileDescriptor >= 0) {
    if (::access(describeDescriptor(file.fileDescriptor).c_str(), F_OK) == 0)
      return file;
    ::close(file.fileDescriptor);
  }
  // Not all file systems have such files.
  int error;
  file.temporaryPath = makeTemporary(*target, error, [&](const char *name) {
    // O_EXCL: neither a leftover nor someone's link is written through.
    file.fileDescriptor =
        ::open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    return file.fileDescriptor >= 0;
  });
  if (error != 0)
    return file.failure(error);
  return file;
}

AtomicFile::AtomicFile(AtomicFile &&other) noexcept
    : finalPath(std::move(other.finalPath)),
      temporaryPath(std::move(other.temporaryPath)), length(other.length),
      fileDescriptor(other.fileDescriptor) {
  other.temporaryPath.clear();
  other.fileDescriptor = -1;
}

AtomicFile::~AtomicFile() {
  if (fileDescriptor >= 0)
    ::close(fileDescriptor);
  if (!temporaryPath.empty())
    ::unlink(temporaryPath.c_str());
}

Status AtomicFile::failure(int error) const {
  return Status::error(ErrorCode::FileUnwritable,
                       std::generic_category().message(error),
                       shorten(finalPath));
}

/// Writes all bytes, however the kernel cuts them. Returns an errno value.
static int writeAll(int descriptor, uint64_t offset, const void *data,
                    uint64_t size) {
  const char *bytes = static_cast<const char *>(data);
  while (size > 0) {
    size_t chunk = std::min<uint64_t>(size, uint64_t(1) << 30);
    ssize_t written =
        ::pwrite(descriptor, bytes, chunk, static_cast<off_t>(offset));
    if (written < 0 && errno == EINTR)
      continue;
    if (written <= 0)
      return written < 0 ? errno : EIO;
    bytes += written;
    offset += written;
    size -= written;
  }
  return 0;
}

Status AtomicFile::append(const void *data, uint64_t size) {
  assert(fileDescriptor >= 0 && "append after commit");
  if (int error = writeAll(fileDescriptor, length, data, size))
    return failure(error);
  length += size;
  return Status::success();
}

Status AtomicFile::overwrite(uint64_t offset, const void *data, uint64_t size) {
  assert(fileDescriptor >= 0 && offset <= length && size <= length - offset);
  if (int error = writeAll(fileDescriptor, offset, data, size))
    return failure(error);
  return Status::success();
}

Status AtomicFile::commit(Durability durability) {
  assert(fileDescriptor >= 0 && "committed twice");
  bool synchronize = durability == Durability::Synchronized;
  if (synchronize && ::fsync(fileDescriptor) != 0)
    return failure(errno);
  if (temporaryPath.empty()) {
    // A link cannot replace an existing file, a rename can.
    std::string source = describeDescriptor(fileDescriptor);
    int error;
    temporaryPath = makeTemporary(finalPath, error, [&](const char *name) {
      return ::linkat(AT_FDCWD, source.c_str(), AT_FDCWD, name,
                      AT_SYMLINK_FOLLOW) == 0;
    });
    if (error != 0)
      return failure(error);
  }
  // Some file systems report a full disk only when the file is closed.
  int closed = ::close(fileDescriptor);
  fileDescriptor = -1;
  if (closed != 0 && errno != EINTR)
    return failure(errno);
  if (::rename(temporaryPath.c_str(), finalPath.c_str()) != 0)
    return failure(errno);
  temporaryPath.clear();
  if (!synchronize)
    return Status::success();
  // The new name is an entry of the folder, which has to reach the medium too.
  // Folders that cannot be synchronized are no reason to fail: the file is
  // there.
  int folder =
      ::open(folderOf(finalPath).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder >= 0) {
    (void)::fsync(folder);
    ::close(folder);
  }
  return Status::success();
}

Status writeFileAtomically(const std::string &path, std::string_view contents,
                           AtomicFile::Durability durability) {
  Expected<AtomicFile> file = AtomicFile::create(path);
  if (!file)
    return file.status();
  if (Status status = file->append(contents); !status)
    return status;
  return file->commit(durability);
}

} // namespace atc
