// Sessions: shapes, memory, control flow, state, observation.
// SPDX-License-Identifier: Apache-2.0
#include "TestModel.h"

#include "atc/Runtime/Session.h"

#include <cmath>
#include <cstring>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <numeric>
#include <thread>

using namespace atc;
using namespace atc::test;
using testing::ElementsAre;
using testing::HasSubstr;

static std::unique_ptr<Session> makeSession(ModelBuilder &builder,
                                            unsigned threads = 1) {
  SessionOptions options;
  options.threads = threads;
  Expected<std::unique_ptr<Session>> session =
      Session::create(builder.load(), options);
  EXPECT_TRUE(session.ok()) << session.getDiagnostic().message;
  return std::move(*session);
}

template <typename T>
static Status set(Session &session, size_t index, const std::vector<T> &values,
                  const std::vector<int64_t> &sizes = {}) {
  return session.setInput(index, values.data(), values.size() * sizeof(T),
                          sizes.empty() ? nullptr : sizes.data(), sizes.size());
}

template <typename T>
static std::vector<T> result(const Session &session, size_t index = 0) {
  Expected<const TensorRef *> tensor = session.output(index);
  EXPECT_TRUE(tensor.ok());
  auto *data = reinterpret_cast<const T *>((*tensor)->data);
  return std::vector<T>(data, data + (*tensor)->elementCount());
}

static std::string failure(const Status &status) {
  return status ? "success" : status.getDiagnostic().message;
}

/// y = x + 5 + 7, x and y of `size` floats.
static void buildTwoSteps(ModelBuilder &builder, int64_t size) {
  uint32_t x = builder.input("x", ElementType::F32, {size});
  uint32_t y = builder.output("y", ElementType::F32, {size});
  uint32_t t = builder.arena(ElementType::F32, {size});
  builder.plan.views[t].name = "t";
  builder.launch("add_scalar", {reads(x), writes(t)}, {5}, size, "first");
  builder.launch("add_scalar", {reads(t), writes(y)}, {7}, size, "second");
}

/// y = x + x through an arena buffer; x is [n].
static void buildDynamic(ModelBuilder &builder) {
  PlanInt n = builder.symbol(0, 0, 1, 1000);
  PlanInt bytes = builder.newRegister();
  builder.plan.prologue = {
      {ScalarInstruction{ScalarOp::Multiply, bytes.registerIndex(), n, 4, 0},
       ""}};
  uint32_t x = builder.input("x", ElementType::F32, {n}, bytes);
  uint32_t y = builder.output("y", ElementType::F32, {n}, bytes);
  uint32_t t = builder.arena(ElementType::F32, {n}, bytes);
  builder.launch("add_scalar", {reads(x), writes(t)}, {0}, n);
  builder.launch("add", {reads(x), reads(t), writes(y)}, {}, n);
}

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

TEST(Session, RunsAStaticModel) {
  ModelBuilder builder;
  buildTwoSteps(builder, 3);
  auto session = makeSession(builder);
  ASSERT_TRUE(set<float>(*session, 0, {1, 2, 3}).ok());
  ASSERT_TRUE(session->run().ok());
  EXPECT_THAT(result<float>(*session), ElementsAre(13, 14, 15));
}

TEST(Session, ResultsDoNotDependOnThreads) {
  for (unsigned threads : {1u, 2u, 3u, 7u}) {
    ModelBuilder builder;
    buildTwoSteps(builder, 1000);
    auto session = makeSession(builder, threads);
    std::vector<float> x(1000);
    std::iota(x.begin(), x.end(), 0.0f);
    ASSERT_TRUE(set(*session, 0, x).ok());
    ASSERT_TRUE(session->run().ok());
    std::vector<float> y = result<float>(*session);
    for (int i = 0; i < 1000; ++i)
      ASSERT_EQ(y[i], i + 12.0f);
  }
}

TEST(Session, TilesAreDividedEvenly) {
  ModelBuilder builder;
  uint32_t y = builder.output("y", ElementType::I64, {10});
  builder.launch("mark_ranges", {writes(y)}, {}, 10);
  auto session = makeSession(builder, 3);
  ASSERT_TRUE(session->run().ok());
  EXPECT_THAT(result<int64_t>(*session),
              ElementsAre(0, 0, 0, 3, 3, 3, 6, 6, 6, 6));
}

