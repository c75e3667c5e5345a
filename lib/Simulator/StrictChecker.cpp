// Strict mode: declared regions, written bytes, happens-before.
// SPDX-License-Identifier: Apache-2.0
#include "StrictChecker.h"

#include <fmt/format.h>

#include <algorithm>

namespace atc::sim {

using isa::Space;

namespace {

/// Sorted, merged runs of one space and direction.
using Runs = std::vector<std::pair<int64_t, int64_t>>;

void mergeRuns(Runs &runs) {
  std::sort(runs.begin(), runs.end());
  size_t kept = 0;
  for (const auto &[begin, end] : runs) {
    if (kept && begin <= runs[kept - 1].second)
      runs[kept - 1].second = std::max(runs[kept - 1].second, end);
    else
      runs[kept++] = {begin, end};
  }
  runs.resize(kept);
}

Runs expand(const std::vector<isa::Region> &regions, Space space,
            bool isWrite) {
  Runs runs;
  for (const isa::Region &region : regions) {
    if (region.space != space || region.isWrite != isWrite)
      continue;
    const auto &[outer, middle, inner] = region.dims;
    for (int64_t i = 0; i < outer.count; ++i)
      for (int64_t j = 0; j < middle.count; ++j)
        for (int64_t k = 0; k < inner.count; ++k) {
          int64_t begin = region.address + i * outer.stride +
                          j * middle.stride + k * inner.stride;
          runs.push_back({begin, begin + region.bytes});
        }
  }
  mergeRuns(runs);
  return runs;
}

/// The first touched byte that `declared` lacks.
std::optional<int64_t> findOutside(const Runs &touched, const Runs &declared) {
  size_t at = 0;
  for (const auto &[begin, end] : touched) {
    while (at < declared.size() && declared[at].second < end)
      ++at;
    if (at == declared.size() || declared[at].first > begin)
      return begin;
  }
  return std::nullopt;
}

const char *accessVerb(bool isWrite) { return isWrite ? "writes" : "reads"; }

Fault faultOf(FaultKind kind, std::string message) {
  Fault fault;
  fault.kind = kind;
  fault.message = std::move(message);
  return fault;
}

} // namespace

GlobalShadow::GlobalShadow(const GlobalMemory &global) {
  for (const GlobalMemory::Segment &segment : global.getSegments()) {
    ShadowMemory &shadow = segments.emplace_back(segment.bytes, false);
    for (const BufferBinding &binding : segment.bindings)
      if (binding.initialized && binding.bytes)
        shadow.markInitialized(
            static_cast<uint8_t *>(binding.data) - segment.data, binding.bytes);
  }
}

StrictChecker::StrictChecker(const isa::DeviceRecord &device,
                             const GlobalMemory &global,
                             GlobalShadow &globalShadow)
    : global(global), globalShadow(globalShadow) {
  locals.emplace_back(0, false);
  for (unsigned i = 1; i < isa::spaceCount; ++i)
    locals.emplace_back(device.spaceBytes[i], false);
}

StrictChecker::Place StrictChecker::locate(const Access &access) {
  if (access.space != Space::GM)
    return {&locals[static_cast<unsigned>(access.space)],
            static_cast<uint64_t>(access.address)};
  size_t segment = 0;
  uint64_t offset = 0;
  global.locate(access.address, segment, offset);
  return {&globalShadow.segment(segment), offset};
}

void StrictChecker::checkDeclared(const isa::ResolvedInstruction &instruction,
                                  const std::vector<Access> &accesses,
                                  std::vector<Fault> &faults) const {
  std::vector<isa::Region> regions;
  isa::appendRegions(instruction, regions);
  for (unsigned i = 0; i < isa::spaceCount; ++i)
    for (bool isWrite : {false, true}) {
      Space space = static_cast<Space>(i);
      Runs touched;
      for (const Access &access : accesses)
        if (access.space == space && access.isWrite == isWrite)
          touched.push_back({access.address, access.address + access.bytes});
      if (touched.empty())
        continue;
      mergeRuns(touched);
      if (std::optional<int64_t> outside =
              findOutside(touched, expand(regions, space, isWrite)))
        faults.push_back(faultOf(
            FaultKind::UndeclaredAccess,
            fmt::format("{} byte {} of {} outside of its declared regions",
                        accessVerb(isWrite), *outside, isa::spaceName(space))));
    }
}

void StrictChecker::checkInitialized(const std::vector<Access> &accesses,
                                     std::vector<Fault> &faults) {
  for (const Access &access : accesses) {
    if (access.isWrite)
      continue;
    Place place = locate(access);
    std::optional<uint64_t> missing = place.shadow->findUninitialized(
        place.offset, static_cast<uint64_t>(access.bytes));
    if (!missing)
      continue;
    faults.push_back(
        faultOf(FaultKind::UninitializedRead,
                fmt::format("reads byte {} of {}, which nothing wrote",
                            *missing, isa::spaceName(access.space))));
    return;
  }
}

void StrictChecker::checkRaces(const isa::ResolvedInstruction &instruction,
                               const Party &party, const VectorClock &clock,
                               const std::vector<Access> &accesses,
                               std::vector<Fault> &faults) {
  // Long multiply-accumulates drain into the accumulators before the next one
  // that uses them reads: no barrier needed from ten fractals on.
  bool drains = false;
  if (instruction.opcode == isa::Opcode::Mmad) {
    auto fields = isa::fieldsOf<isa::ResolvedMmad>(instruction);
    drains = ((fields.m + 15) / 16) * ((fields.n + 15) / 16) >= 10;
  }
  for (const Access &access : accesses) {
    auto ordered = [&](const Party &other, bool otherWrites) {
      if (other.run != party.run)
        return false;
      if (other.pipe != party.pipe)
        return clock[static_cast<unsigned>(other.pipe)] >= other.sequence;
      // One pipe starts its instructions in order, so a write cannot overtake
      // an older read; a result needs a barrier before its next use.
      if (!otherWrites || (drains && access.space == Space::L0C))
        return true;
      return clock[static_cast<unsigned>(party.pipe)] >= other.sequence;
    };
    Place place = locate(access);
    std::optional<RaceFound> race = place.shadow->findRace(
        place.offset, static_cast<uint64_t>(access.bytes), access.isWrite,
        ordered);
    if (!race)
      continue;
    Fault fault = faultOf(
        FaultKind::Race,
        fmt::format("{} byte {} of {} with nothing between it and the {} by "
                    "instruction {} of pipe {}",
                    accessVerb(access.isWrite), race->address,
                    isa::spaceName(access.space),
                    race->earlierWrites ? "write" : "read",
                    race->earlier.instruction,
                    isa::pipeName(race->earlier.pipe)));
    fault.otherInstruction = race->earlier.instruction;
    fault.otherBlock = race->earlier.block;
    faults.push_back(std::move(fault));
    break;
  }
  for (const Access &access : accesses) {
    Place place = locate(access);
    place.shadow->add(place.offset, static_cast<uint64_t>(access.bytes),
                      access.isWrite, party);
  }
}

/// Fractals may hold rows that nothing wrote: moving them is no use of them.
/// The bytes stay marked until a product reads them.
template <typename Fields>
void StrictChecker::moveMarks(const Fields &f, Space to) {
  constexpr int64_t fractalBytes = 512, elements = 16;
  const ShadowMemory &source = locals[static_cast<unsigned>(Space::L1)];
  ShadowMemory &target = locals[static_cast<unsigned>(to)];
  for (int64_t fractal = 0; fractal < f.fractals; ++fractal)
    for (int64_t byte = 0; byte < fractalBytes; ++byte) {
      int64_t row = byte / 2 / elements, column = byte / 2 % elements;
      int64_t from = f.transposed == isa::Toggle::On
                         ? (column * elements + row) * 2 + byte % 2
                         : byte;
      if (!source.isInitialized(f.src + fractal * f.src_stride * fractalBytes +
                                from))
        target.markUninitialized(f.dst + fractal * f.dst_stride * fractalBytes +
                                 byte);
    }
}

std::vector<Fault>
StrictChecker::check(const isa::ResolvedInstruction &instruction,
                     const Party &party, const VectorClock &clock,
                     const std::vector<Access> &accesses) {
  std::vector<Fault> faults;
  checkDeclared(instruction, accesses, faults);
  if (std::string overlap = findVectorOverlap(instruction); !overlap.empty())
    faults.push_back(faultOf(FaultKind::VectorOverlap, overlap));
  bool movesFractals = instruction.opcode == isa::Opcode::Load2dL0A ||
                       instruction.opcode == isa::Opcode::Load2dL0B;
  // An instruction reads before it writes: its own results do not count.
  if (!movesFractals)
    checkInitialized(accesses, faults);
  checkRaces(instruction, party, clock, accesses, faults);
  if (instruction.opcode == isa::Opcode::Load2dL0A)
    moveMarks(isa::fieldsOf<isa::ResolvedLoad2dL0A>(instruction), Space::L0A);
  if (instruction.opcode == isa::Opcode::Load2dL0B)
    moveMarks(isa::fieldsOf<isa::ResolvedLoad2dL0B>(instruction), Space::L0B);
  return faults;
}

} // namespace atc::sim
