// Links kernels to one freestanding shared object, with lld in process.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Codegen/Cpu/Emission.h"
#include "lld/Common/Driver.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Object/ArchiveWriter.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <mutex>

LLD_HAS_DRIVER(elf)

using namespace mlir;
using namespace mlir::atc::cpu;

/// One file for all objects: a model has thousands, and making a file may cost
/// more than linking it.
static llvm::Error writeObjects(StringRef path, ArrayRef<ObjectFile> objects) {
  std::vector<std::string> names;
  for (size_t number = 0; number < objects.size(); ++number)
    names.push_back(llvm::formatv("{0,0+6}.o", number).str());
  std::vector<llvm::NewArchiveMember> members;
  for (auto [name, object] : llvm::zip_equal(names, objects))
    members.emplace_back(
        llvm::MemoryBufferRef(StringRef(object.data(), object.size()), name));
  std::error_code code;
  llvm::raw_fd_ostream stream(path, code);
  if (code)
    return llvm::createFileError(path, code);
  // The linker takes every member, so it needs no table of symbols.
  if (llvm::Error error = llvm::writeArchiveToStream(
          stream, members, llvm::SymtabWritingMode::NoSymtab,
          llvm::object::Archive::K_GNU, /*Deterministic=*/true,
          /*Thin=*/false))
    return error;
  stream.close();
  if (stream.has_error()) {
    code = stream.error();
    stream.clear_error();
    return llvm::createFileError(path, code);
  }
  return llvm::Error::success();
}

/// Runs the linker; its messages become the error.
static llvm::Error runLinker(ArrayRef<std::string> arguments) {
  SmallVector<const char *> argv;
  for (const std::string &argument : arguments)
    argv.push_back(argument.c_str());
  std::string messages;
  llvm::raw_string_ostream stream(messages);
  const lld::DriverDef drivers[] = {{lld::Gnu, &lld::elf::link}};
  lld::Result result = lld::lldMain(argv, stream, stream, drivers);
  if (result.retCode != 0)
    return llvm::createStringError("linker: " + messages);
  return llvm::Error::success();
}

llvm::Error mlir::atc::cpu::linkImage(ArrayRef<ObjectFile> objects,
                                      std::vector<char> &image,
                                      llvm::StringMap<uint64_t> &entries) {
  SmallString<128> folder;
  if (std::error_code code =
          llvm::sys::fs::createUniqueDirectory("atc-link", folder))
    return llvm::createStringError(code, "cannot make a temporary folder");
  auto removeFolder =
      llvm::scope_exit([&] { llvm::sys::fs::remove_directories(folder); });

  std::string output = (folder + "/image.so").str();
  // Everything that is not constant is switched off; one thread, because the
  // order of sections must not depend on timing.
  std::vector<std::string> arguments = {"ld.lld",
                                        "-shared",
                                        "-Bsymbolic",
                                        "-z",
                                        "defs",
                                        "-z",
                                        "norelro",
                                        "-z",
                                        "rodynamic",
                                        "-z",
                                        "noexecstack",
                                        "-z",
                                        "max-page-size=4096",
                                        "--build-id=none",
                                        "--hash-style=gnu",
                                        "--strip-all",
                                        "--gc-sections",
                                        "--threads=1",
                                        "-o",
                                        output};
  std::string archive = (folder + "/kernels.a").str();
  if (llvm::Error error = writeObjects(archive, objects))
    return error;
  arguments.push_back("--whole-archive");
  arguments.push_back(archive);
  {
    // lld keeps its state in globals.
    static std::mutex mutex;
    std::lock_guard<std::mutex> lock(mutex);
    if (llvm::Error error = runLinker(arguments))
      return error;
  }
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> file =
      llvm::MemoryBuffer::getFile(output, /*IsText=*/false,
                                  /*RequiresNullTerminator=*/false);
  if (!file)
    return llvm::createFileError(output, file.getError());
  image.assign((*file)->getBufferStart(), (*file)->getBufferEnd());
  return checkImage(image, entries);
}
