// The compiler breaks: what is said, and what the reproducer holds.
// SPDX-License-Identifier: Apache-2.0
#include "FatalErrors.h"
#include "PhaseRunner.h"
#include "atc/Dialect/Graph/IR/Graph.h"
#include "atc/Driver/Registration.h"
#include "atc/Driver/Reproducer.h"
#include "atc/Target/CurrentWork.h"
#include "atc/Target/Services.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "gmock/gmock.h"
#include <unistd.h>

using namespace mlir;
using namespace mlir::atc;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

namespace {

/// Breaks at the kernel of that name, in one of the ways that passes break.
struct BreakPass : PassWrapper<BreakPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(BreakPass)

  BreakPass() = default;
  BreakPass(const BreakPass &other) : PassWrapper(other) {}
  StringRef getArgument() const override { return "test-break"; }

  void runOnOperation() override {
    if (getOperation().getSymName() != StringRef(kernel))
      return;
    // What a pass leaves half done must not get into the reproducer.
    getOperation()->setAttr("test.changed", UnitAttr::get(&getContext()));
    if (way == "fatal")
      llvm::report_fatal_error("an instruction cannot be selected");
    if (way == "abort")
      std::abort();
    if (way == "error")
      getOperation().emitError("cannot be lowered");
    signalPassFailure();
  }

  Option<std::string> kernel{*this, "kernel"};
  Option<std::string> way{*this, "way"};
};

/// The host's lowering with such a pass at its end.
class BreakingTarget final : public Target {
public:
  BreakingTarget(const Target &real, StringRef kernel, StringRef way)
      : real(real), kernel(kernel), way(way) {}

  StringRef getName() const override { return real.getName(); }
  ::atc::TargetKind getKind() const override { return real.getKind(); }
  void registerDialects(DialectRegistry &) const override {}
  bool supports(Operation *op, std::string &reason) const override {
    return real.supports(op, reason);
  }
  bool canFuse(Operation *anchor, Operation *op,
               FusionRole role) const override {
    return real.canFuse(anchor, op, role);
  }
  SmallVector<KernelCandidate> candidates(graph::KernelOp kernel,
                                          std::string &reason) const override {
    return real.candidates(kernel, reason);
  }
  FailureOr<graph::ConfigAttr> configure(graph::KernelOp kernel,
                                         StringRef candidate) const override {
    return real.configure(kernel, candidate);
  }
  void buildLowering(OpPassManager &manager) const override {
    real.buildLowering(manager);
    auto pass = std::make_unique<BreakPass>();
    pass->kernel = kernel.str();
    pass->way = way.str();
    manager.addPass(std::move(pass));
  }
  FailureOr<CodeImage> emit(ModuleOp module) const override {
    return real.emit(module);
  }

private:
  const Target &real;
  StringRef kernel, way;
};

/// Two kernels. In this form, the model's constants are part of its module.
constexpr StringLiteral modelText = R"(
module attributes {graph.target = "CPU-x86-64-v3"} {
  func.func @main(%x: tensor<4x8xf32> {graph.name = "x"},
                  %w: tensor<8x16xf32> {graph.name = "w"},
                  %v: tensor<16x12xf32> {graph.name = "v"})
      -> (tensor<4x12xf32> {graph.name = "y"}) {
    %0 = graph.matmul %x, %w : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
    %1 = graph.matmul %0, %v : (tensor<4x16xf32>, tensor<16x12xf32>) -> tensor<4x12xf32>
    %c = graph.constant dense<[0.125, 7.25, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0]> : tensor<12xf32>
    %2 = graph.add %1, %c : (tensor<4x12xf32>, tensor<12xf32>) -> tensor<4x12xf32>
    return %2 : tensor<4x12xf32>
  }
}
)";

class FatalErrors : public ::testing::Test {
protected:
  static void SetUpTestSuite() {
    ::mlir::atc::registerPasses();
    PassRegistration<BreakPass>();
  }

