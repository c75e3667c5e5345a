// Imports models and prints their IR; for tests and for curious people.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Dialect/Graph/IR/Graph.h"
#include "atc/Frontend/Onnx/Import.h"
#include "mlir/Tools/mlir-translate/MlirTranslateMain.h"
#include "mlir/Tools/mlir-translate/Translation.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace mlir::atc;

static llvm::cl::opt<std::string>
    inputShape("input-shape",
               llvm::cl::desc("sizes of inputs: name:1,3,224,224;..."));
static llvm::cl::opt<std::string>
    outNodes("out-nodes", llvm::cl::desc("values to end the graph at, "
                                         "separated by ';'"));

/// Splits at the last colon, since names contain colons too.
static bool parseOptions(OnnxImportOptions &options) {
  SmallVector<StringRef> inputs, outputs;
  StringRef(inputShape).split(inputs, ';', -1, /*KeepEmpty=*/false);
  for (StringRef input : inputs) {
    auto [name, sizes] = input.rsplit(':');
    OnnxImportOptions::InputShape shape{name.str(), {}};
    SmallVector<StringRef> list;
    sizes.split(list, ',', -1, /*KeepEmpty=*/false);
    for (StringRef text : list)
      if (text.getAsInteger(10, shape.sizes.emplace_back()))
        return false;
    options.inputShapes.push_back(std::move(shape));
  }
  StringRef(outNodes).split(outputs, ';', -1, /*KeepEmpty=*/false);
  for (StringRef output : outputs)
    options.outputs.push_back(output.str());
  return true;
}

static OwningOpRef<Operation *> importModel(llvm::SourceMgr &sources,
                                            MLIRContext *context) {
  Location loc = UnknownLoc::get(context);
  OnnxImportOptions options;
  if (!parseOptions(options)) {
    emitError(loc, "invalid --input-shape");
    return nullptr;
  }
  // The module only names ranges of the store, so printing outlives it.
  graph::WeightStore store;
  std::vector<::atc::Diagnostic> diagnostics;
  const llvm::MemoryBuffer *buffer =
      sources.getMemoryBuffer(sources.getMainFileID());
  StringRef path = buffer->getBufferIdentifier();
  FailureOr<OwningOpRef<ModuleOp>> module =
      path == "<stdin>"
          ? importOnnxBytes(
                *context,
                ArrayRef(buffer->getBufferStart(), buffer->getBufferSize()),
                options, store, diagnostics)
          : importOnnxFile(*context, path.str(), options, store, diagnostics);
  for (const ::atc::Diagnostic &diagnostic : diagnostics)
    llvm::errs() << diagnostic.render() << "\n";
  if (failed(module))
    return nullptr;
  return OwningOpRef<Operation *>(module->release());
}

int main(int argc, char **argv) {
  TranslateToMLIRRegistration onnx(
      "import-onnx", "import an ONNX model",
      [](llvm::SourceMgr &sources, MLIRContext *context) {
        return importModel(sources, context);
      },
      [](DialectRegistry &registry) {
        registry.insert<graph::GraphDialect, func::FuncDialect>();
      });
  TranslateRegistration operators("list-onnx-operators",
                                  "write the table of supported ONNX operators",
                                  [](const std::shared_ptr<llvm::SourceMgr> &,
                                     llvm::raw_ostream &os, MLIRContext *) {
                                    printOnnxOperators(os);
                                    return success();
                                  });
  return failed(mlirTranslateMain(argc, argv, "OpenATC model importer"));
}
