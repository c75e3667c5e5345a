// A run on a known shape allocates nothing.
// SPDX-License-Identifier: Apache-2.0
#include "TestModel.h"

#include "atc/Runtime/Session.h"

#include <atomic>
#include <cstdlib>
#include <gtest/gtest.h>
#include <new>

static std::atomic<uint64_t> allocations{0};

// Replacements for the whole test program.
void *operator new(size_t size) {
  ++allocations;
  if (void *memory = std::malloc(size ? size : 1))
    return memory;
  throw std::bad_alloc();
}
void operator delete(void *memory) noexcept { std::free(memory); }
void operator delete(void *memory, size_t) noexcept { std::free(memory); }

using namespace atc;
using namespace atc::test;

TEST(Session, KnownShapesAllocateNothing) {
  ModelBuilder builder;
  PlanInt n = builder.symbol(0, 0);
  PlanInt bytes = builder.newRegister();
  builder.plan.prologue = {
      {ScalarInstruction{ScalarOp::Multiply, bytes.registerIndex(), n, 4, 0},
       ""}};
  uint32_t x = builder.input("x", ElementType::F32, {n}, bytes);
  uint32_t y = builder.output("y", ElementType::F32, {n}, bytes);
  uint32_t t = builder.arena(ElementType::F32, {n}, bytes);
  uint32_t z = builder.output("z", ElementType::I32, {n}, bytes);
  builder.launch("add_scalar", {reads(x), writes(t)}, {1}, n);
  builder.add(CopyInstruction{t, y});
  builder.plan.hostOps = {"cast"};
  HostCallInstruction call;
  call.operands = {reads(t), writes(z)};
  builder.add(call);
  Expected<std::unique_ptr<Session>> session =
      Session::create(builder.load(), {DeviceKind::Cpu, 2, false});
  ASSERT_TRUE(session.ok());

  std::vector<float> values(500, 1.0f);
  auto run = [&](int64_t size) {
    ASSERT_TRUE(
        (*session)->setInput(0, values.data(), size * 4, &size, 1).ok());
    ASSERT_TRUE((*session)->run().ok());
  };
  run(100);
  run(500);
  uint64_t before = allocations;
  run(500);
  run(500);
  run(100);
  run(500);
  EXPECT_EQ(allocations, before);
}
