// Checks and maps freestanding ELF images.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Runtime/CpuCode.h"

#include "atc/Support/CheckedMath.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <elf.h>
#include <sys/mman.h>
#include <system_error>
#include <unistd.h>

namespace atc {

#if defined(__x86_64__)
static constexpr uint16_t hostMachine = EM_X86_64;
#elif defined(__aarch64__)
static constexpr uint16_t hostMachine = EM_AARCH64;
#else
static constexpr uint16_t hostMachine = EM_NONE;
#endif

/// More address space than any model's kernels take.
static constexpr uint64_t maxImageSpan = uint64_t(1) << 31;

static Status badCode(const char *reason) {
  return Status::error(ErrorCode::DamagedOfflineModel,
                       std::string("the code image is malformed: ") + reason);
}

/// Reads a record of the image, whose alignment in memory is unknown.
template <typename T>
static bool readAt(ByteRange image, uint64_t offset, T &record) {
  if (!isRangeInside(offset, sizeof(T), image.size))
    return false;
  std::memcpy(&record, image.data + offset, sizeof(T));
  return true;
}

/// Refuses whatever a dynamic linker would have to act on.
static const char *findDynamicFault(ByteRange image, const Elf64_Phdr &header) {
  if (!isRangeInside(header.p_offset, header.p_filesz, image.size))
    return "the dynamic section lies outside the image";
  for (uint64_t at = 0; at + sizeof(Elf64_Dyn) <= header.p_filesz;
       at += sizeof(Elf64_Dyn)) {
    Elf64_Dyn entry;
    readAt(image, header.p_offset + at, entry);
    switch (entry.d_tag) {
    case DT_NULL:
      return nullptr;
    case DT_NEEDED:
      return "it needs another library";
    case DT_REL:
    case DT_RELA:
    case DT_JMPREL:
    case DT_RELR:
    case DT_TEXTREL:
      return "it has relocations";
    case DT_INIT:
    case DT_FINI:
    case DT_INIT_ARRAY:
    case DT_FINI_ARRAY:
    case DT_PREINIT_ARRAY:
      return "it has initializers";
    default:
      break;
    }
  }
  return nullptr;
}

/// The program headers of a shared object for this machine.
static Expected<std::vector<Elf64_Phdr>> readProgramHeaders(ByteRange image) {
  Elf64_Ehdr header;
  if (!readAt(image, 0, header) ||
      std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
      header.e_ident[EI_CLASS] != ELFCLASS64 ||
      header.e_ident[EI_DATA] != ELFDATA2LSB || header.e_type != ET_DYN ||
      header.e_phentsize != sizeof(Elf64_Phdr))
    return badCode("it is no 64-bit shared object");
  if (header.e_machine != hostMachine)
    return badCode("it is for another machine");
  std::vector<Elf64_Phdr> headers(header.e_phnum);
  for (size_t i = 0; i < headers.size(); ++i) {
    std::optional<uint64_t> at =
        checkedAdd<uint64_t>(header.e_phoff, i * sizeof(Elf64_Phdr));
    if (!at || !readAt(image, *at, headers[i]))
      return badCode("its program headers are cut off");
  }
  return headers;
}

Expected<std::vector<CpuCode::Segment>> CpuCode::readSegments(ByteRange image) {
  Expected<std::vector<Elf64_Phdr>> headers = readProgramHeaders(image);
  if (!headers)
    return headers.getDiagnostic();
  for (const Elf64_Phdr &program : *headers) {
    if (program.p_type == PT_TLS || program.p_type == PT_INTERP)
      return badCode("it has thread-local data or an interpreter");
    if (program.p_type == PT_DYNAMIC)
      if (const char *fault = findDynamicFault(image, program))
        return badCode(fault);
  }
  std::vector<Segment> segments;
  uint64_t end = 0;
  for (const Elf64_Phdr &program : *headers) {
    if (program.p_type != PT_LOAD || program.p_memsz == 0)
      continue;
    if ((program.p_flags & PF_W) || program.p_memsz != program.p_filesz)
      return badCode("it has writable data");
    if (!isRangeInside(program.p_offset, program.p_filesz, image.size))
      return badCode("a segment lies outside the image");
    if (!isRangeInside(program.p_vaddr, program.p_memsz, maxImageSpan) ||
        program.p_vaddr / 4096 * 4096 < end ||
        program.p_vaddr % 4096 != program.p_offset % 4096)
      return badCode("its segments overlap or are not aligned");
    segments.push_back(
        {program.p_vaddr, program.p_memsz, program.p_offset, program.p_flags});
    end = program.p_vaddr + program.p_memsz;
  }
  if (segments.empty())
    return badCode("it has no segments");
  return segments;
}

static int protection(uint32_t flags) {
  return (flags & PF_R ? PROT_READ : 0) | (flags & PF_X ? PROT_EXEC : 0);
}

/// Maps one segment over the reserved space. False where it has to be copied.
static bool mapFromFile(uint8_t *place, uint64_t bytes, int flags,
                        const CodeFile &file, uint64_t offset) {
  return file.descriptor >= 0 &&
         ::mmap(place, bytes, protection(flags), MAP_PRIVATE | MAP_FIXED,
                file.descriptor, static_cast<off_t>(offset)) != MAP_FAILED;
}

Status CpuCode::mapSegments(ByteRange image, CodeFile file) {
  uint64_t page = static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
  if (page > 4096 || file.offset % page != 0)
    file.descriptor = -1;
  const Segment &last = segments.back();
  length = *checkedAlignTo<uint64_t>(last.address + last.bytes, page);
  void *space = ::mmap(nullptr, length, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (space == MAP_FAILED)
    return Status::error(ErrorCode::OutOfMemory,
                         "no memory for the model's code");
  base = static_cast<uint8_t *>(space);
  // Copies first: pages may be shared when the page size exceeds the image's
  // alignment, and then the protection is the sum of both.
  std::vector<bool> mapped(segments.size());
  for (size_t i = 0; i < segments.size(); ++i) {
    const Segment &segment = segments[i];
    uint64_t inPage = segment.address % 4096;
    mapped[i] = mapFromFile(base + segment.address - inPage,
                            segment.bytes + inPage, segment.flags, file,
                            file.offset + segment.fileOffset - inPage);
    if (!mapped[i])
      std::memcpy(base + segment.address, image.data + segment.fileOffset,
                  segment.bytes);
  }
  uint32_t allFlags = 0;
  for (const Segment &segment : segments)
    allFlags |= segment.flags;
  for (size_t i = 0; i < segments.size(); ++i) {
    if (mapped[i])
      continue;
    const Segment &segment = segments[i];
    uint64_t begin = segment.address / page * page;
    uint64_t end =
        *checkedAlignTo<uint64_t>(segment.address + segment.bytes, page);
    uint32_t flags = page > 4096 ? allFlags : segment.flags;
    if (::mprotect(base + begin, end - begin, protection(flags)) != 0)
      return Status::error(ErrorCode::ExecutionFailed,
                           "the system does not let code be executed: " +
                               std::generic_category().message(errno));
  }
  __builtin___clear_cache(reinterpret_cast<char *>(base),
                          reinterpret_cast<char *>(base + length));
  return Status::success();
}

Expected<CpuCode> CpuCode::load(ByteRange image, CodeFile file) {
  Expected<std::vector<Segment>> segments = readSegments(image);
  if (!segments)
    return segments.getDiagnostic();
  CpuCode code;
  code.segments = std::move(*segments);
  if (Status status = code.mapSegments(image, file); !status)
    return status;
  return code;
}

CpuCode::CpuCode(CpuCode &&other) noexcept
    : base(other.base), length(other.length),
      segments(std::move(other.segments)) {
  other.base = nullptr;
}

CpuCode &CpuCode::operator=(CpuCode &&other) noexcept {
  if (this != &other) {
    release();
    std::swap(base, other.base);
    length = other.length;
    segments = std::move(other.segments);
  }
  return *this;
}

CpuCode::~CpuCode() { release(); }

void CpuCode::release() {
  if (base)
    ::munmap(base, length);
  base = nullptr;
}

atc_kernel CpuCode::entry(uint64_t address) const {
  for (const Segment &segment : segments)
    if ((segment.flags & PF_X) && address >= segment.address &&
        address - segment.address < segment.bytes)
      return reinterpret_cast<atc_kernel>(base + address);
  return nullptr;
}

} // namespace atc
