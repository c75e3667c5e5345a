// Tests for what holds of every code image.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Codegen/Cpu/Emission.h"
#include "KernelRunner.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace mlir::atc;
using namespace mlir::atc::test;

namespace {

/// A module with kernels @k0, @k1, ... that add their number to a buffer.
std::string manyKernels(unsigned count) {
  std::string text = "module {\n";
  for (unsigned i = 0; i < count; ++i)
    text += llvm::formatv(R"mlir(
      module @k{0} {{
        func.func @k{0}(%x: memref<?xf32>, %scratch: memref<?xi8>,
                        %begin: index, %end: index)
            attributes {{buffer_bases = array<i64: 0>} {{
          %c1 = arith.constant 1 : index
          %c = arith.constant {0}.0 : f32
          scf.for %i = %begin to %end step %c1 {{
            %v = memref.load %x[%i] : memref<?xf32>
            %w = arith.addf %v, %c : f32
            memref.store %w, %x[%i] : memref<?xf32>
          }
          return
        }
      })mlir",
                          i)
                .str();
  return text + "\n}\n";
}

// All kernels of a module are entries of one image.
TEST(Emission, LinksKernelsToOneImage) {
  KernelRunner runner;
  ASSERT_TRUE(runner.compileLaunches(manyKernels(5)));
  std::vector<float> x = {1, 2, 3};
  for (const char *name : {"k1", "k2", "k4"})
    runner.run(name, {x.data()}, {}, 0, 3);
  EXPECT_EQ(x, (std::vector<float>{8, 9, 10}));
}

// The bytes depend on the kernels alone: not on threads, not on the run.
TEST(Emission, IsReproducible) {
  KernelRunner first, second;
  second.getContext().disableMultithreading();
  ASSERT_TRUE(first.compileLaunches(manyKernels(7)));
  ASSERT_TRUE(second.compileLaunches(manyKernels(7)));
  EXPECT_EQ(first.getImage(), second.getImage());
}

// Functions that kernels do not carry come through the context.
TEST(Emission, ImportsThroughTheContext) {
  KernelRunner runner;
  ASSERT_TRUE(runner.compileLaunches(R"mlir(
    func.func @f(%x: memref<?xf64>, %scratch: memref<?xi8>, %begin: index,
                 %end: index) attributes {buffer_bases = array<i64: 0>} {
      %c0 = arith.constant 0 : index
      %v = vector.load %x[%c0] : memref<?xf64>, vector<4xf64>
      %w = math.atan2 %v, %v : vector<4xf64>
      vector.store %w, %x[%c0] : memref<?xf64>, vector<4xf64>
      return
    })mlir"));
  std::vector<double> x = {1, -1, 2, 0};
  runner.run("f", {x.data()});
  EXPECT_EQ(x, (std::vector<double>{std::atan2(1, 1), std::atan2(-1, -1),
                                    std::atan2(2, 2), 0}));
}

// A buffer points behind its halo; the launch sees its first element.
TEST(Emission, MovesBuffersInFrontOfTheirHalo) {
  KernelRunner runner;
  ASSERT_TRUE(runner.compileLaunches(R"mlir(
    func.func @f(%x: memref<?xf32>, %n: index, %scratch: memref<?xi8>,
                 %begin: index, %end: index)
        attributes {buffer_bases = array<i64: 2>} {
      %c0 = arith.constant 0 : index
      %v = memref.load %x[%c0] : memref<?xf32>
      memref.store %v, %x[%n] : memref<?xf32>
      return
    })mlir"));
  std::vector<float> x = {5, 6, 7, 8, 9};
  runner.run("f", {x.data() + 2}, {3});
  EXPECT_EQ(x, (std::vector<float>{5, 6, 7, 5, 9}));
}

// An image that the runtime could not map as it is must not leave the compiler.
TEST(ImageCheck, RefusesUndefinedSymbols) {
  KernelRunner runner;
  ASSERT_TRUE(runner.compileLaunches(manyKernels(1)));
  std::vector<char> image(runner.getImage().begin(), runner.getImage().end());
  llvm::StringMap<uint64_t> entries;
  EXPECT_FALSE(bool(cpu::checkImage(image, entries)));
  EXPECT_TRUE(entries.contains("k0"));
  image.resize(image.size() / 2);
  llvm::Error error = cpu::checkImage(image, entries);
  EXPECT_TRUE(bool(error));
  llvm::consumeError(std::move(error));
}

} // namespace
