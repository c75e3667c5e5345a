// Writes a small offline model: write-test-model FILE.om
// SPDX-License-Identifier: Apache-2.0
#include "TestModel.h"

#include "atc/Support/AtomicFile.h"

#include <cstdio>

using namespace atc;
using namespace atc::test;

/// y = x + 5; x is [n, 3] with n from 2.
int main(int argc, char **argv) {
  if (argc != 2)
    return 2;
  ModelBuilder builder;
  PlanInt n = builder.symbol(0, 0, 2, 100);
  PlanInt bytes = builder.newRegister(), count = builder.newRegister();
  builder.plan.prologue = {
      {ScalarInstruction{ScalarOp::Multiply, bytes.registerIndex(), n, 12, 0},
       ""},
      {ScalarInstruction{ScalarOp::Multiply, count.registerIndex(), n, 3, 0},
       ""}};
  uint32_t x = builder.input("x", ElementType::F32, {n, 3}, bytes);
  uint32_t y = builder.output("y", ElementType::F32, {n, 3}, bytes);
  builder.launch("add_scalar", {reads(x), writes(y)}, {5}, count, "add");
  std::vector<uint8_t> file = builder.build();
  Status status = writeFileAtomically(
      argv[1], {reinterpret_cast<const char *>(file.data()), file.size()});
  if (!status)
    std::fputs(status.getDiagnostic().render().c_str(), stderr);
  return status ? 0 : 1;
}