TEST(Session, SmallLaunchesStayOnOneThread) {
  ModelBuilder builder;
  uint32_t y = builder.output("y", ElementType::I64, {4});
  builder.launch("mark_ranges", {writes(y)}, {}, 4);
  std::get<LaunchInstruction>(builder.plan.body[0].operation).bytes = 32;
  auto session = makeSession(builder, 4);
  ASSERT_TRUE(session->run().ok());
  EXPECT_THAT(result<int64_t>(*session), ElementsAre(0, 0, 0, 0));
}

TEST(Session, DynamicShapesArePlannedAtRunTime) {
  ModelBuilder builder;
  buildDynamic(builder);
  auto session = makeSession(builder);
  for (int64_t size : {3, 100, 3, 1000, 1}) {
    std::vector<float> x(size, 2.0f);
    ASSERT_TRUE(set(*session, 0, x, {size}).ok());
    ASSERT_TRUE(session->run().ok());
    EXPECT_EQ(result<float>(*session), std::vector<float>(size, 4.0f));
    EXPECT_EQ((*session->output(0))->sizes[0], size);
    EXPECT_EQ(session->memoryInfo().arena, size * 4u);
    EXPECT_EQ(session->memoryInfo().arenaLowerBound, size * 4u);
  }
}

TEST(Session, HaloIsZeroOnEveryShape) {
  // x is copied into the interior of a buffer whose halo nobody writes.
  ModelBuilder builder;
  PlanInt n = builder.symbol(0, 0, 1, 1000);
  auto product = [&](int64_t factor) {
    PlanInt result = builder.newRegister();
    builder.plan.prologue.push_back(
        {ScalarInstruction{ScalarOp::Multiply, result.registerIndex(), n,
                           factor, 0},
         ""});
    return result;
  };
  uint32_t x = builder.input("x", ElementType::F32, {n, 2}, product(8));
  uint32_t y = builder.output("y", ElementType::F32, {n, 2}, product(8));
  uint32_t padded = builder.arena(ElementType::F32, {n, 4}, product(16));
  uint32_t interior = builder.view(padded, 4, {{n, 4}, {2, 1}});
  builder.add(CopyInstruction{x, interior});
  builder.launch("sum_of_neighbours", {reads(interior), writes(y)}, {2, 4}, n);
  auto session = makeSession(builder);
  for (int64_t rows : {3, 2, 5}) {
    std::vector<float> input(rows * 2, 1.0f);
    ASSERT_TRUE(set(*session, 0, input, {rows, 2}).ok());
    ASSERT_TRUE(session->run().ok());
    EXPECT_EQ(result<float>(*session), std::vector<float>(rows * 2, 2.0f));
  }
}

TEST(Session, ZeroHaloClearsWhatAnotherBufferLeft) {
  ModelBuilder builder;
  uint32_t x = builder.input("x", ElementType::F32, {1, 2});
  uint32_t y = builder.output("y", ElementType::F32, {1, 2});
  uint32_t padded = builder.arena(ElementType::F32, {1, 4});
  uint32_t interior = builder.view(padded, 4, {{1, 4}, {2, 1}});
  builder.add(FillInstruction{padded, 0x40400000}); // 3.0f
  builder.add(CopyInstruction{x, interior});
  builder.add(ZeroHaloInstruction{interior, {0, 1}, {0, 1}});
  builder.launch("sum_of_neighbours", {reads(interior), writes(y)}, {2, 4}, 1);
  auto session = makeSession(builder);
  ASSERT_TRUE(set<float>(*session, 0, {1, 1}).ok());
  ASSERT_TRUE(session->run().ok());
  EXPECT_THAT(result<float>(*session), ElementsAre(2, 2));
}

TEST(Session, ZeroHaloOutsideItsBufferIsRefused) {
  ModelBuilder builder;
  uint32_t y = builder.output("y", ElementType::F32, {1, 4});
  uint32_t interior = builder.view(y, 4, {{1, 4}, {2, 1}});
  builder.add(ZeroHaloInstruction{interior, {0, 2}, {0, 1}});
  auto session = makeSession(builder);
  EXPECT_THAT(failure(session->run()), HasSubstr("does not fit its buffer"));
}

