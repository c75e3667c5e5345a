// Every rule of a plan, broken once.
// SPDX-License-Identifier: Apache-2.0
#include "PlanExamples.h"

#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace atc;
using namespace atc::test;

namespace {
struct BrokenRule {
  const char *name;
  std::function<void(Plan &)> breakIt;
  const char *message;
};
std::ostream &operator<<(std::ostream &out, const BrokenRule &rule) {
  return out << rule.name;
}
class PlanCheck : public testing::TestWithParam<BrokenRule> {};

template <typename T>
T &operation(Plan &plan, size_t index) {
  return std::get<T>(plan.body[index].operation);
}
} // namespace

TEST(PlanCheck, TheExampleIsCorrect) {
  Status status = checkPlan(everythingPlan(), PlanSizes{128, 8192});
  EXPECT_TRUE(status.ok()) << status.getDiagnostic().message;
}

TEST_P(PlanCheck, IsReported) {
  Plan plan = everythingPlan();
  GetParam().breakIt(plan);
  Status status = checkPlan(plan, PlanSizes{128, 8192});
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.getDiagnostic().code, ErrorCode::Internal);
  EXPECT_THAT(status.getDiagnostic().message,
              testing::HasSubstr(GetParam().message));
}

static const BrokenRule tableRules[] = {
    {"noTarget", [](Plan &p) { p.targetName.clear(); }, "target is unknown"},
    {"registersWithoutDefinitions", [](Plan &p) { p.registerCount = 1000; },
     "more registers than instructions"},
    {"layoutRank", [](Plan &p) { p.layouts[0].permutation[0] = 9; },
     "layout 0: expects a permutation"},
    {"alignment", [](Plan &p) { p.buffers[2].alignment = 48; },
     "buffer 2: the alignment"},
    {"negativeSize", [](Plan &p) { p.buffers[2].bytes = -1; },
     "buffer 2: the size is malformed"},
    {"dynamicSizeInFixedPlace",
     [](Plan &p) { p.buffers[2].bytes = PlanInt::reg(1); },
     "expects a static size with a fixed place"},
    {"outsideArena", [](Plan &p) { p.arenaBytes = 4095; },
     "buffer 2: lies outside the arena"},
    {"misaligned", [](Plan &p) { p.buffers[3].offset = 8; },
     "buffer 3: the offset is not aligned"},
    {"outsideWeights", [](Plan &p) { p.buffers[3].bytes = 65; },
     "buffer 3: lies outside the weights"},
    {"outsideVariables", [](Plan &p) { p.variableBytes = 32; },
     "buffer 4: lies outside the variables"},
    {"noSuchPort", [](Plan &p) { p.buffers[0].port = 1; },
     "buffer 0: the port is malformed"},
    {"portOfArenaBuffer", [](Plan &p) { p.buffers[2].port = 0; },
     "buffer 2: the port is malformed"},
    {"dataSizedInput",
     [](Plan &p) { p.buffers[0].placement = Placement::Data; },
     "size of an input is known"},
    {"lifetimeReversed", [](Plan &p) { p.buffers[2].firstUse = 21; },
     "lifetime is malformed"},
    {"groupOfFixedBuffer", [](Plan &p) { p.buffers[2].storageGroup = 5; },
     "storage group is malformed"},
    {"viewWithoutBuffer", [](Plan &p) { p.views[2].buffer = 99; },
     "view 2: the buffer does not exist"},
    {"stringView",
     [](Plan &p) { p.views[2].elementType = ElementType::STRING; },
     "element type has no fixed size"},
    {"rankTooLarge", [](Plan &p) { p.views[2].dims.resize(33); },
     "rank is too large"},
    {"halfAnElementOffset", [](Plan &p) { p.views[7].byteOffset = 21; },
     "view 7: the offset is malformed"},
    {"negativeDim", [](Plan &p) { p.views[7].dims[0].size = -1; },
     "view 7: a dim is malformed"},
    {"noSuchRegister",
     [](Plan &p) { p.views[2].dims[0].size = PlanInt::reg(5); },
     "view 2: a dim is malformed"},
    {"behindItsBuffer", [](Plan &p) { p.views[7].dims[0].stride = 10; },
     "view 7: lies outside its buffer"},
    {"beforeItsBuffer", [](Plan &p) { p.views[7].dims[0].stride = -6; },
     "view 7: lies outside its buffer"},
    {"hugeStride",
     [](Plan &p) {
       p.views[7].dims[0] = {PlanInt::maxStatic, PlanInt::maxStatic};
     },
     "view 7: lies outside its buffer"},
    {"tiledBehindItsBuffer", [](Plan &p) { p.views[5].dims[0].size = 100; },
     "view 5: lies outside its buffer"},
    {"tiledWithStrides", [](Plan &p) { p.views[5].dims[0].stride = 1; },
     "expects static sizes and no strides"},
    {"noSuchLayout", [](Plan &p) { p.views[5].layout = 1; },
     "layout is malformed"},
    {"variableElsewhere", [](Plan &p) { p.variables[0].view = 2; },
     "variable 0: the view is not of a variable"},
    {"initialValueOfOtherSize",
     [](Plan &p) {
       p.buffers[4].bytes = 32;
       p.views[4].dims[0].size = 4;
     },
     "initial value is malformed"},
    {"sequenceInput", [](Plan &p) { p.inputs[0].kind = ValueKind::Sequence; },
     "values other than tensors are not supported"},
    {"inputElsewhere", [](Plan &p) { p.inputs[0].view = 2; },
     "input 0: the view is not of the port's buffer"},
    {"transposedInput", [](Plan &p) { p.views[0].dims[1].stride = 2; },
     "input 0: expects row-major order"},
    {"partOfAnInput", [](Plan &p) { p.views[0].byteOffset = 4; },
     "input 0: expects the whole buffer"},
    {"emptyName", [](Plan &p) { p.outputs[0].name.clear(); },
     "output 0: expects a name"},
    {"inputNamedTwice",
     [](Plan &p) {
       p.inputs.push_back(p.inputs[0]);
       p.inputs[1].view = p.views.size();
       p.views.push_back(p.views[0]);
       p.views.back().buffer = p.buffers.size();
       p.buffers.push_back(p.buffers[0]);
       p.buffers.back().port = 1;
     },
     "two inputs have the name 'x'"},
    {"symbolOfFixedDim", [](Plan &p) { p.symbols[0].dim = 1; },
     "symbol 0: the dim of the input is not in that register"},
    {"symbolRange", [](Plan &p) { p.symbols[0].max = 0; },
     "range of sizes is malformed"},
    {"missingSymbol", [](Plan &p) { p.symbols.clear(); },
     "dim 0 of input 'x' has no symbol"},
    {"codeOutsidePartition", [](Plan &p) { p.codeImages[1].bytes = 4097; },
     "code image 1: lies outside the code"},
    {"codeMisaligned", [](Plan &p) { p.codeImages[1].offset = 512; },
     "code image 1: the offset is not aligned"},
    {"codeWithoutLevel",
     [](Plan &p) { p.codeImages[0].level = CpuLevel::None; },
     "expects a processor level"},
    {"missingEntry",
     [](Plan &p) { p.kernels[0].launches[0].entries.pop_back(); },
     "kernel 0: expects an entry for each code image"},
    {"kernelNamedTwice", [](Plan &p) { p.kernels.push_back(p.kernels[0]); },
     "two kernels have the name 'matmul_0'"},
};
INSTANTIATE_TEST_SUITE_P(Tables, PlanCheck, testing::ValuesIn(tableRules),
                         [](const auto &info) {
                           return std::string(info.param.name);
                         });

