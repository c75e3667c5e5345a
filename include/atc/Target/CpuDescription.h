// What code generation knows of a CPU: widths, registers, caches, features.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_TARGET_CPUDESCRIPTION_H
#define ATC_TARGET_CPUDESCRIPTION_H

#include "atc/Support/CodeTarget.h"
#include "mlir/IR/Types.h"
#include "mlir/Support/LLVM.h"

namespace mlir::atc {

/// How a CPU multiplies and accumulates 8-bit integers.
enum class Int8Dot : uint8_t {
  /// Widen, multiply, add.
  None,
  /// vpmaddubsw and vpmaddwd; the 16-bit sums saturate.
  Maddubs,
  /// vpdpbusd: four products into a 32-bit lane, exact.
  Vnni,
  /// sdot and udot of Armv8.2.
  NeonDot,
};

/// One record per named CPU level. Generated code depends on the record alone,
/// never on the machine that compiles.
struct CpuDescription {
  /// The name that --soc_version gives, e.g. "CPU-x86-64-v3".
  StringRef name;
  ::atc::CpuLevel level;
  /// For LLVM's target machine.
  StringRef triple, processor, features;

  /// Bytes of the vector register that code should use.
  unsigned vectorBytes;
  unsigned vectorRegisters;
  /// Whether masked loads and stores of 32- and 64-bit lanes are instructions;
  /// others become loops over the active lanes.
  bool maskedMoves;
  /// Whether 8- and 16-bit lanes are too.
  bool narrowMaskedMoves;
  Int8Dot int8Dot;
  /// Data caches per core in bytes; `l3Bytes` is the part that one core may
  /// count on. Typical values: tiling depends on them, correctness does not.
  int64_t l1Bytes, l2Bytes, l3Bytes;
  /// Fused multiply-adds per cycle, for cost estimates.
  unsigned fmaPerCycle;
  /// Typical clock and memory bandwidth per core, for cost estimates.
  double gigahertz, gigabytesPerSecond;

  /// Lanes of a vector register for elements of `type`; i1 counts as a byte.
  int64_t lanes(Type type) const;
};

/// All records.
ArrayRef<CpuDescription> cpuDescriptions();

/// The record of a name, null if unknown. "CPU" is the record of this machine,
/// null where it is below every record.
const CpuDescription *lookupCpu(StringRef name);

/// The most demanding record that the processor running this program fulfils;
/// null if none.
const CpuDescription *hostCpu();

} // namespace mlir::atc

#endif // ATC_TARGET_CPUDESCRIPTION_H
