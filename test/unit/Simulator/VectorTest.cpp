// Vector arithmetic, rounding and strides.
// SPDX-License-Identifier: Apache-2.0
#include "ExampleKernels.h"

#include <cmath>

using namespace atc;
using namespace atc::isa;
using namespace atc::sim;

namespace {

/// Loads `in` to UB address 0, runs `body`, stores from UB address 8192.
template <typename T, typename U>
Report transform(std::vector<T> &in, std::vector<U> &out,
                 const std::vector<Instruction> &body) {
  KernelBench bench;
  bench.bind(in).bind(out, false);
  Assembler a;
  a << LoadArgument{x(0), 0} << LoadArgument{x(1), 1}
    << CopyGmToUb{0, x(0), 1, int32_t(in.size() * sizeof(T)), 0, 0}
    << SetFlag{Pipe::MTE2, Pipe::V, 0} << WaitFlag{Pipe::MTE2, Pipe::V, 0};
  a.instructions.insert(a.instructions.end(), body.begin(), body.end());
  a << SetFlag{Pipe::V, Pipe::MTE3, 0} << WaitFlag{Pipe::V, Pipe::MTE3, 0}
    << CopyUbToGm{x(1), 8192, 1, int32_t(out.size() * sizeof(U)), 0, 0}
    << End{};
  return bench.run(a.instructions);
}

TEST(Vector, AddReluOverTiles) {
  constexpr int tiles = 5, count = tiles * 128;
  std::vector<uint16_t> a = someHalves(count, 1), b = someHalves(count, 2);
  std::vector<uint16_t> out(count, 0xffff);
  KernelBench bench;
  bench.bind(a).bind(b).bind(out, false);
  Report report = bench.run(addReluKernel(tiles));
  EXPECT_TRUE(report.clean()) << describe(report);
  for (int i = 0; i < count; ++i)
    EXPECT_EQ(halfToFloat(out[i]),
              std::fmax(0.0f, halfToFloat(floatToHalf(halfToFloat(a[i]) +
                                                      halfToFloat(b[i])))));
}

TEST(Vector, ResultsRoundToHalf) {
  std::vector<uint16_t> in = halves({2048, 1, 0.1f, 60000}), out(4);
  Report report = transform(
      in, out,
      {toInstruction(VectorScalar{ScalarFunction::Add, DataType::F16, 8192, 0,
                                  floatToHalf(1), 4, 1, 1, 1, 8, 8})});
  EXPECT_TRUE(report.clean()) << describe(report);
  EXPECT_EQ(out, halves({2048, 2, halfToFloat(floatToHalf(0.1f)) + 1, 60000}));
}

TEST(Vector, LanesBeyondTheCountStay) {
  std::vector<uint16_t> in = someHalves(32), out(32);
  Report report =
      transform(in, out,
                {toInstruction(VectorDuplicate{DataType::F16, 8192,
                                               floatToHalf(9), 32, 1, 1, 8}),
                 toInstruction(Barrier{Pipe::V}),
                 toInstruction(VectorUnary{UnaryFunction::Copy, DataType::F16,
                                           8192, 0, 20, 1, 1, 1, 8, 8})});
  EXPECT_TRUE(report.clean()) << describe(report);
  for (int i = 0; i < 32; ++i)
    EXPECT_EQ(out[i], i < 20 ? in[i] : floatToHalf(9)) << i;
}

TEST(Vector, ZeroBlockStrideRepeatsOneBlock) {
  std::vector<uint16_t> in = someHalves(16), out(128);
  Report report =
      transform(in, out,
                {toInstruction(VectorUnary{UnaryFunction::Copy, DataType::F16,
                                           8192, 0, 128, 1, 1, 0, 8, 0})});
  EXPECT_TRUE(report.clean()) << describe(report);
  for (int i = 0; i < 128; ++i)
    EXPECT_EQ(out[i], in[i % 16]);
}

TEST(Vector, CastWidensAndNarrows) {
  std::vector<float> in = {1.0f, 2.0f + 1.0f / 1024, 1e-8f, 70000.0f, -3.25f};
  std::vector<uint16_t> out(5);
  Report report = transform(
      in, out,
      {toInstruction(VectorCast{DataType::F32, DataType::F16, Rounding::Nearest,
                                8192, 0, 5, 1, 1, 1, 4, 8})});
  EXPECT_TRUE(report.clean()) << describe(report);
  EXPECT_EQ(out, halves(in));
}

TEST(Vector, CastToIntegersRoundsAndSaturates) {
  std::vector<float> in = {2.5f, -2.5f, 3e9f, NAN};
  struct {
    Rounding rounding;
    std::vector<int32_t> expected;
  } cases[] = {{Rounding::Nearest, {2, -2, INT32_MAX, 0}},
               {Rounding::Floor, {2, -3, INT32_MAX, 0}},
               {Rounding::Ceil, {3, -2, INT32_MAX, 0}},
               {Rounding::Away, {3, -3, INT32_MAX, 0}},
               {Rounding::Truncate, {2, -2, INT32_MAX, 0}}};
  for (const auto &c : cases) {
    std::vector<int32_t> out(4);
    Report report = transform(
        in, out,
        {toInstruction(VectorCast{DataType::F32, DataType::S32, c.rounding,
                                  8192, 0, 4, 1, 1, 1, 8, 8})});
    EXPECT_TRUE(report.clean()) << describe(report);
    EXPECT_EQ(out, c.expected);
  }
}

TEST(Vector, IntegersWrap) {
  std::vector<int16_t> in = {32767, -32768, 5}, out(3);
  Report report =
      transform(in, out,
                {toInstruction(VectorScalar{ScalarFunction::Add, DataType::S16,
                                            8192, 0, 1, 3, 1, 1, 1, 8, 8})});
  EXPECT_TRUE(report.clean()) << describe(report);
  EXPECT_EQ(out, (std::vector<int16_t>{-32768, -32767, 6}));
}

} // namespace