TEST(Session, ScratchAndImports) {
  ModelBuilder builder;
  uint32_t x = builder.input("x", ElementType::F64, {5});
  uint32_t y = builder.output("y", ElementType::F64, {5});
  builder.launch("exp_by_import", {reads(x), writes(y)}, {}, 5);
  std::get<LaunchInstruction>(builder.plan.body[0].operation).scratchBytes = 8;
  builder.plan.importCount = 1;
  auto session = makeSession(builder, 2);
  ASSERT_TRUE(set<double>(*session, 0, {0, 1, 2, 3, 4}).ok());
  ASSERT_TRUE(session->run().ok());
  std::vector<double> values = result<double>(*session);
  for (int i = 0; i < 5; ++i)
    EXPECT_EQ(values[i], std::exp(double(i)));
  EXPECT_GE(session->memoryInfo().scratch, 16u);
}

TEST(Session, WeightsAreRead) {
  ModelBuilder builder;
  uint32_t x = builder.input("x", ElementType::F32, {2});
  uint32_t y = builder.output("y", ElementType::F32, {2});
  builder.weights({1, 1, 1});
  uint32_t w = builder.weights({10, 20});
  builder.launch("add", {reads(x), reads(w), writes(y)}, {}, 2);
  std::vector<uint8_t> file = builder.build();
  for (bool resident : {false, true}) {
    Expected<std::shared_ptr<const LoadedModel>> model =
        LoadedModel::fromMemory(file.data(), file.size(), {true, resident});
    ASSERT_TRUE(model.ok());
    Expected<std::unique_ptr<Session>> session = Session::create(*model, {});
    ASSERT_TRUE(set<float>(**session, 0, {1, 2}).ok());
    ASSERT_TRUE((*session)->run().ok());
    EXPECT_THAT(result<float>(**session), ElementsAre(11, 22));
    EXPECT_EQ((*session)->memoryInfo().weightsAreResident, resident);
  }
}

TEST(Session, SessionsRunBesideEachOther) {
  ModelBuilder builder;
  buildTwoSteps(builder, 500);
  std::shared_ptr<const LoadedModel> model = builder.load();
  std::atomic<int> wrong{0};
  auto work = [&](float value) {
    Expected<std::unique_ptr<Session>> session =
        Session::create(model, {DeviceKind::Cpu, 2, false});
    for (int round = 0; round < 50; ++round) {
      (void)set(**session, 0, std::vector<float>(500, value + round));
      wrong += !(*session)->run().ok();
      for (float y : result<float>(**session))
        wrong += y != value + round + 12;
    }
  };
  std::thread other(work, 1000.0f);
  work(0.0f);
  other.join();
  EXPECT_EQ(wrong, 0);
}

//===----------------------------------------------------------------------===//
// Control flow and scalars
//===----------------------------------------------------------------------===//

/// flag chooses between x + 1 and x + 2.
TEST(Session, BranchesOnData) {
  ModelBuilder builder;
  uint32_t flag = builder.input("flag", ElementType::BOOL, {});
  uint32_t x = builder.input("x", ElementType::F32, {1});
  uint32_t y = builder.output("y", ElementType::F32, {1});
  PlanInt condition = builder.newRegister();
  builder.add(LoadScalarInstruction{condition.registerIndex(), flag, {}});
  builder.add(IfInstruction{condition});
  builder.launch("add_scalar", {reads(x), writes(y)}, {1}, 1);
  builder.add(ElseInstruction{});
  builder.launch("add_scalar", {reads(x), writes(y)}, {2}, 1);
  builder.add(EndIfInstruction{});
  auto session = makeSession(builder);
  for (uint8_t value : {1, 0, 7}) {
    ASSERT_TRUE(set<uint8_t>(*session, 0, {value}).ok());
    ASSERT_TRUE(set<float>(*session, 1, {10}).ok());
    ASSERT_TRUE(session->run().ok());
    EXPECT_THAT(result<float>(*session), ElementsAre(value ? 11 : 12));
  }
}

