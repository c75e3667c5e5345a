// The CPU records, and which of them this machine fulfils.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Target/CpuDescription.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"

using namespace mlir;
using namespace mlir::atc;

/// Most demanding first within an architecture.
static const CpuDescription records[] = {
    {/*name=*/"CPU-x86-64-v4",
     /*level=*/::atc::CpuLevel::X86_64_V4,
     /*triple=*/"x86_64-unknown-linux-gnu",
     /*processor=*/"x86-64-v4",
     /*features=*/"",
     /*vectorBytes=*/64,
     /*vectorRegisters=*/32,
     /*maskedMoves=*/true,
     /*narrowMaskedMoves=*/true,
     /*int8Dot=*/Int8Dot::Maddubs,
     /*l1Bytes=*/32 << 10,
     /*l2Bytes=*/1 << 20,
     /*l3Bytes=*/2 << 20,
     /*fmaPerCycle=*/2,
     /*gigahertz=*/2.8,
     /*gigabytesPerSecond=*/12},
    {/*name=*/"CPU-x86-64-v3",
     /*level=*/::atc::CpuLevel::X86_64_V3,
     /*triple=*/"x86_64-unknown-linux-gnu",
     /*processor=*/"x86-64-v3",
     /*features=*/"",
     /*vectorBytes=*/32,
     /*vectorRegisters=*/16,
     /*maskedMoves=*/true,
     /*narrowMaskedMoves=*/false,
     /*int8Dot=*/Int8Dot::Maddubs,
     /*l1Bytes=*/32 << 10,
     /*l2Bytes=*/512 << 10,
     /*l3Bytes=*/4 << 20,
     /*fmaPerCycle=*/2,
     /*gigahertz=*/3.0,
     /*gigabytesPerSecond=*/12},
    {/*name=*/"CPU-aarch64",
     /*level=*/::atc::CpuLevel::AArch64,
     /*triple=*/"aarch64-unknown-linux-gnu",
     /*processor=*/"generic",
     /*features=*/"+neon,+fp-armv8",
     /*vectorBytes=*/16,
     /*vectorRegisters=*/32,
     /*maskedMoves=*/false,
     /*narrowMaskedMoves=*/false,
     /*int8Dot=*/Int8Dot::None,
     /*l1Bytes=*/64 << 10,
     /*l2Bytes=*/512 << 10,
     /*l3Bytes=*/2 << 20,
     /*fmaPerCycle=*/2,
     /*gigahertz=*/2.6,
     /*gigabytesPerSecond=*/12},
};

int64_t CpuDescription::lanes(Type type) const {
  unsigned bits = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
  return vectorBytes * 8 / std::max(bits, 8u);
}

ArrayRef<CpuDescription> mlir::atc::cpuDescriptions() { return records; }

/// Whether the processor of this program has what a record's code uses.
static bool fulfils(const CpuDescription &cpu,
                    const llvm::Triple::ArchType arch,
                    const llvm::StringMap<bool> &features) {
  auto has = [&](std::initializer_list<StringRef> names) {
    return llvm::all_of(names,
                        [&](StringRef name) { return features.lookup(name); });
  };
  switch (cpu.level) {
  case ::atc::CpuLevel::X86_64_V3:
    return arch == llvm::Triple::x86_64 &&
           has({"avx2", "fma", "f16c", "bmi", "bmi2", "lzcnt", "movbe"});
  case ::atc::CpuLevel::X86_64_V4:
    return arch == llvm::Triple::x86_64 &&
           has({"avx2", "fma", "f16c", "bmi", "bmi2", "lzcnt", "movbe",
                "avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"});
  case ::atc::CpuLevel::AArch64:
    return arch == llvm::Triple::aarch64;
  case ::atc::CpuLevel::None:
  case ::atc::CpuLevel::X86_64_V1:
  case ::atc::CpuLevel::X86_64_V2:
    return false;
  }
  return false;
}

const CpuDescription *mlir::atc::hostCpu() {
  static const CpuDescription *const host = []() -> const CpuDescription * {
    llvm::StringMap<bool> features = llvm::sys::getHostCPUFeatures();
    llvm::Triple triple(llvm::sys::getProcessTriple());
    for (const CpuDescription &cpu : records)
      if (fulfils(cpu, triple.getArch(), features))
        return &cpu;
    return nullptr;
  }();
  return host;
}

const CpuDescription *mlir::atc::lookupCpu(StringRef name) {
  if (name == "CPU")
    return hostCpu();
  for (const CpuDescription &cpu : records)
    if (cpu.name == name)
      return &cpu;
  return nullptr;
}
