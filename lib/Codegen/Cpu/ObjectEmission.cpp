// One kernel module through LLVM: translation, optimization, code generation.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Codegen/Cpu/Emission.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/LoopRotation.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"

using namespace mlir;
using namespace mlir::atc;
using namespace mlir::atc::cpu;

static void initializeBackends() {
  static const bool once = [] {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
    LLVMInitializeAArch64TargetInfo();
    LLVMInitializeAArch64Target();
    LLVMInitializeAArch64TargetMC();
    LLVMInitializeAArch64AsmPrinter();
    return true;
  }();
  (void)once;
}

static std::unique_ptr<llvm::TargetMachine>
makeTargetMachine(const CpuDescription &cpu, std::string &message) {
  initializeBackends();
  llvm::Triple triple(cpu.triple);
  const llvm::Target *target =
      llvm::TargetRegistry::lookupTarget(triple, message);
  if (!target)
    return nullptr;
  llvm::TargetOptions options;
  // Multiplications and additions are fused where the kernel says so only.
  options.AllowFPOpFusion = llvm::FPOpFusion::Standard;
  return std::unique_ptr<llvm::TargetMachine>(target->createTargetMachine(
      triple, cpu.processor, cpu.features, options, llvm::Reloc::PIC_,
      llvm::CodeModel::Small, llvm::CodeGenOptLevel::Default));
}

/// Templates tile, unroll and vectorize themselves; what remains to be done is
/// to share addresses and to move them out of loops.
static void optimize(llvm::Module &module, llvm::TargetMachine &machine,
                     const llvm::TargetLibraryInfoImpl &library) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  functions.registerPass([&] { return llvm::TargetLibraryAnalysis(library); });
  llvm::PassBuilder builder(&machine);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);

  llvm::FunctionPassManager passes;
  passes.addPass(llvm::EarlyCSEPass(/*UseMemorySSA=*/false));
  passes.addPass(llvm::SimplifyCFGPass());
  passes.addPass(llvm::InstCombinePass());
  llvm::LoopPassManager loopPasses;
  loopPasses.addPass(llvm::LoopRotatePass());
  loopPasses.addPass(llvm::LICMPass(llvm::LICMOptions()));
  passes.addPass(llvm::createFunctionToLoopPassAdaptor(std::move(loopPasses),
                                                       /*UseMemorySSA=*/true));
  passes.addPass(llvm::InstCombinePass());
  passes.addPass(llvm::EarlyCSEPass(/*UseMemorySSA=*/true));
  passes.addPass(llvm::SimplifyCFGPass());
  for (llvm::Function &function : module)
    if (!function.isDeclaration())
      passes.run(function, functions);
}

/// A kernel does not unwind and calls nothing by name.
static void setAttributes(llvm::Module &module) {
  for (llvm::Function &function : module) {
    function.addFnAttr(llvm::Attribute::NoUnwind);
    function.addFnAttr("no-builtins");
    if (!function.isDeclaration() && !function.hasLocalLinkage())
      function.setVisibility(llvm::GlobalValue::DefaultVisibility);
  }
}

static LogicalResult emit(ModuleOp kernel, const CpuDescription &cpu,
                          llvm::CodeGenFileType fileType,
                          SmallVectorImpl<char> &buffer) {
  std::string message;
  std::unique_ptr<llvm::TargetMachine> machine =
      makeTargetMachine(cpu, message);
  if (!machine)
    return kernel.emitError("no code generator for ")
           << cpu.triple << ": " << message;
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module =
      translateModuleToLLVMIR(kernel, context, "kernel");
  if (!module)
    return kernel.emitError("cannot translate the kernel to LLVM IR");
  module->setDataLayout(machine->createDataLayout());
  module->setTargetTriple(machine->getTargetTriple());
  setAttributes(*module);
  // There is no library to call.
  llvm::TargetLibraryInfoImpl library(machine->getTargetTriple());
  library.disableAllFunctions();
  optimize(*module, *machine, library);

  llvm::raw_svector_ostream stream(buffer);
  llvm::legacy::PassManager passes;
  passes.add(new llvm::TargetLibraryInfoWrapperPass(library));
  if (machine->addPassesToEmitFile(passes, stream, nullptr, fileType,
                                   /*DisableVerify=*/true))
    return kernel.emitError("no code emission for ") << cpu.triple;
  passes.run(*module);
  return success();
}

FailureOr<ObjectFile> mlir::atc::cpu::emitObject(ModuleOp kernel,
                                                 const CpuDescription &cpu) {
  ObjectFile object;
  if (failed(emit(kernel, cpu, llvm::CodeGenFileType::ObjectFile, object)))
    return failure();
  return object;
}

FailureOr<std::string> mlir::atc::cpu::emitAssembly(ModuleOp kernel,
                                                    const CpuDescription &cpu) {
  SmallVector<char, 0> text;
  if (failed(emit(kernel, cpu, llvm::CodeGenFileType::AssemblyFile, text)))
    return failure();
  return std::string(text.begin(), text.end());
}