/// Adds x to y as often as the input says, zero times included.
TEST(Session, LoopsAsOftenAsDataSays) {
  ModelBuilder builder;
  uint32_t times = builder.input("times", ElementType::I32, {1});
  uint32_t x = builder.input("x", ElementType::F32, {1});
  uint32_t y = builder.output("y", ElementType::F32, {1});
  PlanInt count = builder.newRegister(), again = builder.newRegister();
  builder.add(FillInstruction{y, 0});
  builder.add(LoadScalarInstruction{count.registerIndex(), times, {0}});
  builder.add(LoopInstruction{});
  builder.add(
      ScalarInstruction{ScalarOp::Less, again.registerIndex(), 0, count, 0});
  builder.add(LoopTestInstruction{again});
  builder.launch("add", {reads(x), reads(y), writes(y)}, {}, 1);
  builder.add(ScalarInstruction{ScalarOp::Subtract, count.registerIndex(),
                                count, 1, 0});
  builder.add(EndLoopInstruction{});
  auto session = makeSession(builder);
  for (int32_t value : {3, 0, -1, 100}) {
    ASSERT_TRUE(set<int32_t>(*session, 0, {value}).ok());
    ASSERT_TRUE(set<float>(*session, 1, {2}).ok());
    ASSERT_TRUE(session->run().ok());
    EXPECT_THAT(result<float>(*session),
                ElementsAre(2.0f * std::max(0, value)));
  }
}

TEST(Session, SizesMayDependOnData) {
  // y has as many elements as `count` says, each 9.
  ModelBuilder builder;
  uint32_t count = builder.input("count", ElementType::I64, {1});
  PlanInt size = builder.newRegister(), bytes = builder.newRegister();
  uint32_t temporary =
      builder.arena(ElementType::I32, {size}, bytes, Placement::Data);
  uint32_t y =
      builder.output("y", ElementType::I32, {size}, bytes, Placement::Data);
  builder.add(LoadScalarInstruction{size.registerIndex(), count, {0}});
  builder.add(
      ScalarInstruction{ScalarOp::Multiply, bytes.registerIndex(), size, 4, 0});
  uint32_t buffer = builder.plan.views[temporary].buffer;
  builder.add(AllocateInstruction{buffer});
  builder.add(FillInstruction{temporary, 9});
  builder.add(AllocateInstruction{builder.plan.views[y].buffer});
  builder.add(CopyInstruction{temporary, y});
  builder.add(FreeInstruction{buffer});
  auto session = makeSession(builder);
  for (int64_t value : {3, 2000, 0, 1}) {
    ASSERT_TRUE(set<int64_t>(*session, 0, {value}).ok());
    Status status = session->run();
    ASSERT_TRUE(status.ok()) << failure(status);
    EXPECT_EQ(result<int32_t>(*session), std::vector<int32_t>(value, 9));
  }
  ASSERT_TRUE(set<int64_t>(*session, 0, {-1}).ok());
  EXPECT_THAT(failure(session->run()), HasSubstr("a buffer has the size -4"));
  ASSERT_TRUE(set<int64_t>(*session, 0, {int64_t(1) << 50}).ok());
  EXPECT_EQ(session->run().getDiagnostic().code, ErrorCode::OutOfMemory);
}

TEST(Session, UseBeforeAllocationIsRefused) {
  ModelBuilder builder;
  uint32_t t = builder.arena(ElementType::I32, {4}, 16, Placement::Data);
  builder.add(FillInstruction{t, 9});
  auto session = makeSession(builder);
  EXPECT_THAT(failure(session->run()), HasSubstr("before it has memory"));
}

TEST(Session, ScalarsGoToTensorsAndBack) {
  ModelBuilder builder;
  uint32_t x = builder.input("x", ElementType::I8, {2});
  uint32_t y = builder.output("y", ElementType::U16, {2});
  PlanInt value = builder.newRegister();
  builder.add(LoadScalarInstruction{value.registerIndex(), x, {1}});
  builder.add(FillInstruction{y, 0xffff});
  builder.add(StoreScalarInstruction{y, {0}, value});
  auto session = makeSession(builder);
  ASSERT_TRUE(set<int8_t>(*session, 0, {-3, 100}).ok());
  ASSERT_TRUE(session->run().ok());
  EXPECT_THAT(result<uint16_t>(*session), ElementsAre(100, 0xffff));
  ASSERT_TRUE(set<int8_t>(*session, 0, {0, -3}).ok());
  EXPECT_THAT(failure(session->run()),
              HasSubstr("the value -3 does not fit uint16"));
}

