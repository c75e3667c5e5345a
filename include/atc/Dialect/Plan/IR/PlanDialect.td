// The plan dialect: what the runtime does, in order.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_DIALECT_PLAN_IR_PLANDIALECT_TD
#define ATC_DIALECT_PLAN_IR_PLANDIALECT_TD

include "mlir/IR/OpBase.td"

def Plan_Dialect : Dialect {
  let name = "plan";
  let cppNamespace = "::mlir::atc::plan";
  let summary = "Buffers, views and the instructions of the runtime";
  let description = [{
    A `plan.program` is the last form of a model's main function. Buffers are
    ranges of bytes in the arena, the weights, a variable or a port; views are
    tensors inside buffers; instructions (`plan.launch`, `plan.host_call`,
    `plan.copy`, ...) read and write views. Nothing has value semantics: an
    instruction sees what those before it wrote.

    Scalars are `index` and `i1` values, computed by ops of `arith`; control
    flow is `scf.if` and `scf.while` with scalar operands and results. The
    writer of offline models translates a program one to one into the records
    of docs/plan-format.md.

    ```mlir
    plan.program @main.plan {
      %x = plan.input 0 "x" : !plan.view<1x8xf32>
      %y = plan.output 0 "y" : !plan.view<1x4xf32>
      %w = plan.weight @w0 bytes 128
      %0 = plan.view %x[0] : !plan.buffer<input> -> !plan.view<1x8xf32>
      %1 = plan.view %w[0] : !plan.buffer<weights> -> !plan.view<8x4xf32>
      %2 = plan.view %y[0] : !plan.buffer<output> -> !plan.view<1x4xf32>
      plan.launch @kernel_0[0] (
          read %0 : !plan.view<1x8xf32>, read %1 : !plan.view<8x4xf32>,
          write %2 : !plan.view<1x4xf32>) tiles 1 scratch 0
    }
    ```
  }];

  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect",
    "::mlir::atc::graph::GraphDialect"
  ];
  let useDefaultTypePrinterParser = 1;
  let extraClassDeclaration = [{
  private:
    void registerTypes();
    // Each family adds its ops in its own translation unit.
    void registerMemoryOps();
    void registerExecutionOps();

  public:
  }];
}

#endif // ATC_DIALECT_PLAN_IR_PLANDIALECT_TD