  void SetUp() override {
    DialectRegistry registry;
    ::mlir::atc::registerDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
    real = Services::get(&context)->lookup("CPU-x86-64-v3");
    ASSERT_NE(real, nullptr);
    SmallString<64> name;
    ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("fatal-errors", name));
    folder = name.str().str();
    path = folder + "/model.reproducer.mlir";
  }
  void TearDown() override { llvm::sys::fs::remove_directories(folder); }

  /// Compiles with a lowering that breaks.
  LogicalResult lower(StringRef kernel, StringRef way) {
    OwningOpRef<ModuleOp> module =
        parseSourceString<ModuleOp>(modelText, &context);
    EXPECT_TRUE(module);
    if (!module)
      return failure();
    auto plainly = [](const PhaseInfo &info,
                      llvm::function_ref<LogicalResult()> run) {
      ::atc::cli::setCurrentPhase(info.name.str());
      return run();
    };
    return runPhases(*module, BreakingTarget(*real, kernel, way), Phase::Shape,
                     PipelineOptions(), plainly, path);
  }

  /// As the tool does it.
  [[noreturn]] void lowerAsTool(StringRef kernel, StringRef way) {
    dup2(STDERR_FILENO, STDOUT_FILENO);
    ::atc::cli::installFatalErrorHandlers();
    ::atc::cli::setCurrentModel("model.onnx");
    ::atc::cli::setReproducerPath(path);
    (void)lower(kernel, way);
    _exit(0);
  }

  std::string readReproducer() {
    auto buffer = llvm::MemoryBuffer::getFile(path);
    return buffer ? (*buffer)->getBuffer().str() : std::string();
  }

  /// What atc-opt --run-reproducer does with the file; returns the errors.
  LogicalResult replay() {
    PassReproducerOptions reproducer;
    FallbackAsmResourceMap resources;
    ParserConfig config(&context, /*verifyAfterParse=*/true, &resources);
    reproducer.attachResourceParser(config);
    OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(path, config);
    EXPECT_TRUE(module);
    PassManager manager(&context, ModuleOp::getOperationName());
    EXPECT_TRUE(succeeded(reproducer.apply(manager)));
    EXPECT_GT(manager.size(), 0u);
    return manager.run(*module);
  }

  MLIRContext context;
  const Target *real = nullptr;
  std::string folder, path;
};

} // namespace

TEST_F(FatalErrors, FatalErrorNamesPhaseAndKernelAndIsReproduced) {
  EXPECT_EXIT(lowerAsTool("gemm_0", "fatal"), ::testing::ExitedWithCode(255),
              "E19999: an instruction cannot be selected in phase 'lower' at "
              "kernel 'gemm_0' of model 'model.onnx'\n"
              "        Solution: .*\n"
              "        Reproducer: .*model.reproducer.mlir");
  EXPECT_THAT(readReproducer(),
              AllOf(HasSubstr("module @gemm_0"), HasSubstr("graph.matmul"),
                    HasSubstr("test-break{kernel=gemm_0 way=fatal}"),
                    Not(HasSubstr("@main")), Not(HasSubstr("test.changed"))));
}

TEST_F(FatalErrors, ReplayBreaksInTheSameWay) {
  EXPECT_EXIT(lowerAsTool("gemm_0", "fatal"), ::testing::ExitedWithCode(255),
              "Reproducer: ");
  EXPECT_DEATH((void)replay(), "an instruction cannot be selected");
}

TEST_F(FatalErrors, AbortOfAnotherThreadNamesItsKernel) {
  EXPECT_EXIT(lowerAsTool("gemm_1", "abort"), ::testing::ExitedWithCode(255),
              "E19999: the compiler crashed \\(abort\\) in phase 'lower' at "
              "kernel 'gemm_1'.*\n.*\n        Reproducer: ");
  EXPECT_THAT(readReproducer(), HasSubstr("module @gemm_1"));
}

TEST_F(FatalErrors, UnwritableReproducerIsNotNamed) {
  path = folder + "/missing/model.reproducer.mlir";
  EXPECT_EXIT(lowerAsTool("gemm_0", "abort"), ::testing::ExitedWithCode(255),
              "at kernel 'gemm_0' of model 'model.onnx'\n[^\n]*\n$");
}

TEST_F(FatalErrors, SilentFailureNamesKernelAndIsReproduced) {
  std::string message;
  ScopedDiagnosticHandler handler(
      &context, [&](Diagnostic &diagnostic) { message += diagnostic.str(); });
  EXPECT_TRUE(failed(lower("gemm_0", "silent")));
  EXPECT_EQ(message, "phase 'lower' failed without a message at kernel "
                     "'gemm_0'; '" +
                         path + "' reproduces it");
  message.clear();
  EXPECT_TRUE(failed(replay()));
  EXPECT_EQ(message, "");
}

TEST_F(FatalErrors, ReproducerLeavesElementsOut) {
  OwningOpRef<ModuleOp> module =
      parseSourceString<ModuleOp>(modelText, &context);
  CurrentWorkScope work({{}, *module, {}});
  EXPECT_TRUE(::atc::writeReproducer(path).ok());
  EXPECT_THAT(readReproducer(),
              AllOf(HasSubstr("graph.constant"), Not(HasSubstr("7.25"))));
}

TEST_F(FatalErrors, PassWithAnErrorLeavesNoReproducer) {
  std::string message;
  ScopedDiagnosticHandler handler(
      &context, [&](Diagnostic &diagnostic) { message += diagnostic.str(); });
  EXPECT_TRUE(failed(lower("gemm_0", "error")));
  EXPECT_EQ(message, "cannot be lowered");
  EXPECT_EQ(readReproducer(), "");
}

TEST_F(FatalErrors, GoodCompilationLeavesNothing) {
  EXPECT_TRUE(succeeded(lower("no such kernel", "abort")));
  EXPECT_EQ(readReproducer(), "");
  EXPECT_FALSE(::atc::hasReproducer());
  EXPECT_EQ(::atc::currentKernel(), "");
}