TEST(Session, IndicesAreChecked) {
  ModelBuilder builder;
  uint32_t x = builder.input("x", ElementType::I64, {2});
  PlanInt value = builder.newRegister();
  builder.add(LoadScalarInstruction{value.registerIndex(), x, {0}});
  builder.add(LoadScalarInstruction{value.registerIndex(), x, {value}});
  auto session = makeSession(builder);
  ASSERT_TRUE(set<int64_t>(*session, 0, {1, 0}).ok());
  EXPECT_TRUE(session->run().ok());
  for (int64_t index : {2, -1}) {
    ASSERT_TRUE(set<int64_t>(*session, 0, {index, 0}).ok());
    EXPECT_THAT(failure(session->run()), HasSubstr("out of range"));
  }
}

TEST(Session, FailedChecksEndTheRun) {
  ModelBuilder builder;
  uint32_t x = builder.input("x", ElementType::I64, {1});
  PlanInt value = builder.newRegister();
  builder.add(LoadScalarInstruction{value.registerIndex(), x, {0}});
  builder.plan.body.push_back(
      {CheckInstruction{value, "expects a positive value"}, "node_7"});
  auto session = makeSession(builder);
  ASSERT_TRUE(set<int64_t>(*session, 0, {0}).ok());
  Status status = session->run();
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.getDiagnostic().code, ErrorCode::ExecutionFailed);
  EXPECT_EQ(status.getDiagnostic().message, "expects a positive value");
  EXPECT_EQ(status.getDiagnostic().where, "node_7");
}

TEST(Session, ScalarOverflowIsAnError) {
  ModelBuilder builder;
  PlanInt n = builder.symbol(0, 0, 0, PlanInt::maxStatic);
  PlanInt big = builder.newRegister();
  builder.input("x", ElementType::U8, {n}, n);
  builder.plan.prologue = {
      {ScalarInstruction{ScalarOp::Multiply, big.registerIndex(), n,
                         PlanInt::maxStatic, 0},
       ""}};
  auto session = makeSession(builder);
  ASSERT_TRUE(set<uint8_t>(*session, 0, {1, 2, 3}, {3}).ok());
  EXPECT_THAT(failure(session->run()), HasSubstr("a size overflows"));
}

TEST(Session, DynamicViewsAreCheckedAgainstTheirBuffers) {
  ModelBuilder builder;
  PlanInt n = builder.symbol(0, 0);
  builder.input("x", ElementType::U8, {n}, n);
  uint32_t small = builder.arena(ElementType::U8, {n}, 16);
  builder.add(FillInstruction{small, 0});
  auto session = makeSession(builder);
  ASSERT_TRUE(set(*session, 0, std::vector<uint8_t>(16), {16}).ok());
  EXPECT_TRUE(session->run().ok());
  ASSERT_TRUE(set(*session, 0, std::vector<uint8_t>(17), {17}).ok());
  EXPECT_THAT(failure(session->run()), HasSubstr("does not fit its buffer"));
}

TEST(Session, EmptyViewsNeedNoPlace) {
  // What remains of x behind its fifth element, which may be nothing.
  ModelBuilder builder;
  PlanInt n = builder.symbol(0, 0);
  PlanInt rest = builder.newRegister(), size = builder.newRegister();
  builder.plan.prologue = {
      {ScalarInstruction{ScalarOp::Subtract, rest.registerIndex(), n, 5, 0},
       ""},
      {ScalarInstruction{ScalarOp::Maximum, size.registerIndex(), rest, 0, 0},
       ""}};
  uint32_t x = builder.input("x", ElementType::U8, {n}, n);
  uint32_t y = builder.output("y", ElementType::U8, {size}, size);
  uint32_t part = builder.view(x, 5, {{size, 1}});
  builder.add(CopyInstruction{part, y});
  auto session = makeSession(builder);
  ASSERT_TRUE(set<uint8_t>(*session, 0, {1, 2, 3, 4, 5, 6}, {6}).ok());
  ASSERT_TRUE(session->run().ok());
  EXPECT_THAT(result<uint8_t>(*session), ElementsAre(6));
  ASSERT_TRUE(set<uint8_t>(*session, 0, {1, 2}, {2}).ok());
  ASSERT_TRUE(session->run().ok());
  EXPECT_TRUE(result<uint8_t>(*session).empty());
}