static const BrokenRule instructionRules[] = {
    {"launchInPrologue", [](Plan &p) { p.prologue.push_back(p.body[0]); },
     "prologue instruction 2: expects only scalar operations"},
    {"shapeBufferNeedsBodyValue",
     [](Plan &p) { p.buffers[5].bytes = PlanInt::reg(3); },
     "buffer 5: register 3 is used before it is set"},
    {"noSuchKernel",
     [](Plan &p) { operation<LaunchInstruction>(p, 0).kernel = 1; },
     "instruction 0: the kernel does not exist"},
    {"noSuchLaunch",
     [](Plan &p) { operation<LaunchInstruction>(p, 0).launch = 2; },
     "has no launch 2"},
    {"operandCount",
     [](Plan &p) { operation<LaunchInstruction>(p, 0).operands.pop_back(); },
     "takes 3 buffers and 1 scalars, got 2 and 1"},
    {"writeToWeights",
     [](Plan &p) {
       operation<LaunchInstruction>(p, 0).operands[1].access = Access::Write;
     },
     "view 3 is read-only"},
    {"writeToInput",
     [](Plan &p) { operation<CopyInstruction>(p, 19) = {2, 0}; },
     "view 0 is read-only"},
    {"outsideLifetime", [](Plan &p) { p.buffers[5].lastUse = 18; },
     "instruction 19: view 2 is used outside its buffer's lifetime"},
    {"negativeTileCount",
     [](Plan &p) { operation<LaunchInstruction>(p, 0).tileCount = -1; },
     "a count is negative"},
    {"useBeforeDefinition",
     [](Plan &p) {
       operation<HostCallInstruction>(p, 1).scalars = {PlanInt::reg(2)};
     },
     "instruction 1: register 2 is used before it is set"},
    {"viewUsesUnsetRegister",
     [](Plan &p) { operation<HostCallInstruction>(p, 1).results = {2}; },
     "instruction 2: register 3 is used before it is set"},
    {"resultRegister",
     [](Plan &p) { operation<HostCallInstruction>(p, 1).results = {77}; },
     "result's register does not exist"},
    {"noSuchHostOp",
     [](Plan &p) { operation<HostCallInstruction>(p, 1).hostOp = 1; },
     "host operator does not exist"},
    {"copyOfOtherShape",
     [](Plan &p) { operation<CopyInstruction>(p, 19) = {7, 1}; },
     "expects views of one shape and element type"},
    {"haloWidths",
     [](Plan &p) { operation<ZeroHaloInstruction>(p, 5).low.pop_back(); },
     "expects two halo widths"},
    {"haloOfTiledView",
     [](Plan &p) {
       operation<ZeroHaloInstruction>(p, 5) = {5, {0, 0, 0, 0}, {0, 0, 0, 0}};
     },
     "expects a strided view"},
    {"scalarOfFloat",
     [](Plan &p) { operation<LoadScalarInstruction>(p, 7) = {2, 7, {0, 0}}; },
     "expects an integer or boolean element type"},
    {"indexOutOfRange",
     [](Plan &p) { operation<LoadScalarInstruction>(p, 7).index = {8}; },
     "index is out of range"},
    {"indexRank",
     [](Plan &p) { operation<LoadScalarInstruction>(p, 7).index = {0, 0}; },
     "one index for each dim"},
    {"setInOneBranchOnly",
     [](Plan &p) { operation<ScalarInstruction>(p, 11).result = 2; },
     "instruction 14: register 4 is used before it is set"},
    {"setInLoopBodyOnly",
     [](Plan &p) {
       p.body[9] = p.body[11] = {FillInstruction{5, 0}, ""};
       operation<ScalarInstruction>(p, 14) = {ScalarOp::Move, 2, 0, 0, 0};
       operation<ScalarInstruction>(p, 16) = {ScalarOp::Move, 4, 1, 0, 0};
     },
     "instruction 18: register 4 is used before it is set"},
    {"elseWithoutIf", [](Plan &p) { p.body[8] = p.body[10]; },
     "instruction 8: Else without If"},
    {"endIfInLoop", [](Plan &p) { p.body[17] = p.body[12]; },
     "instruction 17: EndIf without If"},
    {"loopWithoutTest",
     [](Plan &p) { p.body[15] = {FillInstruction{5, 0}, ""}; },
     "instruction 17: EndLoop without LoopTest"},
    {"testWithoutLoop", [](Plan &p) { p.body[2] = p.body[15]; },
     "instruction 2: LoopTest without Loop"},
    {"openBranch", [](Plan &p) { p.body[12] = {FillInstruction{5, 0}, ""}; },
     "a branch or loop is not closed"},
    {"allocateFixedBuffer",
     [](Plan &p) { operation<AllocateInstruction>(p, 2).buffer = 2; },
     "expects a buffer whose size depends on data"},
    {"outputSizeUnset",
     [](Plan &p) {
       p.views[1].dims[0].size = PlanInt::reg(4);
       p.body.resize(13);
       p.body.erase(p.body.begin() + 10, p.body.begin() + 12);
       for (PlanBuffer &buffer : p.buffers)
         buffer.lastUse = buffer.space == BufferSpace::Arena ? 10 : 0;
     },
     "output 'y': register 4 is used before it is set"},
};
INSTANTIATE_TEST_SUITE_P(Instructions, PlanCheck,
                         testing::ValuesIn(instructionRules),
                         [](const auto &info) {
                           return std::string(info.param.name);
                         });

TEST(PlanCheck, ConditionPartOfALoopDefines) {
  // What stands between Loop and LoopTest runs at least once.
  Plan plan = everythingPlan();
  plan.body[18] = {StoreScalarInstruction{4, {0}, PlanInt::reg(2)}, ""};
  EXPECT_TRUE(checkPlan(plan).ok());
}

TEST(PlanCheck, DeepNestingIsLinear) {
  Plan plan = everythingPlan();
  static constexpr size_t depth = 20000;
  plan.body.clear();
  for (PlanBuffer &buffer : plan.buffers)
    buffer.lastUse = 0;
  for (size_t i = 0; i < depth; ++i)
    plan.body.push_back({IfInstruction{1}, ""});
  for (uint32_t i = 0; i < 5; ++i)
    plan.body.push_back({ScalarInstruction{ScalarOp::Move, i, 1, 0, 0}, ""});
  for (size_t i = 0; i < depth; ++i)
    plan.body.push_back({EndIfInstruction{}, ""});
  EXPECT_TRUE(checkPlan(plan).ok());
}
