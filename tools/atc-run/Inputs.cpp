// Files, images and made-up data for the model's inputs.
// SPDX-License-Identifier: Apache-2.0
#include "Inputs.h"

#include "ArrayFile.h"
#include "GeneratedArray.h"
#include "Image.h"
#include "ValueList.h"

#include "atc/Support/MappedFile.h"
#include "atc/Support/NearestName.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <set>

namespace atc::run {

/// "[batch, 3, ?, ?]"
static std::string describe(const InputPort &port) {
  std::vector<std::string> texts;
  for (size_t dim = 0; dim < port.sizes.size(); ++dim) {
    const std::string &name = port.names[dim];
    texts.push_back(port.sizes[dim] != -1 ? std::to_string(port.sizes[dim])
                    : name.empty()        ? "?"
                                          : name);
  }
  return fmt::format("[{}]", fmt::join(texts, ", "));
}

std::vector<InputPort> inputPorts(const Plan &plan) {
  std::vector<InputPort> ports;
  for (const PlanPort &port : plan.inputs) {
    const PlanView &view = plan.views[port.view];
    InputPort result{port.name, view.elementType, {}, {}};
    for (const PlanView::Dim &dim : view.dims)
      result.sizes.push_back(dim.size.isStatic() ? dim.size.value() : -1);
    result.names.resize(view.dims.size());
    ports.push_back(std::move(result));
  }
  for (const PlanSymbol &symbol : plan.symbols) {
    ports[symbol.port].names[symbol.dim] = symbol.name;
    if (symbol.min == symbol.max)
      ports[symbol.port].sizes[symbol.dim] = symbol.min;
  }
  return ports;
}

static Status unknownName(const std::vector<InputPort> &ports,
                          const std::string &name) {
  std::vector<std::string> names;
  for (const InputPort &port : ports)
    names.push_back(port.name);
  return Status::error(
      ErrorCode::UnknownTensorName,
      fmt::format("'{}' is no input of the model; it has {}{}", name,
                  names.empty() ? "none"
                                : fmt::format("{}", fmt::join(names, ", ")),
                  didYouMean(name, names)));
}

static std::optional<size_t> findPort(const std::vector<InputPort> &ports,
                                      const std::string &name) {
  for (size_t i = 0; i < ports.size(); ++i)
    if (ports[i].name == name)
      return i;
  return std::nullopt;
}

Expected<NamedFile> splitAssignment(const std::vector<InputPort> &ports,
                                    const std::string &text) {
  size_t last = text.rfind('=');
  if (last == std::string::npos)
    return NamedFile{std::nullopt, text};
  for (size_t at = last; at != std::string::npos;
       at = at == 0 ? std::string::npos : text.rfind('=', at - 1))
    if (std::optional<size_t> port = findPort(ports, text.substr(0, at)))
      return NamedFile{port, text.substr(at + 1)};
  std::error_code error;
  if (std::filesystem::exists(text, error))
    return NamedFile{std::nullopt, text};
  return unknownName(ports, text.substr(0, last));
}

namespace {

/// Fills one slot for each input, from the most to the least specific source.
class InputCollector {
public:
  InputCollector(const std::vector<InputPort> &ports, const Options &options)
      : ports(ports), options(options), arrays(ports.size()) {}

  Status readShapes();
  Status readImages();
  Status readFiles();
  Status readFolder();
  Status shareSizes();
  Status makeUpRest();
  std::vector<HostArray> take();

private:
  Status readFile(const NamedFile &file);
  Expected<size_t> slotFor(const NamedFile &file);
  Status store(size_t index, HostArray array, const std::string &from);
  /// The shape that raw bytes are given, -1 where it is not known.
  const std::vector<int64_t> &sizesOf(size_t index) const {
    return shapes[index];
  }

