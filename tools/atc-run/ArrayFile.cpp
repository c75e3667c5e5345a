// Choice of a reader by extension.
// SPDX-License-Identifier: Apache-2.0
#include "ArrayFile.h"

#include "atc/Support/MappedFile.h"

#include <fmt/format.h>

namespace atc::run {

static bool endsWith(const std::string &text, const std::string &suffix) {
  return text.size() >= suffix.size() &&
         text.compare(text.size() - suffix.size(), suffix.size(), suffix) == 0;
}

static Expected<HostArray> parseRaw(const MappedFile &file, ElementType type,
                                    const std::vector<int64_t> &shape) {
  Expected<uint64_t> bytes = arrayBytes(type, shape);
  if (!bytes)
    return bytes.getDiagnostic();
  if (*bytes != file.size())
    return Status::error(
        ErrorCode::MalformedArray,
        fmt::format("has {} bytes, expects {} for {} {}", file.size(), *bytes,
                    elementTypeInfo(type).text, shapeText(shape)));
  return HostArray{
      type, shape,
      std::vector<uint8_t>(file.data(), file.data() + file.size())};
}

Expected<HostArray> readArrayFile(const std::string &path, ElementType wanted,
                                  const std::vector<int64_t> &rawShape) {
  Expected<MappedFile> file = MappedFile::open(path);
  if (!file)
    return file.getDiagnostic();
  Expected<HostArray> array =
      endsWith(path, ".npy")  ? parseNpy(file->data(), file->size(), wanted)
      : endsWith(path, ".pb") ? parseTensorProto(file->data(), file->size())
                              : parseRaw(*file, wanted, rawShape);
  if (array)
    return array;
  Diagnostic diagnostic = array.getDiagnostic();
  diagnostic.where = path;
  return diagnostic;
}

} // namespace atc::run