TEST(Session, HostOperatorsAreCalled) {
  ModelBuilder builder;
  uint32_t x = builder.input("x", ElementType::F32, {3});
  uint32_t y = builder.output("y", ElementType::I32, {3});
  builder.plan.hostOps = {"cast"};
  HostCallInstruction call;
  call.operands = {reads(x), writes(y)};
  builder.plan.body.push_back({call, "cast_node"});
  auto session = makeSession(builder);
  ASSERT_TRUE(set<float>(*session, 0, {1.5f, -2.5f, 3}).ok());
  ASSERT_TRUE(session->run().ok());
  EXPECT_THAT(result<int32_t>(*session), ElementsAre(1, -2, 3));
}

//===----------------------------------------------------------------------===//
// Variables
//===----------------------------------------------------------------------===//

TEST(Session, VariablesOutliveRuns) {
  // state starts as 100, 200 and grows by x with each run.
  ModelBuilder builder;
  uint32_t x = builder.input("x", ElementType::F32, {2});
  uint32_t y = builder.output("y", ElementType::F32, {2});
  uint32_t initial = builder.weights({100, 200});
  uint32_t state = builder.variable("state", ElementType::F32, 2, initial);
  uint32_t zeros = builder.variable("zeros", ElementType::F32, 2);
  builder.launch("add", {reads(x), reads(state), writes(state)}, {}, 2);
  builder.launch("add", {reads(state), reads(zeros), writes(y)}, {}, 2);
  auto session = makeSession(builder);
  auto other = makeSession(builder);
  ASSERT_TRUE(set<float>(*session, 0, {1, 2}).ok());
  ASSERT_TRUE(session->run().ok());
  ASSERT_TRUE(session->run().ok());
  EXPECT_THAT(result<float>(*session), ElementsAre(102, 204));
  ASSERT_TRUE(set<float>(*other, 0, {1, 2}).ok());
  ASSERT_TRUE(other->run().ok());
  EXPECT_THAT(result<float>(*other), ElementsAre(101, 202));
  session->resetVariables();
  ASSERT_TRUE(session->run().ok());
  EXPECT_THAT(result<float>(*session), ElementsAre(101, 202));
}

//===----------------------------------------------------------------------===//
// Inputs and outputs
//===----------------------------------------------------------------------===//

TEST(Session, InputsAreChecked) {
  ModelBuilder builder;
  buildDynamic(builder);
  auto session = makeSession(builder);
  EXPECT_THAT(failure(session->run()), HasSubstr("is not set"));
  EXPECT_THAT(failure(set<float>(*session, 0, {1})),
              HasSubstr("expects a shape"));
  EXPECT_THAT(failure(set<float>(*session, 0, {1}, {1, 1})),
              HasSubstr("expects the shape [n], got [1, 1]"));
  EXPECT_THAT(failure(set<float>(*session, 0, {1}, {2})),
              HasSubstr("expects 8 bytes for the shape [2], got 4"));
  EXPECT_THAT(failure(set(*session, 0, std::vector<float>(1001), {1001})),
              HasSubstr("dim 0 is 1001, expects 1 to 1000"));
  EXPECT_THAT(failure(set<float>(*session, 0, {}, {0})),
              HasSubstr("dim 0 is 0, expects 1 to 1000"));
  EXPECT_FALSE(session->output(0).ok()) << "before a run";
}

TEST(Session, RefusedInputLeavesNoOtherShapeBehind) {
  ModelBuilder builder;
  buildDynamic(builder);
  auto session = makeSession(builder);
  ASSERT_TRUE(set<float>(*session, 0, {1}, {1}).ok());
  EXPECT_FALSE(set<float>(*session, 0, {1}, {1000}).ok());
  EXPECT_THAT(failure(session->run()), HasSubstr("is not set"));
}

TEST(Session, BranchesThatAreNotTakenNeedNotFit) {
  // t holds 16 elements; only smaller inputs go through it.
  ModelBuilder builder;
  PlanInt n = builder.symbol(0, 0);
  PlanInt bytes = builder.newRegister(), small = builder.newRegister();
  builder.plan.prologue = {
      {ScalarInstruction{ScalarOp::Multiply, bytes.registerIndex(), n, 4, 0},
       ""},
      {ScalarInstruction{ScalarOp::LessEqual, small.registerIndex(), n, 16, 0},
       ""}};
  uint32_t x = builder.input("x", ElementType::F32, {n}, bytes);
  uint32_t y = builder.output("y", ElementType::F32, {n}, bytes);
  uint32_t t = builder.arena(ElementType::F32, {n}, 64);
  builder.add(IfInstruction{small});
  builder.launch("add_scalar", {reads(x), writes(t)}, {1}, n);
  builder.launch("add_scalar", {reads(t), writes(y)}, {1}, n);
  builder.add(ElseInstruction{});
  builder.launch("add_scalar", {reads(x), writes(y)}, {3}, n);
  builder.add(EndIfInstruction{});
  auto session = makeSession(builder);
  for (int64_t size : {16, 17, 1}) {
    ASSERT_TRUE(set(*session, 0, std::vector<float>(size), {size}).ok());
    ASSERT_TRUE(session->run().ok());
    EXPECT_EQ(result<float>(*session)[0], size <= 16 ? 2 : 3);
  }
}

