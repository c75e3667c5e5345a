// Names and formats of written tensors.
// SPDX-License-Identifier: Apache-2.0
#include "Outputs.h"

#include "ArrayFile.h"

#include "atc/Support/AtomicFile.h"
#include "atc/Support/Float16.h"

#include <cctype>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <iterator>
#include <nlohmann/json.hpp>

namespace atc::run {

Expected<TensorFolder> TensorFolder::create(const std::string &folder,
                                            OutputFormat format) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error || !std::filesystem::is_directory(folder, error))
    return Status::error(ErrorCode::FileUnwritable,
                         error ? error.message() : "is not a folder", folder);
  TensorFolder result;
  result.folder = folder;
  result.format = format;
  return result;
}

std::string TensorFolder::fileStem(const std::string &name) {
  static constexpr size_t maxBytes = 100;
  std::string stem = name.substr(0, maxBytes);
  for (char &letter : stem)
    if (!std::isalnum(static_cast<unsigned char>(letter)) &&
        !std::strchr(".-_", letter))
      letter = '_';
  // A leading dot would hide the file, or name the folder itself.
  if (stem.empty() || stem[0] == '.')
    stem = "_" + stem.substr(stem.empty() ? 0 : 1);
  if (name.size() > maxBytes || taken.count(stem))
    stem += "-" + std::to_string(count);
  // Another tensor may be called just like that.
  while (taken.count(stem))
    stem += "_";
  taken.insert(stem);
  return stem;
}

/// One element as text: integers exactly, real numbers so that they can be read
/// back exactly.
static std::string elementText(ElementType type, const uint8_t *data,
                               int64_t index) {
  auto read = [&](auto sample) {
    std::memcpy(&sample, data + index * sizeof(sample), sizeof(sample));
    return sample;
  };
  switch (type) {
  case ElementType::F32:
    return fmt::format("{:.9g}", read(float()));
  case ElementType::F16:
    return fmt::format("{:.6g}", halfToFloat(read(uint16_t())));
  case ElementType::BF16:
    return fmt::format("{:.6g}", bfloatToFloat(read(uint16_t())));
  case ElementType::F64:
    return fmt::format("{:.17g}", read(double()));
  case ElementType::I8:
    return std::to_string(read(int8_t()));
  case ElementType::I16:
    return std::to_string(read(int16_t()));
  case ElementType::I32:
    return std::to_string(read(int32_t()));
  case ElementType::I64:
    return std::to_string(read(int64_t()));
  case ElementType::U16:
    return std::to_string(read(uint16_t()));
  case ElementType::U32:
    return std::to_string(read(uint32_t()));
  case ElementType::U64:
    return std::to_string(read(uint64_t()));
  case ElementType::C64:
    return fmt::format("{:.9g} {:.9g}", read(std::array<float, 2>())[0],
                       read(std::array<float, 2>())[1]);
  case ElementType::C128:
    return fmt::format("{:.17g} {:.17g}", read(std::array<double, 2>())[0],
                       read(std::array<double, 2>())[1]);
  default:
    break;
  }
  // Bytes, or halves of bytes, as their bits.
  if (elementTypeInfo(type).bits == 8)
    return std::to_string(data[index]);
  int half = (data[index / 2] >> (index % 2 * 4)) & 0xf;
  return std::to_string(type == ElementType::I4 && half >= 8 ? half - 16
                                                             : half);
}

static std::string toText(const TensorRef &tensor) {
  std::string text;
  for (int64_t i = 0; i < tensor.elementCount(); ++i)
    text += elementText(tensor.elementType, tensor.data, i) + "\n";
  return text;
}

Status TensorFolder::write(const std::string &name, const TensorRef &tensor,
                           const std::string &source) {
  static constexpr const char *extensions[] = {".npy", ".bin", ".txt"};
  std::string file = fileStem(name) + extensions[static_cast<int>(format)];
  std::vector<int64_t> shape(tensor.sizes.begin(),
                             tensor.sizes.begin() + tensor.rank);
  const char *begin = reinterpret_cast<const char *>(tensor.data);
  uint64_t bytes = *elementBytes(tensor.elementType, tensor.elementCount());
  std::string contents;
  switch (format) {
  case OutputFormat::Npy:
    contents =
        serializeNpy({tensor.elementType, shape,
                      std::vector<uint8_t>(tensor.data, tensor.data + bytes)});
    break;
  case OutputFormat::Bin:
    contents.assign(begin, bytes);
    break;
  case OutputFormat::Text:
    contents = toText(tensor);
    break;
  }
  if (Status status = writeFileAtomically(folder + "/" + file, contents,
                                          AtomicFile::Durability::Cached);
      !status)
    return status;
  nlohmann::ordered_json entry = {
      {"name", name},
      {"file", file},
      {"type", elementTypeInfo(tensor.elementType).text},
      {"shape", shape}};
  if (!source.empty())
    entry["source"] = source;
  entries += (count++ ? ",\n  " : "\n  ") +
             entry.dump(-1, ' ', false,
                        nlohmann::ordered_json::error_handler_t::replace);
  return Status::success();
}

Status TensorFolder::finish(const std::string &listName) {
  return writeFileAtomically(folder + "/" + listName, "[" + entries + "\n]\n",
                             AtomicFile::Durability::Cached);
}

} // namespace atc::run
