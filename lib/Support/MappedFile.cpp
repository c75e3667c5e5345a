// Mapping of files by mmap.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Support/MappedFile.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace atc {

static Status fileError(ErrorCode code, const std::string &path, int error) {
  return Status::error(code, std::generic_category().message(error), path);
}

Expected<MappedFile> MappedFile::open(const std::string &path) {
  if (path.find('\0') != std::string::npos)
    return Status::error(ErrorCode::FileNotFound,
                         "the path contains a zero byte");
  MappedFile file;
  file.filePath = path;
  // Without O_NONBLOCK, opening a pipe would wait for its writer.
  file.fileDescriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file.fileDescriptor < 0) {
    int error = errno;
    if (error == ENAMETOOLONG)
      return fileError(ErrorCode::PathTooLong, path.substr(0, 64) + "...",
                       error);
    bool missing = error == ENOENT || error == ENOTDIR || error == ENXIO;
    return fileError(missing ? ErrorCode::FileNotFound
                             : ErrorCode::FileUnreadable,
                     path, error);
  }
  struct stat info;
  if (::fstat(file.fileDescriptor, &info) != 0)
    return fileError(ErrorCode::FileUnreadable, path, errno);
  if (!S_ISREG(info.st_mode))
    return Status::error(ErrorCode::FileNotFound,
                         S_ISDIR(info.st_mode) ? "is a directory"
                                               : "is not a regular file",
                         path);
  file.length = static_cast<uint64_t>(info.st_size);
  if (file.length == 0)
    return file;
  void *mapping = ::mmap(nullptr, file.length, PROT_READ, MAP_PRIVATE,
                         file.fileDescriptor, 0);
  if (mapping == MAP_FAILED) {
    int error = errno;
    file.length = 0;
    return fileError(ErrorCode::FileUnreadable, path, error);
  }
  file.bytes = static_cast<const uint8_t *>(mapping);
  return file;
}

MappedFile::MappedFile(MappedFile &&other) noexcept
    : filePath(std::move(other.filePath)), bytes(other.bytes),
      length(other.length), fileDescriptor(other.fileDescriptor) {
  other.bytes = nullptr;
  other.length = 0;
  other.fileDescriptor = -1;
}

MappedFile &MappedFile::operator=(MappedFile &&other) noexcept {
  if (this != &other) {
    release();
    filePath = std::move(other.filePath);
    std::swap(bytes, other.bytes);
    std::swap(length, other.length);
    std::swap(fileDescriptor, other.fileDescriptor);
  }
  return *this;
}

MappedFile::~MappedFile() { release(); }

void MappedFile::release() {
  if (bytes)
    ::munmap(const_cast<uint8_t *>(bytes), length);
  if (fileDescriptor >= 0)
    ::close(fileDescriptor);
  bytes = nullptr;
  length = 0;
  fileDescriptor = -1;
}

} // namespace atc