TEST(Session, SharedSymbolsMustAgree) {
  ModelBuilder builder;
  PlanInt n = builder.symbol(0, 0);
  builder.plan.symbols.push_back({1, 0, n.registerIndex(), 0, 1000, "n"});
  uint32_t a = builder.input("a", ElementType::U8, {n}, n);
  uint32_t b = builder.input("b", ElementType::U8, {n}, n);
  uint32_t y = builder.output("y", ElementType::U8, {n}, n);
  builder.add(CopyInstruction{a, y});
  (void)b;
  auto session = makeSession(builder);
  ASSERT_TRUE(set<uint8_t>(*session, 0, {1, 2}, {2}).ok());
  ASSERT_TRUE(set<uint8_t>(*session, 1, {1, 2, 3}, {3}).ok());
  EXPECT_THAT(failure(session->run()),
              HasSubstr("dim 0 (n) is 2, but another input says 3"));
}

TEST(Session, BoundMemoryIsUsedInPlace) {
  ModelBuilder builder;
  buildTwoSteps(builder, 4);
  auto session = makeSession(builder);
  alignas(64) float x[5] = {1, 2, 3, 4, 5}, y[4] = {};
  ASSERT_TRUE(session->bindInput(0, x, 16, nullptr, 0).ok());
  ASSERT_TRUE(session->bindOutput(0, y, 16).ok());
  ASSERT_TRUE(session->run().ok());
  EXPECT_THAT(y, ElementsAre(13, 14, 15, 16));
  x[0] = 10;
  ASSERT_TRUE(session->run().ok());
  EXPECT_EQ(y[0], 22);
  // Off its alignment, it is copied instead.
  ASSERT_TRUE(session->bindInput(0, x + 1, 16, nullptr, 0).ok());
  ASSERT_TRUE(session->run().ok());
  EXPECT_THAT(y, ElementsAre(14, 15, 16, 17));
  EXPECT_THAT(failure(session->bindOutput(0, x + 1, 16)),
              HasSubstr("not aligned"));
  ASSERT_TRUE(session->bindOutput(0, y, 15).ok());
  EXPECT_THAT(failure(session->run()), HasSubstr("needs 16 bytes"));
  ASSERT_TRUE(session->bindOutput(0, nullptr, 0).ok());
  ASSERT_TRUE(session->run().ok());
  EXPECT_NE((*session->output(0))->data, reinterpret_cast<uint8_t *>(y));
}

TEST(Session, InputBufferIsFilledInPlace) {
  ModelBuilder builder;
  buildTwoSteps(builder, 2);
  auto session = makeSession(builder);
  Expected<const TensorRef *> buffer = session->inputBuffer(0, nullptr, 0);
  ASSERT_TRUE(buffer.ok());
  float values[2] = {1, 2};
  std::memcpy((*buffer)->data, values, 8);
  ASSERT_TRUE(session->run().ok());
  EXPECT_THAT(result<float>(*session), ElementsAre(13, 14));
}

//===----------------------------------------------------------------------===//
// Observation
//===----------------------------------------------------------------------===//

