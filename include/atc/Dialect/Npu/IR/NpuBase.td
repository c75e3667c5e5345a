// What ops of the npu dialect are made of: spaces, modifiers, instructions.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_DIALECT_NPU_IR_NPUBASE_TD
#define ATC_DIALECT_NPU_IR_NPUBASE_TD

include "atc/Dialect/Npu/IR/NpuDialect.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/Properties.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

//===----------------------------------------------------------------------===//
// Spaces
//===----------------------------------------------------------------------===//

def Npu_SpaceAttr : AttrDef<Npu_Dialect, "Space"> {
  let mnemonic = "space";
  let summary = "the memory that a buffer lies in";
  let description = [{
    The memory space of a memref: `gm` is shared by all cores, `l1`, `l0a`,
    `l0b`, `l0c`, `ub`, `bt` and `fb` belong to one.

    Example: `memref<4096xi8, #npu.space<l1>>`
  }];
  let parameters = (ins "::atc::isa::Space":$value);
  let hasCustomAssemblyFormat = 1;
}

/// A range of bytes in a space.
def Npu_Buffer : Type<
    CPred<"::mlir::atc::npu::isBufferType($_self)">,
    "memref of bytes in a space of the npu", "::mlir::MemRefType">;

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

/// A modifier of the enumeration `kind` of lib/Isa, written by its text.
class Npu_Modifier<string kind> : Property<"::atc::isa::" # kind, kind> {
  let convertToAttribute = [{
    return ::mlir::atc::npu::modifierToAttribute($_ctxt, $_storage);
  }];
  let convertFromAttribute = [{
    return ::mlir::atc::npu::modifierFromAttribute($_storage, $_attr, $_diag);
  }];
  let hashProperty = "::llvm::hash_value(static_cast<uint8_t>($_storage))";
  let parser = [{
    if (::mlir::failed(::mlir::atc::npu::parseModifier($_parser, $_storage)))
      return ::mlir::failure();
  }];
  let printer = "$_printer << ::mlir::atc::npu::getModifierText($_storage)";
  let writeToMlirBytecode = [{
    $_writer.writeVarInt(static_cast<uint64_t>($_storage));
  }];
  let readFromMlirBytecode = [{
    uint64_t value;
    if (::mlir::failed($_reader.readVarInt(value)) ||
        ::mlir::failed(::mlir::atc::npu::modifierFromNumber($_storage, value)))
      return ::mlir::failure();
  }];
}

/// A modifier by the name that lib/Isa gives it.
class Mod<string name_, string kind> {
  string name = name_;
  Property property = Npu_Modifier<kind>;
}

def InstructionOpInterface : OpInterface<"InstructionOpInterface"> {
  let cppNamespace = "::mlir::atc::npu";
  let description = [{
    An op that stands for one instruction. Its operands are those of the
    instruction, in order, as `index` values.

    Constraints: (C1) modifiers go together; (C2) constant operands keep the
    limits and alignments of their fields.
  }];
  let methods = [
    InterfaceMethod<"The instruction.", "::atc::isa::Opcode", "getOpcode">,
    InterfaceMethod<"The encoded values of the modifiers, in order.",
                    "::llvm::SmallVector<uint8_t>", "getModifierValues">
  ];
  let verify = [{
    return ::mlir::atc::npu::verifyInstruction($_op);
  }];
  let extraClassDeclaration = [{
    /// The instruction with its constant operands; other operands are register
    /// 0.
    ::atc::isa::Instruction getInstruction();
    /// The pipe that runs it.
    ::atc::isa::Pipe getPipe() {
      return ::atc::isa::pipeOf(getInstruction());
    }
  }];
}

/// `opcode` names the entry of Instructions.def; `modifiers` and `fields` repeat
/// its modifiers and operands. The operation's verifier compares them.
class Npu_Instruction<string mnemonic, string opcode, list<Mod> modifiers,
                      list<string> fields, list<Trait> traits = []>
    : Op<Npu_Dialect, mnemonic,
         [DeclareOpInterfaceMethods<InstructionOpInterface>] # traits> {
  let arguments = !con(
      !dag(ins, !foreach(m, modifiers, m.property),
           !foreach(m, modifiers, m.name)),
      !dag(ins, !foreach(f, fields, Index), fields));
  let assemblyFormat =
      !interleave(!foreach(m, modifiers, "$" # m.name), " ") # " "
      # !interleave(!foreach(f, fields, "`" # f # "` $" # f), " `,` ")
      # " attr-dict";
  let extraClassDefinition = [{
    ::atc::isa::Opcode $cppClass::getOpcode() {
      return ::atc::isa::Opcode::}] # opcode # [{;
    }
    ::llvm::SmallVector<uint8_t> $cppClass::getModifierValues() {
      return {}]
      # !interleave(!foreach(m, modifiers,
            "static_cast<uint8_t>(getProperties()." # m.name # ")"), ", ")
      # "};" # [{
    }
  }];
}

#endif // ATC_DIALECT_NPU_IR_NPUBASE_TD
