// Binary form: every instruction survives, nothing illegal passes.
// SPDX-License-Identifier: Apache-2.0
#include "SampleInstructions.h"

#include "atc/Isa/Assembly.h"

#include <gmock/gmock.h>

using namespace atc;
using namespace atc::isa;
using testing::HasSubstr;

namespace {

/// The reason why `bytes` is no program.
std::string refusal(const std::vector<uint8_t> &bytes) {
  Expected<Program> program = decodeProgram(bytes.data(), bytes.size());
  return program ? "" : program.getDiagnostic().message;
}

std::vector<uint8_t> encode(const std::vector<Instruction> &program) {
  Expected<std::vector<uint8_t>> bytes = encodeProgram(program);
  EXPECT_TRUE(bytes.ok()) << bytes.getDiagnostic().message;
  return *bytes;
}

TEST(Encoding, EveryInstructionSurvives) {
  for (bool registers : {false, true}) {
    std::vector<Instruction> program = sampleProgram(registers);
    std::vector<uint8_t> bytes = encode(program);
    Expected<Program> decoded = decodeProgram(bytes.data(), bytes.size());
    ASSERT_TRUE(decoded.ok()) << decoded.getDiagnostic().message;
    ASSERT_EQ(decoded->instructions.size(), program.size());
    for (size_t i = 0; i < program.size(); ++i)
      EXPECT_EQ(decoded->instructions[i], program[i])
          << printInstruction(program[i]);
  }
}

TEST(Encoding, EveryModifierValueSurvivesWhereItIsLegal) {
  for (unsigned entry = 0; entry < instructionTableSize(); ++entry) {
    const InstructionInfo &info = instructionTable()[entry];
    for (unsigned i = 0; i < info.modifierCount; ++i)
      for (unsigned v = 0; v < modifierValueCount(info.modifiers[i].kind);
           ++v) {
        Instruction instruction = sampleInstruction(info, true);
        instruction.modifiers[i] = static_cast<uint8_t>(v);
        if (!findViolation(instruction, 1).empty())
          continue;
        std::vector<uint8_t> bytes = encode({instruction});
        Expected<Program> decoded = decodeProgram(bytes.data(), bytes.size());
        ASSERT_TRUE(decoded.ok());
        EXPECT_EQ(decoded->instructions[0], instruction);
      }
  }
}

TEST(Encoding, SizesAreMultiplesOfEight) {
  EXPECT_EQ(encodedSize(Opcode::End), 8u);
  EXPECT_EQ(encodedSize(Opcode::SetFlag), 16u);
  EXPECT_EQ(encodedSize(Opcode::Alu), 24u);
}

TEST(Encoding, BytesAreAsDocumented) {
  Instruction add = toInstruction(
      Alu{AluFunction::Multiply, Operand::reg(3), Operand::reg(5), -2});
  EXPECT_EQ(
      encode({add}),
      (std::vector<uint8_t>{2, 0, 2, 0, 3,    0,    0,    0,    3, 0, 0, 0, //
                            5, 0, 0, 0, 0xfe, 0xff, 0xff, 0xff, 0, 0, 0, 0}));
}

TEST(Encoding, BranchTargetsAreByteOffsetsInTheCode) {
  std::vector<Instruction> program = {
      toInstruction(Alu{AluFunction::Add, Operand::reg(0), 1, 2}),
      toInstruction(Jump{2}), toInstruction(End{})};
  std::vector<uint8_t> bytes = encode(program);
  EXPECT_EQ(bytes[24 + 8], 24 + 16);
  Expected<Program> decoded = decodeProgram(bytes.data(), bytes.size());
  ASSERT_TRUE(decoded.ok());
  EXPECT_EQ(decoded->instructions[1].operands[0].value, 2);
}

TEST(Encoding, RefusesConstantsOutsideOfLimits) {
  for (unsigned entry = 0; entry < instructionTableSize(); ++entry) {
    const InstructionInfo &info = instructionTable()[entry];
    for (unsigned i = 0; i < info.operandCount; ++i) {
      const OperandInfo &operand = info.operands[i];
      if (operand.role != OperandRole::Field || operand.max == INT32_MAX)
        continue;
      Instruction instruction = sampleInstruction(info, false);
      instruction.operands[i] =
          static_cast<int32_t>(operand.max + operand.multiple);
      EXPECT_THAT(findViolation(instruction, 1), HasSubstr("above its maximum"))
          << printInstruction(instruction);
    }
  }
}

TEST(Encoding, RefusesMisalignedAddresses) {
  Instruction mmad = toInstruction(
      Mmad{DataType::F16, MmadInit::Zero, 0, 256, 0, 0, 16, 16, 16});
  EXPECT_EQ(findViolation(mmad, 1), "a = 256 is misaligned");
}

TEST(Encoding, RefusesMoreLanesThanTheTypeHas) {
  VectorUnary relu{UnaryFunction::Relu, DataType::F32, 0, 0, 65, 1, 1, 1, 8, 8};
  EXPECT_EQ(findViolation(toInstruction(relu), 1),
            "lanes = 65 exceeds the 64 of the type");
  relu.type = DataType::F16;
  EXPECT_EQ(findViolation(toInstruction(relu), 1), "");
}

TEST(Encoding, RefusesModifiersThatDoNotGoTogether) {
  VectorUnary exp{UnaryFunction::Exp, DataType::S32, 0, 0, 8, 1, 1, 1, 8, 8};
  EXPECT_EQ(findViolation(toInstruction(exp), 1),
            "the function takes f16 or f32");
  EXPECT_EQ(findViolation(toInstruction(SetFlag{Pipe::M, Pipe::M, 0}), 1),
            "a flag joins two different pipes");
  EXPECT_EQ(findViolation(toInstruction(SetFlag{Pipe::M, Pipe::All, 0}), 1),
            "a flag joins two pipes");
}

TEST(Decoding, RefusesUnknownOpcodes) {
  EXPECT_EQ(refusal({0xff, 0, 0, 0, 0, 0, 0, 0}),
            "NPU instruction at byte 0: there is no opcode 255");
}

TEST(Decoding, RefusesTruncatedPrograms) {
  std::vector<uint8_t> bytes = encode(sampleProgram(true));
  for (size_t size = 1; size < bytes.size(); ++size) {
    Expected<Program> program = decodeProgram(bytes.data(), size);
    if (!program)
      EXPECT_EQ(program.getDiagnostic().code, ErrorCode::DamagedOfflineModel);
    else // Cut between two instructions.
      EXPECT_EQ(program->offsets.back() +
                    encodedSize(program->instructions.back().opcode),
                size);
  }
}

TEST(Decoding, RefusesBranchesIntoAnInstruction) {
  std::vector<uint8_t> bytes =
      encode({toInstruction(Jump{0}), toInstruction(End{})});
  bytes[8] = 8;
  EXPECT_THAT(refusal(bytes), HasSubstr("a branch leads into nowhere"));
}

TEST(Decoding, RefusesSetBitsWithoutMeaning) {
  std::vector<uint8_t> end = encode({toInstruction(End{})});
  for (size_t i = 2; i < end.size(); ++i) {
    std::vector<uint8_t> bytes = end;
    bytes[i] = 1;
    EXPECT_NE(refusal(bytes), "") << "byte " << i;
  }
}

TEST(Decoding, RefusesRegistersThatDoNotExist) {
  std::vector<uint8_t> bytes =
      encode({toInstruction(Alu{AluFunction::Add, Operand::reg(0), 1, 2})});
  bytes[8] = registerCount;
  EXPECT_THAT(refusal(bytes), HasSubstr("d names no register: 128"));
}

TEST(Assembly, ShowsMnemonicModifiersAndOperands) {
  Instruction mmad = toInstruction(Mmad{DataType::F16, MmadInit::Bias, 0, 512,
                                        Operand::reg(3), 0, 16, 16, 32});
  EXPECT_EQ(printInstruction(mmad), "mmad.f16.bias dst=0, a=512, b=x3, bias=0, "
                                    "m=16, n=16, k=32");
  EXPECT_EQ(printInstruction(toInstruction(End{})), "end");
}

TEST(Assembly, LabelsBranchTargets) {
  Program program;
  program.instructions = {toInstruction(Jump{1}), toInstruction(End{})};
  program.offsets = {0, 16};
  EXPECT_EQ(printProgram(program), "     0 000000  jump target=@1\n"
                                   "@1:\n"
                                   "     1 000010  end\n");
}

} // namespace