TEST(Session, ProfileRecordsEveryLaunch) {
  ModelBuilder builder;
  buildTwoSteps(builder, 8);
  std::get<LaunchInstruction>(builder.plan.body[0].operation).flops = 1234;
  auto session = makeSession(builder);
  ASSERT_TRUE(set(*session, 0, std::vector<float>(8)).ok());
  ASSERT_TRUE(session->run().ok());
  EXPECT_TRUE(session->profile().records().empty()) << "switched off";
  session->setProfiling(true);
  ASSERT_TRUE(session->run().ok());
  const std::vector<ProfileRecord> &records = session->profile().records();
  ASSERT_EQ(records.size(), 2u);
  EXPECT_EQ(*records[0].name, "add_scalar");
  EXPECT_EQ(*records[0].source, "first");
  EXPECT_EQ(records[0].flops, 1234u);
  EXPECT_EQ(records[0].tiles, 8);
  EXPECT_LE(records[0].startNs + records[0].durationNs, records[1].startNs);

  auto trace = nlohmann::json::parse(session->profile().traceJson());
  ASSERT_EQ(trace["traceEvents"].size(), 2u);
  EXPECT_EQ(trace["traceEvents"][1]["name"], "add_scalar");
  EXPECT_EQ(trace["traceEvents"][1]["args"]["source"], "second");
  EXPECT_EQ(trace["traceEvents"][1]["ph"], "X");
  EXPECT_THAT(session->profile().table(), HasSubstr("first and 1 more"));
}

TEST(Session, DumpShowsNamedTensorsDensely) {
  ModelBuilder builder;
  uint32_t x = builder.input("x", ElementType::F32, {2, 2});
  uint32_t y = builder.output("y", ElementType::F32, {2, 2});
  uint32_t padded = builder.arena(ElementType::F32, {2, 4});
  uint32_t interior = builder.view(padded, 4, {{2, 4}, {2, 1}});
  builder.plan.views[interior].name = "hidden";
  builder.plan.body.push_back({CopyInstruction{x, interior}, "pad"});
  builder.plan.body.push_back({CopyInstruction{interior, y}, "unpad"});
  auto session = makeSession(builder);
  std::map<std::string, std::vector<float>> dumped;
  session->setDump([&](const std::string &name, const std::string &source,
                       const TensorRef &tensor) {
    EXPECT_TRUE(tensor.isDense());
    auto *data = reinterpret_cast<const float *>(tensor.data);
    dumped[name + "@" + source].assign(data, data + tensor.elementCount());
  });
  ASSERT_TRUE(set<float>(*session, 0, {1, 2, 3, 4}).ok());
  ASSERT_TRUE(session->run().ok());
  EXPECT_EQ(dumped.size(), 2u);
  EXPECT_THAT(dumped["hidden@pad"], ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(dumped["y@unpad"], ElementsAre(1, 2, 3, 4));
}

//===----------------------------------------------------------------------===//
// Loading
//===----------------------------------------------------------------------===//

static Diagnostic loadFailure(ModelBuilder &builder) {
  std::vector<uint8_t> file = builder.build();
  Expected<std::shared_ptr<const LoadedModel>> model =
      LoadedModel::fromMemory(file.data(), file.size());
  if (!model)
    return model.getDiagnostic();
  Expected<std::unique_ptr<Session>> session = Session::create(*model, {});
  EXPECT_FALSE(session.ok());
  return session.getDiagnostic();
}

TEST(LoadedModel, NewerHostOperatorsAreNamed) {
  ModelBuilder builder;
  builder.plan.hostOps = {"from_the_future"};
  Diagnostic diagnostic = loadFailure(builder);
  EXPECT_EQ(diagnostic.code, ErrorCode::NewerOfflineModel);
  EXPECT_THAT(diagnostic.message, HasSubstr("'from_the_future'"));
}

TEST(LoadedModel, NewerImportsAreRefused) {
  ModelBuilder builder;
  builder.plan.importCount = 1000;
  EXPECT_EQ(loadFailure(builder).code, ErrorCode::NewerOfflineModel);
}

TEST(LoadedModel, CodeForAnotherProcessorIsRefused) {
  ModelBuilder builder;
  buildTwoSteps(builder, 2);
  builder.plan.codeImages[0].features = 1u << 31;
  EXPECT_EQ(loadFailure(builder).code, ErrorCode::WrongDevice);
}

TEST(LoadedModel, EntriesOutsideTheCodeAreRefused) {
  ModelBuilder builder;
  buildTwoSteps(builder, 2);
  builder.plan.kernels[0].launches[0].entries[0] = 0;
  EXPECT_EQ(loadFailure(builder).code, ErrorCode::DamagedOfflineModel);
}

TEST(LoadedModel, NpuModelsNeedTheSimulator) {
  ModelBuilder builder;
  builder.plan.targetKind = TargetKind::Npu;
  builder.plan.codeImages.clear();
  EXPECT_EQ(loadFailure(builder).code, ErrorCode::WrongDevice);
}
