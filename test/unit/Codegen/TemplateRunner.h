// Compiles one kernel region with a template and runs it on logical tensors.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_TEST_UNIT_CODEGEN_TEMPLATERUNNER_H
#define ATC_TEST_UNIT_CODEGEN_TEMPLATERUNNER_H

#include "KernelRunner.h"
#include "atc/Dialect/Graph/IR/Graph.h"
#include "atc/Support/PhysicalLayout.h"
#include <vector>

namespace mlir::atc::test {

/// Elements in row-major order; halves and integers too are held as double.
using Elements = std::vector<double>;

/// What a test asks of a kernel besides its text.
struct TemplateOptions {
  /// Halo that the results carry in their spatial dims, as if a convolution
  /// followed.
  int64_t resultHalo = 0;
  /// Additional halo of permuted operands.
  int64_t operandHalo = 0;
  /// Sizes of the kernel's dims, in order, until `setDims`.
  std::vector<int64_t> dims;
};

/// A region, carried out by the first template that takes it:
///
///   TemplateRunner runner;
///   runner.compile({"2x3xf32"}, {"3x4xf32"},
///                  "%r = graph.matmul %x0, %w0 : ...", "r: tensor<...>")
///
/// Operands %x0, %x1, ... are computed at run time, %w0, ... are constant.
class TemplateRunner {
public:
  struct Region {
    std::vector<std::string> operands;
    std::vector<std::string> constants;
    /// Ops, one per line, and the yielded value with its type.
    std::string body;
    std::string yielded;
    std::string yieldedType;
    /// `shapes` of the kernel, for dynamic dims.
    std::string shapes = {};
  };

  /// Selects, configures and compiles. Reports to stderr and returns false on
  /// an error.
  bool compile(const Region &region, const TemplateOptions &options = {});

  /// The template that took the region.
  std::string templateName;
  /// Why none did.
  std::string reason;
  graph::ConfigAttr config;

  /// Other sizes of the kernel's dims from now on; all operands are to be set
  /// again.
  void setDims(const std::vector<int64_t> &sizes);

  /// Fills an operand (constants after the others); `shape` where its type is
  /// dynamic.
  void setOperand(unsigned number, const Elements &elements,
                  std::vector<int64_t> shape = {});
  /// Runs the grid in `parts` calls.
  Elements run(std::vector<int64_t> resultShape = {}, unsigned parts = 1);
  /// Runs again on the same operands: what a benchmark times.
  void runAgain();

  /// Whether the kernel reported a fault of its data in any run.
  bool reportedFault() const { return runner.reportedFault(); }

  int64_t getTileCount() const { return tiles.empty() ? 0 : tiles[0]; }

private:
  struct Buffer {
    RankedTensorType type;
    std::vector<int64_t> shape;
    ::atc::PhysicalLayout layout;
    std::vector<char> bytes;
    char *data = nullptr;
    int64_t base = 0;

    void allocate(bool poison);
    void store(const Elements &elements);
    Elements load() const;
    bool guardsAreIntact() const;
    /// Whether all halo elements are still zero.
    bool haloIsZero() const;
  };

  bool applyLayouts(graph::KernelOp kernel, const TemplateOptions &options);
  OwningOpRef<ModuleOp> outline(graph::KernelOp kernel);

  KernelRunner runner;
  OwningOpRef<ModuleOp> source;
  std::vector<Buffer> buffers;
  unsigned operandCount = 0;
  std::vector<int64_t> tiles, dims;
  std::vector<std::vector<char>> workspaces;

public:
  bool haloStaysZero() const;
};

/// Pseudo-random numbers in [-1, 1), the same on every run.
Elements randomElements(int64_t count, unsigned seed);

} // namespace mlir::atc::test

#endif // ATC_TEST_UNIT_CODEGEN_TEMPLATERUNNER_H
