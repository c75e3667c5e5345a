// Compiles kernels from text and runs them in the test's process.
// SPDX-License-Identifier: Apache-2.0
#include "KernelRunner.h"
#include "atc/Codegen/Cpu/Emission.h"
#include "atc/Codegen/Cpu/Passes.h"
#include "atc/Support/KernelAbi.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Object/ELF.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <sys/mman.h>

using namespace mlir;
using namespace mlir::atc;
using namespace mlir::atc::test;

//===----------------------------------------------------------------------===//
// Loading
//===----------------------------------------------------------------------===//

std::unique_ptr<LoadedImage> LoadedImage::load(ArrayRef<char> bytes) {
  using File = llvm::object::ELF64LEFile;
  auto file =
      llvm::cantFail(File::create(StringRef(bytes.data(), bytes.size())));
  auto headers = llvm::cantFail(file.program_headers());
  auto image = std::make_unique<LoadedImage>();
  for (const File::Elf_Phdr &header : headers)
    if (header.p_type == llvm::ELF::PT_LOAD)
      image->size =
          std::max<size_t>(image->size, header.p_vaddr + header.p_memsz);
  image->size = (image->size + 4095) & ~size_t(4095);
  void *memory = mmap(nullptr, image->size, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    return nullptr;
  image->memory = static_cast<char *>(memory);
  for (const File::Elf_Phdr &header : headers)
    if (header.p_type == llvm::ELF::PT_LOAD)
      memcpy(image->memory + header.p_vaddr, bytes.data() + header.p_offset,
             header.p_filesz);
  if (mprotect(memory, image->size, PROT_READ | PROT_EXEC))
    return nullptr;
  return image;
}

LoadedImage::~LoadedImage() {
  if (memory)
    munmap(memory, size);
}

//===----------------------------------------------------------------------===//
// Compiling
//===----------------------------------------------------------------------===//

KernelRunner::KernelRunner()
    : context([] {
        DialectRegistry registry;
        registry.insert<arith::ArithDialect, cf::ControlFlowDialect,
                        func::FuncDialect, math::MathDialect,
                        memref::MemRefDialect, scf::SCFDialect,
                        vector::VectorDialect, LLVM::LLVMDialect>();
        cpu::registerTranslations(registry);
        return registry;
      }()) {
  context.loadAllAvailableDialects();
}

bool KernelRunner::compileLaunches(StringRef text) {
  return compile(parseSourceString<ModuleOp>(text, &context), true);
}

bool KernelRunner::compileKernels(StringRef text) {
  return compile(parseSourceString<ModuleOp>(text, &context), false);
}

bool KernelRunner::compile(OwningOpRef<ModuleOp> module, bool fromLaunches) {
  const CpuDescription *host = hostCpu();
  if (!module || !host)
    return false;
  SmallVector<ModuleOp> kernels(module->getOps<ModuleOp>());
  bool nested = !kernels.empty();
  if (!nested)
    kernels.push_back(*module);
  PassManager manager(&context);
  OpPassManager &kernel =
      nested ? manager.nest<ModuleOp>() : static_cast<OpPassManager &>(manager);
  if (fromLaunches)
    cpu::buildLaunchLowering(kernel);
  else
    cpu::buildKernelLowering(kernel, *host);
  if (failed(manager.run(*module)))
    return false;
  FailureOr<CodeImage> code = cpu::emitCode(kernels, *host);
  if (failed(code))
    return false;
  if (getenv("ATC_TEST_ASSEMBLY"))
    for (ModuleOp kernel : kernels)
      llvm::errs() << *cpu::emitAssembly(kernel, *host);
  image = std::move(code->bytes);
  entries = std::move(code->entries);
  loaded = LoadedImage::load(image);
  return loaded != nullptr;
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

namespace {
struct CallContext : atc_kernel_context {
  mutable bool hasFault = false;
};
} // namespace

static const atc_kernel_imports imports = {
    ::exp,
    ::log,
    ::pow,
    ::sin,
    ::cos,
    ::tan,
    ::asin,
    ::acos,
    ::atan,
    ::atan2,
    ::sinh,
    ::cosh,
    ::tanh,
    ::asinh,
    ::acosh,
    ::atanh,
    ::erf,
    ::fmod,
    ::powf,
    ::sinf,
    ::cosf,
    ::tanf,
    ::asinf,
    ::acosf,
    ::atanf,
    ::sinhf,
    ::coshf,
    ::asinhf,
    ::acoshf,
    ::atanhf,
    ::fmodf,
    ::memcpy,
    ::memset,
    ::memmove,
    [](const atc_kernel_context *context, uint32_t) {
      static_cast<const CallContext *>(context)->hasFault = true;
    }};

void KernelRunner::run(StringRef entry, ArrayRef<void *> buffers,
                       ArrayRef<int64_t> scalars, int64_t begin, int64_t end,
                       size_t scratchBytes) {
  auto found = entries.find(entry);
  if (found == entries.end() || !loaded) {
    llvm::errs() << "no kernel '" << entry << "'\n";
    abort();
  }
  CallContext kernelContext{
      {ATC_KERNEL_ABI_VERSION, sizeof(imports) / sizeof(void *), &imports}};
  void *scratch = aligned_alloc(64, (scratchBytes + 127) & ~size_t(63));
  auto function = reinterpret_cast<atc_kernel>(loaded->at(found->second));
  function(&kernelContext, buffers.data(), scalars.data(), scratch, begin, end);
  free(scratch);
  hasFault |= kernelContext.hasFault;
}
