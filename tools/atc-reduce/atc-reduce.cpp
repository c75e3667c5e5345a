// Shrinks IR that makes a test script fail, by mlir-reduce's passes.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Driver/Registration.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Tools/mlir-reduce/MlirReduceMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  mlir::atc::registerDialects(registry);
  mlir::atc::registerPasses();
  mlir::MLIRContext context(registry);
  return mlir::failed(mlir::mlirReduceMain(argc, argv, context));
}