  const std::vector<InputPort> &ports;
  const Options &options;
  std::vector<std::optional<HostArray>> arrays;
  std::vector<std::vector<int64_t>> shapes;
};

} // namespace

static Status wrongInput(const InputPort &port, const std::string &message) {
  return Status::error(ErrorCode::InvalidInput, message,
                       "input '" + port.name + "'");
}

/// True if `shape` is one of the shapes that `sizes` allows.
static bool matches(const std::vector<int64_t> &sizes,
                    const std::vector<int64_t> &shape) {
  return sizes.size() == shape.size() &&
         std::equal(sizes.begin(), sizes.end(), shape.begin(),
                    [](int64_t a, int64_t b) { return a == -1 || a == b; });
}

Status InputCollector::readShapes() {
  for (const InputPort &port : ports)
    shapes.push_back(port.sizes);
  std::set<size_t> named;
  for (const std::string &text : options.shapes) {
    size_t colon = text.rfind(':');
    std::string name = text.substr(0, colon);
    std::optional<size_t> index = findPort(ports, name);
    if (colon == std::string::npos || !index)
      return unknownName(ports, name);
    if (!named.insert(*index).second)
      return Status::error(ErrorCode::InvalidOptionValue,
                           "'" + text + "' in --shape, the input has one");
    std::vector<int64_t> shape;
    for (std::string_view part :
         splitList(std::string_view(text).substr(colon + 1), ',')) {
      std::optional<int64_t> size = parseSizeNumber(part);
      if (!size)
        return Status::error(ErrorCode::InvalidOptionValue,
                             "'" + text +
                                 "' in --shape, expects "
                                 "NAME:d1,d2,...");
      shape.push_back(*size);
    }
    const InputPort &port = ports[*index];
    if (shape.size() != port.sizes.size())
      return Status::error(
          ErrorCode::RankMismatch,
          fmt::format("input '{}' has {} dims, --shape gives {}", port.name,
                      port.sizes.size(), shape.size()));
    if (!matches(port.sizes, shape))
      return Status::error(ErrorCode::DimensionMismatch,
                           fmt::format("input '{}' is {}, --shape gives {}",
                                       port.name, describe(port),
                                       shapeText(shape)));
    shapes[*index] = shape;
  }
  return Status::success();
}

/// The named input, or the first that has no data yet.
Expected<size_t> InputCollector::slotFor(const NamedFile &file) {
  size_t index = 0;
  if (file.port)
    index = *file.port;
  else
    while (index < arrays.size() && arrays[index])
      ++index;
  if (index == arrays.size())
    return Status::error(ErrorCode::InvalidInput,
                         fmt::format("'{}' is one file more than the model has "
                                     "inputs ({})",
                                     file.file, ports.size()));
  if (arrays[index])
    return wrongInput(ports[index], "is given twice");
  return index;
}

Status InputCollector::store(size_t index, HostArray array,
                             const std::string &from) {
  const InputPort &port = ports[index];
  if (array.elementType != port.elementType)
    return wrongInput(port,
                      fmt::format("expects {}, {} has {}",
                                  elementTypeInfo(port.elementType).text, from,
                                  elementTypeInfo(array.elementType).text));
  if (!matches(port.sizes, array.shape))
    return wrongInput(port, fmt::format("expects the shape {}, {} has {}",
                                        describe(port), from,
                                        shapeText(array.shape)));
  if (!matches(sizesOf(index), array.shape))
    return wrongInput(port, fmt::format("--shape gives {}, {} has {}",
                                        shapeText(sizesOf(index)), from,
                                        shapeText(array.shape)));
  arrays[index] = std::move(array);
  return Status::success();
}

Status InputCollector::readImages() {
  for (const std::string &text : options.images) {
    // The options behind the file have '=' too; the name ends at the first one
    // that a name stands in front of.
    NamedFile assignment{std::nullopt, text};
    for (size_t at = text.find('='); at != std::string::npos;
         at = text.find('=', at + 1))
      if (std::optional<size_t> port = findPort(ports, text.substr(0, at))) {
        assignment = {port, text.substr(at + 1)};
        break;
      }
    Expected<ImageOptions> image = parseImageOptions(assignment.file);
    if (!image)
      return image.status();
    // "other=a.png" where there is no input `other`.
    std::error_code error;
    size_t equals = image->file.find('=');
    if (!assignment.port && equals != std::string::npos &&
        !std::filesystem::exists(image->file, error))
      return unknownName(ports, image->file.substr(0, equals));
    Expected<size_t> index = slotFor({assignment.port, image->file});
    if (!index)
      return index.status();
    Expected<MappedFile> file = MappedFile::open(image->file);
    if (!file)
      return file.status();
    Expected<Picture> picture = decodePicture(file->data(), file->size());
    if (!picture) {
      Diagnostic diagnostic = picture.getDiagnostic();
      diagnostic.where = image->file;
      return diagnostic;
    }
    Expected<HostArray> array = makeImageInput(
        *picture, *image, ports[*index].elementType, sizesOf(*index));
    if (!array) {
      Diagnostic diagnostic = array.getDiagnostic();
      diagnostic.where = "input '" + ports[*index].name + "'";
      return diagnostic;
    }
    if (Status status = store(*index, std::move(*array), image->file); !status)
      return status;
  }
  return Status::success();
}

Status InputCollector::readFile(const NamedFile &file) {
  Expected<size_t> index = slotFor(file);
  if (!index)
    return index.status();
  Expected<HostArray> array =
      readArrayFile(file.file, ports[*index].elementType, sizesOf(*index));
  if (!array)
    return array.status();
  return store(*index, std::move(*array), file.file);
}

Status InputCollector::readFiles() {
  std::vector<NamedFile> files;
  for (const std::string &text : options.inputs) {
    Expected<NamedFile> file = splitAssignment(ports, text);
    if (!file)
      return file.status();
    files.push_back(*file);
  }
  // Named files first, so that the others go to what is left.
  for (bool named : {true, false})
    for (const NamedFile &file : files)
      if (file.port.has_value() == named)
        if (Status status = readFile(file); !status)
          return status;
  return Status::success();
}

Status InputCollector::readFolder() {
  namespace fs = std::filesystem;
  if (options.inputFolder.empty())
    return Status::success();
  std::error_code error;
  if (!fs::is_directory(options.inputFolder, error))
    return Status::error(ErrorCode::FileNotFound, "is not a folder",
                         options.inputFolder);
  for (size_t i = 0; i < ports.size(); ++i) {
    if (arrays[i])
      continue;
    std::string stem = options.inputFolder + "/" + std::to_string(i);
    std::string found;
    for (const char *extension : {".npy", ".pb", ".bin"})
      if (found.empty() && fs::exists(stem + extension, error))
        found = stem + extension;
    if (found.empty())
      return Status::error(ErrorCode::FileNotFound,
                           "has no " + std::to_string(i) +
                               ".npy, .pb or .bin for input '" + ports[i].name +
                               "'",
                           options.inputFolder);
    Expected<HostArray> array =
        readArrayFile(found, ports[i].elementType, sizesOf(i));
    if (!array)
      return array.status();
    if (Status status = store(i, std::move(*array), found); !status)
      return status;
  }
  return Status::success();
}

/// Sizes that one input has are those of the same name in others.
Status InputCollector::shareSizes() {
  std::map<std::string, int64_t> known;
  for (size_t i = 0; i < ports.size(); ++i) {
    if (arrays[i])
      shapes[i] = arrays[i]->shape;
    for (size_t dim = 0; dim < shapes[i].size(); ++dim)
      if (shapes[i][dim] != -1 && !ports[i].names[dim].empty())
        known.emplace(ports[i].names[dim], shapes[i][dim]);
  }
  for (size_t i = 0; i < ports.size(); ++i)
    for (size_t dim = 0; dim < shapes[i].size(); ++dim)
      if (auto found = known.find(ports[i].names[dim]);
          shapes[i][dim] == -1 && found != known.end())
        shapes[i][dim] = found->second;
  return Status::success();
}

Status InputCollector::makeUpRest() {
  for (size_t i = 0; i < ports.size(); ++i) {
    if (arrays[i])
      continue;
    const std::vector<int64_t> &shape = sizesOf(i);
    if (std::find(shape.begin(), shape.end(), -1) != shape.end())
      return wrongInput(
          ports[i],
          fmt::format("its shape {} is open; give a file, or the sizes with "
                      "--shape {}:D1,D2,...",
                      describe(ports[i]), ports[i].name));
    Expected<HostArray> array =
        options.fill
            ? makeFilledArray(ports[i].elementType, shape, *options.fill)
            : makeRandomArray(ports[i].elementType, shape, options.seed + i);
    if (!array)
      return array.status();
    arrays[i] = std::move(*array);
  }
  return Status::success();
}

std::vector<HostArray> InputCollector::take() {
  std::vector<HostArray> result;
  for (std::optional<HostArray> &array : arrays)
    result.push_back(std::move(*array));
  return result;
}

Expected<std::vector<HostArray>>
collectInputs(const std::vector<InputPort> &ports, const Options &options) {
  InputCollector collector(ports, options);
  using Step = Status (InputCollector::*)();
  for (Step step : {&InputCollector::readShapes, &InputCollector::readImages,
                    &InputCollector::readFiles, &InputCollector::readFolder,
                    &InputCollector::shareSizes, &InputCollector::makeUpRest})
    if (Status status = (collector.*step)(); !status)
      return status;
  return collector.take();
}

} // namespace atc::run
