// Checks that a code image needs no loader.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Codegen/Cpu/Emission.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Object/ELF.h"
#include "llvm/Object/ELFTypes.h"

using namespace mlir;
using namespace mlir::atc::cpu;

using ElfFile = llvm::object::ELF64LEFile;

static llvm::Error checkSegments(const ElfFile &file) {
  llvm::Expected<ElfFile::Elf_Phdr_Range> headers = file.program_headers();
  if (!headers)
    return headers.takeError();
  for (const ElfFile::Elf_Phdr &header : *headers) {
    if (header.p_type == llvm::ELF::PT_TLS)
      return llvm::createStringError("the image has thread-local data");
    if (header.p_type == llvm::ELF::PT_INTERP)
      return llvm::createStringError("the image asks for an interpreter");
    bool isLoaded = header.p_type == llvm::ELF::PT_LOAD;
    if (isLoaded && (header.p_flags & llvm::ELF::PF_W))
      return llvm::createStringError("the image has writable data");
    if (isLoaded && header.p_memsz != header.p_filesz)
      return llvm::createStringError("the image has zero-initialized data");
  }
  return llvm::Error::success();
}

static llvm::Error checkSymbols(const ElfFile &file,
                                const ElfFile::Elf_Shdr &section,
                                llvm::StringMap<uint64_t> &entries) {
  auto symbols = file.symbols(&section);
  if (!symbols)
    return symbols.takeError();
  auto strings = file.getStringTableForSymtab(section);
  if (!strings)
    return strings.takeError();
  for (const ElfFile::Elf_Sym &symbol : llvm::drop_begin(*symbols)) {
    llvm::Expected<StringRef> name = symbol.getName(*strings);
    if (!name)
      return name.takeError();
    if (symbol.isUndefined())
      return llvm::createStringError("undefined symbol '" + *name + "'");
    if (symbol.getType() == llvm::ELF::STT_FUNC)
      entries[*name] = symbol.st_value;
  }
  return llvm::Error::success();
}

llvm::Error mlir::atc::cpu::checkImage(ArrayRef<char> image,
                                       llvm::StringMap<uint64_t> &entries) {
  llvm::Expected<ElfFile> file =
      ElfFile::create(StringRef(image.data(), image.size()));
  if (!file)
    return file.takeError();
  if (file->getHeader().e_type != llvm::ELF::ET_DYN)
    return llvm::createStringError("the image is no shared object");
  if (llvm::Error error = checkSegments(*file))
    return error;
  llvm::Expected<ElfFile::Elf_Shdr_Range> sections = file->sections();
  if (!sections)
    return sections.takeError();
  for (const ElfFile::Elf_Shdr &section : *sections) {
    bool isRelocation = section.sh_type == llvm::ELF::SHT_RELA ||
                        section.sh_type == llvm::ELF::SHT_REL ||
                        section.sh_type == llvm::ELF::SHT_RELR;
    if (isRelocation && section.sh_size != 0)
      return llvm::createStringError("the image has relocations");
    if (section.sh_type == llvm::ELF::SHT_DYNSYM)
      if (llvm::Error error = checkSymbols(*file, section, entries))
        return error;
  }
  return llvm::Error::success();
}
