// Kernel images: the NPU code of an offline model.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_ISA_IMAGE_H
#define ATC_ISA_IMAGE_H

#include "atc/Isa/Device.h"
#include "atc/Isa/Encoding.h"

#include <string>
#include <vector>

namespace atc::isa {

/// The program that one type of core runs for each block of a launch.
struct KernelCode {
  CoreType core = CoreType::Fused;
  Program program;
};

/// One launch: a grid of independent tiles, divided among blocks. Its argument
/// block holds the GM byte addresses of `bufferCount` buffers and then
/// `scalarCount` scalars, 64 bits each. Block b of B computes tiles
/// [floor(b * T / B), floor((b + 1) * T / B)) of the T that it knows from its
/// scalars or from its code.
struct KernelImage {
  /// Unique in the image.
  std::string name;
  uint32_t bufferCount = 0;
  uint32_t scalarCount = 0;
  /// One entry for a fused core, up to one each for cube and vector cores.
  std::vector<KernelCode> codes;
  /// Byte offset of the first code in the serialized image: the number by
  /// which a plan names the launch. Set by serializeImage and parseImage.
  uint64_t entryOffset = 0;
};

/// The kernels of one model for one device.
///
/// Serialized, little-endian:
///   header   64 bytes: "NPUI", u32 version, char device[32], u32 kernels,
///            u32 codes, u32 bytes of names, zeros
///   kernels  32 bytes each: u32 name offset, name size, buffers, scalars,
///            first code, codes, zeros
///   codes    24 bytes each: u32 core type, u32 zero, u64 offset, u64 size
///   names    characters without terminators
///   programs at multiples of 64 bytes
struct Image {
  static constexpr uint32_t version = 1;

  std::string device;
  std::vector<KernelImage> kernels;
};

/// Sets each kernel's entryOffset. Fails with Internal if a program has a
/// violation or does not fit the device.
Expected<std::vector<uint8_t>> serializeImage(Image &image);

/// Checks everything: bounds, names, every instruction, also against the
/// device. Fails with DamagedOfflineModel, NewerOfflineModel or WrongDevice.
Expected<Image> parseImage(const uint8_t *data, uint64_t size);

} // namespace atc::isa

#endif // ATC_ISA_IMAGE_H
