// What the op families of the plan dialect share.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_DIALECT_PLAN_IR_PLANBASE_TD
#define ATC_DIALECT_PLAN_IR_PLANBASE_TD

include "atc/Dialect/Plan/IR/PlanTypes.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/Properties.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class Plan_Op<string mnemonic, list<Trait> traits = []>
    : Op<Plan_Dialect, mnemonic, traits>;

/// An instruction that reads or writes memory in the order of the program.
class Plan_Instruction<string mnemonic, list<Trait> traits = []>
    : Plan_Op<mnemonic, traits # [
        DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]>;

#endif // ATC_DIALECT_PLAN_IR_PLANBASE_TD
