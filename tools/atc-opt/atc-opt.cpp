// Runs passes of the compiler on IR in text form; the door for tests.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Driver/Registration.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  mlir::atc::registerDialects(registry);
  mlir::atc::registerPasses();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "OpenATC optimizer driver\n", registry));
}
