// Tensor data in files beside the model.
// SPDX-License-Identifier: Apache-2.0
#include "ExternalData.h"

#include "atc/Support/CheckedMath.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <optional>

namespace mlir::atc::onnx {
namespace {

using ::atc::Diagnostic;
using ::atc::ErrorCode;
using ::atc::Expected;
namespace path = llvm::sys::path;

/// The entries of TensorProto.external_data that place the data.
struct Placement {
  std::string location;
  uint64_t offset = 0;
  std::optional<uint64_t> length;
};

Expected<Placement> readPlacement(const ::onnx::TensorProto &tensor) {
  Placement placement;
  for (const ::onnx::StringStringEntryProto &entry : tensor.external_data()) {
    llvm::StringRef text = entry.value();
    uint64_t number = 0;
    if (entry.key() == "location") {
      placement.location = entry.value();
    } else if (entry.key() == "offset" || entry.key() == "length") {
      if (text.getAsInteger(10, number))
        return Diagnostic{ErrorCode::InvalidTensor,
                          "external data has " + entry.key() + " '" +
                              entry.value() + "', which is not a byte count",
                          {},
                          {}};
      if (entry.key() == "offset")
        placement.offset = number;
      else
        placement.length = number;
    }
  }
  return placement;
}

Diagnostic refusedPath(const std::string &location, const char *reason) {
  return {ErrorCode::ExternalDataPath,
          "external data path '" + location + "' " + reason,
          {},
          {}};
}

/// True if `file` lies in `folder` or below; both real paths.
bool isInside(llvm::StringRef file, llvm::StringRef folder) {
  return file.consume_front(folder) &&
         (folder.ends_with("/") || file.starts_with("/"));
}

/// The folders that may hold a model's data: the one that its path names, and
/// the one of the real file, since model caches keep files under links.
llvm::SmallVector<std::string, 2> dataFolders(llvm::StringRef modelPath) {
  llvm::SmallVector<std::string, 2> folders;
  llvm::SmallString<256> real;
  llvm::StringRef parent = path::parent_path(modelPath);
  if (!llvm::sys::fs::real_path(parent.empty() ? "." : parent, real))
    folders.push_back(real.str().str());
  if (!llvm::sys::fs::real_path(modelPath, real))
    folders.push_back(path::parent_path(real).str());
  return folders;
}

} // namespace

Expected<uint32_t> ExternalData::open(const std::string &location) {
  auto known = opened.find(location);
  if (known != opened.end())
    return known->second;
  if (modelPath.empty())
    return refusedPath(location, "has no folder: the model is in memory");
  if (location.empty() || llvm::StringRef(location).contains('\0'))
    return refusedPath(location, "is not a file name");
  if (path::is_absolute(location))
    return refusedPath(location, "is absolute");
  for (auto part = path::begin(location); part != path::end(location); ++part)
    if (*part == "..")
      return refusedPath(location, "contains '..'");

  llvm::SmallString<256> joined(path::parent_path(modelPath));
  path::append(joined, location);
  llvm::SmallString<256> real;
  if (llvm::sys::fs::real_path(joined, real))
    return Diagnostic{ErrorCode::FileNotFound,
                      "external data file '" + joined.str().str() +
                          "' does not exist",
                      {},
                      {}};
  if (llvm::none_of(dataFolders(modelPath), [&](const std::string &folder) {
        return isInside(real, folder);
      }))
    return refusedPath(location, "leads out of the model's folder");

  Expected<::atc::MappedFile> file = ::atc::MappedFile::open(real.str().str());
  if (!file)
    return file.status();
  uint32_t source = store.addFile(std::move(*file));
  opened[location] = source;
  return source;
}

Expected<graph::WeightRange>
ExternalData::resolve(const ::onnx::TensorProto &tensor, uint64_t bytes) {
  Expected<Placement> placement = readPlacement(tensor);
  if (!placement)
    return placement.status();
  Expected<uint32_t> source = open(placement->location);
  if (!source)
    return source.status();
  if (placement->length && *placement->length != bytes)
    return Diagnostic{ErrorCode::InvalidTensor,
                      "external data of " + std::to_string(*placement->length) +
                          " bytes, the shape needs " + std::to_string(bytes),
                      {},
                      {}};
  uint64_t size = store.getSource(*source).size();
  if (!::atc::isRangeInside(placement->offset, bytes, size))
    return Diagnostic{ErrorCode::InvalidTensor,
                      "external data of " + std::to_string(bytes) +
                          " bytes at offset " +
                          std::to_string(placement->offset) +
                          " passes the end of '" + placement->location +
                          "', which has " + std::to_string(size) + " bytes",
                      {},
                      {}};
  return graph::WeightRange{*source, placement->offset, bytes};
}

} // namespace mlir::atc::onnx
