// Plans for tests.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_TEST_UNIT_MODEL_PLANEXAMPLES_H
#define ATC_TEST_UNIT_MODEL_PLANEXAMPLES_H

#include "atc/Model/Plan.h"

namespace atc::test {

/// A strided view with row-major strides.
inline PlanView denseView(uint32_t buffer, ElementType type,
                          const std::vector<int64_t> &sizes) {
  PlanView view;
  view.buffer = buffer;
  view.elementType = type;
  int64_t stride = 1;
  view.dims.resize(sizes.size());
  for (size_t dim = sizes.size(); dim-- > 0;) {
    view.dims[dim] = {sizes[dim], stride};
    stride *= sizes[dim];
  }
  return view;
}

/// Every table has entries and every instruction occurs. Input `x` is
/// [n, 4] float32 with n in register 0, output `y` the same.
inline Plan everythingPlan() {
  PlanInt n = PlanInt::reg(0), bytes = PlanInt::reg(1);
  Plan plan;
  plan.targetName = "CPU-x86-64-v3";
  plan.importCount = 3;
  plan.registerCount = 5;
  plan.arenaBytes = 4096;
  plan.variableBytes = 64;
  plan.arenaLowerBound = 2048;
  plan.layouts = {PhysicalLayout{{0, 2, 3, 1}, {{1, 16}}, {{2, 1, 1}}}};
  plan.buffers.resize(8);
  plan.buffers[0].space = BufferSpace::Input;
  plan.buffers[0].placement = Placement::Shape;
  plan.buffers[0].bytes = bytes;
  plan.buffers[0].port = 0;
  plan.buffers[1] = plan.buffers[0];
  plan.buffers[1].space = BufferSpace::Output;
  plan.buffers[2].bytes = 4096; // fixed in the arena
  plan.buffers[2].lastUse = 20;
  plan.buffers[3].space = BufferSpace::Weights;
  plan.buffers[3].offset = 64;
  plan.buffers[3].bytes = 64;
  plan.buffers[4].space = BufferSpace::Variable;
  plan.buffers[4].bytes = 64;
  plan.buffers[5].placement = Placement::Shape;
  plan.buffers[5].bytes = bytes;
  plan.buffers[5].lastUse = 20;
  plan.buffers[5].storageGroup = 5;
  plan.buffers[6].placement = Placement::Data;
  plan.buffers[6].bytes = PlanInt::reg(3);
  plan.buffers[6].lastUse = 20;
  plan.buffers[7].bytes = 64;
  plan.buffers[7].lastUse = 20;

  PlanView port = denseView(0, ElementType::F32, {1, 4});
  port.dims[0].size = n;
  port.name = "x";
  plan.views.push_back(port); // 0: x
  port.buffer = 1;
  port.name = "y";
  plan.views.push_back(port); // 1: y
  port.buffer = 5;
  port.name.clear();
  plan.views.push_back(port);                                     // 2
  plan.views.push_back(denseView(3, ElementType::F32, {4, 4}));   // 3
  plan.views.push_back(denseView(4, ElementType::I64, {8}));      // 4
  PlanView tiled = denseView(2, ElementType::F16, {1, 20, 2, 3}); // 5
  for (PlanView::Dim &dim : tiled.dims)
    dim.stride = 0;
  tiled.layout = 0;
  plan.views.push_back(tiled);
  PlanView data = denseView(6, ElementType::U8, {1}); // 6
  data.dims[0].size = PlanInt::reg(3);
  plan.views.push_back(data);
  PlanView interior = denseView(7, ElementType::F32, {2, 2}); // 7
  interior.byteOffset = 20;
  interior.dims[0].stride = 4;
  plan.views.push_back(interior);

  plan.variables = {{"cache", 4, 3}};
  plan.inputs = {{"x", ValueKind::View, 0}};
  plan.outputs = {{"y", ValueKind::View, 1}};
  plan.symbols = {{0, 0, 0, 1, 64, "batch"}};
  plan.codeImages = {{CpuLevel::X86_64_V4, CpuFeatureAvx512Vnni, 0, 500},
                     {CpuLevel::X86_64_V3, 0, 4096, 300}};
  PlanKernel kernel;
  kernel.name = "matmul_0";
  kernel.opType = "MatMul";
  kernel.launches = {{{0x100, 0x80}}, {{0x200, 0x90}}};
  kernel.bufferCount = 3;
  kernel.scalarCount = 1;
  plan.kernels = {kernel};
  plan.hostOps = {"nonzero"};
  plan.prologue = {{ScalarInstruction{ScalarOp::Multiply, 1, n, 16, 0}, ""},
                   {CheckInstruction{n, "n must not be zero"}, ""}};

  LaunchInstruction launch;
  launch.operands = {{0, Access::Read}, {3, Access::Read}, {2, Access::Write}};
  launch.scalars = {n};
  launch.tileCount = n;
  launch.scratchBytes = 256;
  launch.flops = 32;
  HostCallInstruction call;
  call.operands = {{2, Access::Read}};
  call.scalars = {7, n};
  call.results = {3};
  call.attributes = std::string("\0\1\2", 3);
  PlanInt flag = PlanInt::reg(2), count = PlanInt::reg(4);
  plan.body = {
      {launch, "fc+relu"},
      {call, "find"},
      {AllocateInstruction{6}, ""},
      {FillInstruction{6, 0xff}, ""},
      {FreeInstruction{6}, ""},
      {ZeroHaloInstruction{7, {1, 1}, {1, 1}}, ""},
      {FillInstruction{5, 0}, ""},
      {LoadScalarInstruction{2, 4, {3}}, ""},
      {IfInstruction{flag}, ""},
      {ScalarInstruction{ScalarOp::Move, 4, 1, 0, 0}, ""},
      {ElseInstruction{}, ""},
      {ScalarInstruction{ScalarOp::Move, 4, 2, 0, 0}, ""},
      {EndIfInstruction{}, ""},
      {LoopInstruction{}, ""},
      {ScalarInstruction{ScalarOp::Less, 2, 0, count, 0}, ""},
      {LoopTestInstruction{flag}, ""},
      {ScalarInstruction{ScalarOp::Subtract, 4, count, 1, 0}, ""},
      {EndLoopInstruction{}, ""},
      {StoreScalarInstruction{4, {0}, count}, ""},
      {CopyInstruction{2, 1}, "y"},
  };
  return plan;
}

} // namespace atc::test

#endif // ATC_TEST_UNIT_MODEL_PLANEXAMPLES_H
