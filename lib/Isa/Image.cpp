// Kernel images: writing, and reading with every check.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Isa/Image.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <set>

namespace atc::isa {

namespace {

constexpr uint32_t magic = 0x4955504e; // "NPUI"
constexpr uint64_t headerBytes = 64, kernelBytes = 32, codeBytes = 24;
constexpr uint64_t deviceNameBytes = 32;
constexpr uint64_t programAlignment = 64;
constexpr uint32_t maxArguments = 4096;

uint64_t alignUp(uint64_t value) {
  return (value + programAlignment - 1) / programAlignment * programAlignment;
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

void store(std::vector<uint8_t> &bytes, uint64_t offset, uint64_t value,
           unsigned width) {
  for (unsigned i = 0; i < width; ++i)
    bytes[offset + i] = static_cast<uint8_t>(value >> (8 * i));
}

Status checkKernels(const Image &image, const DeviceRecord &device) {
  auto error = [](const std::string &message) {
    return Status::error(ErrorCode::Internal, message);
  };
  std::set<std::string_view> names;
  for (const KernelImage &kernel : image.kernels) {
    if (!names.insert(kernel.name).second)
      return error(fmt::format("two NPU kernels named '{}'", kernel.name));
    if (uint64_t(kernel.bufferCount) + kernel.scalarCount > maxArguments)
      return error(fmt::format("NPU kernel '{}' has more than {} arguments",
                               kernel.name, maxArguments));
    if (kernel.codes.empty())
      return error(fmt::format("NPU kernel '{}' has no code", kernel.name));
    for (const KernelCode &code : kernel.codes)
      for (const Instruction &instruction : code.program.instructions) {
        std::string conflict = deviceConflict(instruction, device, code.core);
        if (!conflict.empty())
          return error(
              fmt::format("NPU kernel '{}': {}", kernel.name, conflict));
      }
  }
  return Status::success();
}

} // namespace

Expected<std::vector<uint8_t>> serializeImage(Image &image) {
  const DeviceRecord *device = findDevice(image.device);
  if (!device)
    return Status::error(ErrorCode::Internal,
                         fmt::format("no device '{}'", image.device));
  if (Status status = checkKernels(image, *device); !status)
    return status;
  std::string names;
  uint64_t codeCount = 0;
  for (const KernelImage &kernel : image.kernels) {
    names += kernel.name;
    codeCount += kernel.codes.size();
  }
  uint64_t kernelsAt = headerBytes;
  uint64_t codesAt = kernelsAt + image.kernels.size() * kernelBytes;
  uint64_t namesAt = codesAt + codeCount * codeBytes;
  std::vector<uint8_t> bytes(alignUp(namesAt + names.size()));
  store(bytes, 0, magic, 4);
  store(bytes, 4, Image::version, 4);
  std::memcpy(&bytes[8], image.device.data(),
              std::min<size_t>(image.device.size(), deviceNameBytes));
  store(bytes, 40, image.kernels.size(), 4);
  store(bytes, 44, codeCount, 4);
  store(bytes, 48, names.size(), 4);
  std::memcpy(bytes.data() + namesAt, names.data(), names.size());

  uint64_t nameOffset = 0, codeIndex = 0;
  for (KernelImage &kernel : image.kernels) {
    const uint64_t fields[] = {nameOffset,         kernel.name.size(),
                               kernel.bufferCount, kernel.scalarCount,
                               codeIndex,          kernel.codes.size()};
    for (unsigned i = 0; i < 6; ++i)
      store(bytes, kernelsAt + 4 * i, fields[i], 4);
    kernelsAt += kernelBytes;
    nameOffset += kernel.name.size();
    kernel.entryOffset = bytes.size();
    for (const KernelCode &code : kernel.codes) {
      Expected<std::vector<uint8_t>> program =
          encodeProgram(code.program.instructions);
      if (!program)
        return program.status();
      uint64_t record = codesAt + codeIndex++ * codeBytes;
      store(bytes, record, static_cast<uint64_t>(code.core), 4);
      store(bytes, record + 8, bytes.size(), 8);
      store(bytes, record + 16, program->size(), 8);
      bytes.insert(bytes.end(), program->begin(), program->end());
      bytes.resize(alignUp(bytes.size()));
    }
  }
  return bytes;
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

namespace {

Status damaged(const std::string &message) {
  return Status::error(ErrorCode::DamagedOfflineModel, "NPU image: " + message);
}

class Reader {
public:
  Reader(const uint8_t *data, uint64_t size) : data(data), size(size) {}

  Expected<Image> read() {
    if (Status status = readHeader(); !status)
      return status;
    for (uint32_t i = 0; i < kernelCount; ++i)
      if (Status status = readKernel(i); !status)
        return status;
    return std::move(image);
  }

private:
  uint64_t load(uint64_t offset, unsigned width) const {
    uint64_t value = 0;
    for (unsigned i = 0; i < width; ++i)
      value |= static_cast<uint64_t>(data[offset + i]) << (8 * i);
    return value;
  }

  Status readHeader() {
    if (size < headerBytes || load(0, 4) != magic)
      return damaged("no header");
    if (load(4, 4) > Image::version)
      return Status::error(
          ErrorCode::NewerOfflineModel,
          fmt::format("NPU image version {}, known are versions up to {}",
                      load(4, 4), Image::version));
    if (load(4, 4) != Image::version)
      return damaged("version 0");
    const char *name = reinterpret_cast<const char *>(data + 8);
    image.device.assign(name, strnlen(name, deviceNameBytes));
    device = findDevice(image.device);
    if (!device)
      return Status::error(
          ErrorCode::WrongDevice,
          fmt::format("NPU image for an unknown device '{}'", image.device));
    kernelCount = static_cast<uint32_t>(load(40, 4));
    codeCount = static_cast<uint32_t>(load(44, 4));
    nameBytes = static_cast<uint32_t>(load(48, 4));
    codesAt = headerBytes + kernelCount * kernelBytes;
    namesAt = codesAt + codeCount * codeBytes;
    if (namesAt + nameBytes > size)
      return damaged("tables end outside of it");
    return Status::success();
  }

  Status readKernel(uint32_t index) {
    uint64_t record = headerBytes + index * kernelBytes;
    uint64_t nameOffset = load(record, 4), nameSize = load(record + 4, 4);
    uint64_t firstCode = load(record + 16, 4), codes = load(record + 20, 4);
    KernelImage kernel;
    kernel.bufferCount = static_cast<uint32_t>(load(record + 8, 4));
    kernel.scalarCount = static_cast<uint32_t>(load(record + 12, 4));
    if (nameOffset + nameSize > nameBytes)
      return damaged("a name ends outside of it");
    if (uint64_t(kernel.bufferCount) + kernel.scalarCount > maxArguments)
      return damaged("a kernel has too many arguments");
    if (codes == 0 || codes > coreTypeCount || firstCode + codes > codeCount)
      return damaged("a kernel's codes are out of range");
    kernel.name.assign(
        reinterpret_cast<const char *>(data + namesAt + nameOffset), nameSize);
    if (!names.insert(kernel.name).second)
      return damaged("two kernels have one name");
    for (uint64_t code = firstCode; code < firstCode + codes; ++code)
      if (Status status = readCode(code, kernel); !status)
        return status;
    image.kernels.push_back(std::move(kernel));
    return Status::success();
  }

  Status readCode(uint64_t index, KernelImage &kernel) {
    uint64_t record = codesAt + index * codeBytes;
    uint64_t core = load(record, 4);
    uint64_t offset = load(record + 8, 8), bytes = load(record + 16, 8);
    if (core >= coreTypeCount)
      return damaged("unknown core type");
    if (offset > size || bytes > size - offset)
      return damaged("a program ends outside of it");
    KernelCode code;
    code.core = static_cast<CoreType>(core);
    for (const KernelCode &other : kernel.codes)
      if (other.core == code.core)
        return damaged("a kernel has two programs for one type of core");
    Expected<Program> program = decodeProgram(data + offset, bytes);
    if (!program)
      return program.status();
    code.program = std::move(*program);
    // Each program is read once, or overlapping records could ask for far
    // more memory than the image has.
    programBytes += bytes;
    if (programBytes > size)
      return damaged("programs overlap");
    for (size_t i = 0; i < code.program.instructions.size(); ++i) {
      std::string conflict =
          deviceConflict(code.program.instructions[i], *device, code.core);
      if (!conflict.empty())
        return damaged(fmt::format("kernel '{}', instruction {}: {}",
                                   kernel.name, i, conflict));
    }
    if (kernel.codes.empty())
      kernel.entryOffset = offset;
    kernel.codes.push_back(std::move(code));
    return Status::success();
  }

  const uint8_t *data;
  uint64_t size;
  const DeviceRecord *device = nullptr;
  uint64_t kernelCount = 0, codeCount = 0, nameBytes = 0;
  uint64_t codesAt = 0, namesAt = 0, programBytes = 0;
  std::set<std::string> names;
  Image image;
};

} // namespace

Expected<Image> parseImage(const uint8_t *data, uint64_t size) {
  return Reader(data, size).read();
}

} // namespace atc::isa
