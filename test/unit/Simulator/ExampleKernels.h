// Correct kernels, written by hand, with every flag that they need.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_TEST_UNIT_SIMULATOR_EXAMPLEKERNELS_H
#define ATC_TEST_UNIT_SIMULATOR_EXAMPLEKERNELS_H

#include "KernelBench.h"

namespace atc::sim {

/// out[0, bytes) = in[0, bytes).
inline std::vector<isa::Instruction> copyKernel(int32_t bytes) {
  using namespace isa;
  Assembler a;
  a << LoadArgument{x(0), 0} << LoadArgument{x(1), 1}
    << CopyGmToUb{0, x(0), 1, bytes, 0, 0} << SetFlag{Pipe::MTE2, Pipe::MTE3, 0}
    << WaitFlag{Pipe::MTE2, Pipe::MTE3, 0}
    << CopyUbToGm{x(1), 0, 1, bytes, 0, 0} << End{};
  return a.instructions;
}

/// out = relu(a + b) on `tiles` tiles of 128 halves, in two slots of UB.
inline std::vector<isa::Instruction> addReluKernel(int32_t tiles) {
  using namespace isa;
  Assembler a;
  for (unsigned i = 0; i < 3; ++i)
    a << LoadArgument{x(i), static_cast<int32_t>(i)};
  for (int32_t slot : {0, 1}) // Both slots are free.
    a << SetFlag{Pipe::V, Pipe::MTE2, slot}
      << SetFlag{Pipe::MTE3, Pipe::V, slot};
  a << MoveImmediate{x(3), 0, 0};
  int32_t loop = a.here();
  // x4: slot; x5, x6: inputs; x7: result.
  a << Alu{AluFunction::And, x(4), x(3), 1}
    << Alu{AluFunction::Multiply, x(5), x(4), 1024}
    << Alu{AluFunction::Add, x(6), x(5), 256}
    << Alu{AluFunction::Add, x(7), x(5), 512}
    << WaitFlag{Pipe::V, Pipe::MTE2, x(4)}
    << CopyGmToUb{x(5), x(0), 1, 256, 0, 0}
    << CopyGmToUb{x(6), x(1), 1, 256, 0, 0}
    << SetFlag{Pipe::MTE2, Pipe::V, x(4)} << WaitFlag{Pipe::MTE2, Pipe::V, x(4)}
    << WaitFlag{Pipe::MTE3, Pipe::V, x(4)} << VectorBinary{BinaryFunction::Add,
                                                           DataType::F16,
                                                           x(7),
                                                           x(5),
                                                           x(6),
                                                           128,
                                                           1,
                                                           1,
                                                           1,
                                                           1,
                                                           8,
                                                           8,
                                                           8}
    << SetFlag{Pipe::V, Pipe::MTE2, x(4)} << Barrier{Pipe::V}
    << VectorUnary{UnaryFunction::Relu,
                   DataType::F16,
                   x(7),
                   x(7),
                   128,
                   1,
                   1,
                   1,
                   8,
                   8}
    << SetFlag{Pipe::V, Pipe::MTE3, x(4)} << WaitFlag{Pipe::V, Pipe::MTE3, x(4)}
    << CopyUbToGm{x(2), x(7), 1, 256, 0, 0}
    << SetFlag{Pipe::MTE3, Pipe::V, x(4)};
  for (unsigned i = 0; i < 3; ++i)
    a << Alu{AluFunction::Add, x(i), x(i), 256};
  a << Alu{AluFunction::Add, x(3), x(3), 1}
    << Branch{Condition::Less, x(3), tiles, loop};
  for (int32_t slot : {0, 1})
    a << WaitFlag{Pipe::V, Pipe::MTE2, slot}
      << WaitFlag{Pipe::MTE3, Pipe::V, slot};
  a << End{};
  return a.instructions;
}

/// C[32, 32] = relu(A[32, k] * B[k, 32] + bias), halves; A and C row-major, B
/// as fractals (k / 16, 2, 16 columns, 16 rows). k is a multiple of 32; slices
/// of 32 alternate between two slots of L1, L0A and L0B.
inline std::vector<isa::Instruction> matmulKernel(int32_t k) {
  using namespace isa;
  Assembler a;
  for (unsigned i = 0; i < 4; ++i) // A, B, bias, C
    a << LoadArgument{x(i), static_cast<int32_t>(i)};
  for (int32_t slot : {0, 1})
    a << SetFlag{Pipe::MTE1, Pipe::MTE2, slot}
      << SetFlag{Pipe::M, Pipe::MTE1, slot};
  constexpr int32_t biasAt = 16384;
  a << CopyGmToL1{biasAt, x(2), 1, 64, 0, 0}
    << SetFlag{Pipe::MTE2, Pipe::MTE1, 2} << WaitFlag{Pipe::MTE2, Pipe::MTE1, 2}
    << LoadBias{DataType::F16, 0, biasAt, 32} << MoveImmediate{x(4), 0, 0};
  int32_t loop = a.here();
  // x5: slot; x6: A and x7: B in L1, 2 KiB each; x6 in L0A and L0B as well.
  a << Alu{AluFunction::And, x(5), x(4), 1}
    << Alu{AluFunction::Multiply, x(6), x(5), 2048}
    << Alu{AluFunction::Add, x(7), x(6), 8192}
    << WaitFlag{Pipe::MTE1, Pipe::MTE2, x(5)} << Nd2Nz{ElementWidth::B16,
                                                       Toggle::Off,
                                                       x(6),
                                                       x(0),
                                                       1,
                                                       32,
                                                       32,
                                                       0,
                                                       k * 2,
                                                       0,
                                                       1024}
    << CopyGmToL1{x(7), x(1), 1, 2048, 0, 0}
    << SetFlag{Pipe::MTE2, Pipe::MTE1, x(5)}
    << WaitFlag{Pipe::MTE2, Pipe::MTE1, x(5)}
    << WaitFlag{Pipe::M, Pipe::MTE1, x(5)};
  // L1 holds A as columns of fractals, L0A wants rows.
  a << Load2dL0A{Toggle::Off, x(6), x(6), 2, 1, 2}
    << Alu{AluFunction::Add, x(8), x(6), 512}
    << Alu{AluFunction::Add, x(9), x(6), 1024}
    << Load2dL0A{Toggle::Off, x(9), x(8), 2, 1, 2}
    << Load2dL0B{Toggle::Off, x(6), x(7), 4, 1, 1}
    << SetFlag{Pipe::MTE1, Pipe::MTE2, x(5)}
    << SetFlag{Pipe::MTE1, Pipe::M, x(5)}
    << WaitFlag{Pipe::MTE1, Pipe::M, x(5)};
  int32_t toAccumulate = a.here();
  a << Branch{Condition::NotEqual, x(4), 0, 0}
    << Mmad{DataType::F16, MmadInit::Bias, 0, x(6), x(6), 0, 32, 32, 32};
  int32_t toJoin = a.here();
  a << Jump{0};
  a.bind(toAccumulate);
  a << Mmad{DataType::F16, MmadInit::Accumulate, 0, x(6), x(6), 0, 32, 32, 32};
  a.bind(toJoin);
  a << SetFlag{Pipe::M, Pipe::MTE1, x(5)} << Barrier{Pipe::M}
    << Alu{AluFunction::Add, x(0), x(0), 64}
    << Alu{AluFunction::Add, x(1), x(1), 2048}
    << Alu{AluFunction::Add, x(4), x(4), 1}
    << Branch{Condition::Less, x(4), k / 32, loop}
    << SetFlag{Pipe::M, Pipe::FIX, 0} << WaitFlag{Pipe::M, Pipe::FIX, 0}
    << FixpipeToGm{DataType::F32,
                   DataType::F16,
                   Activation::Relu,
                   FixpipeLayout::Nd,
                   x(3),
                   0,
                   32,
                   32,
                   64,
                   2048};
  for (int32_t slot : {0, 1})
    a << WaitFlag{Pipe::MTE1, Pipe::MTE2, slot}
      << WaitFlag{Pipe::M, Pipe::MTE1, slot};
  a << End{};
  return a.instructions;
}

} // namespace atc::sim

#endif // ATC_TEST_UNIT_SIMULATOR_EXAMPLEKERNELS_H
