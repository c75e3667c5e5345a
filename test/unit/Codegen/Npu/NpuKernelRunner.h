// Compiles one kernel region for a simulated NPU and runs it.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_TEST_UNIT_CODEGEN_NPU_NPUKERNELRUNNER_H
#define ATC_TEST_UNIT_CODEGEN_NPU_NPUKERNELRUNNER_H

#include "atc/Dialect/Graph/IR/Graph.h"
#include "atc/Isa/Image.h"
#include "atc/Simulator/Simulator.h"
#include "atc/Support/PhysicalLayout.h"
#include "mlir/IR/OwningOpRef.h"
#include <vector>

namespace mlir::atc::test {

/// Elements in row-major order of the logical shape.
using Elements = std::vector<float>;

/// The region of a kernel as text. Operands are %x0, %x1, ...; those whose
/// number is in `constants` are computed when a model is compiled.
struct NpuRegion {
  std::vector<std::string> operands;
  std::vector<unsigned> constants;
  /// Ops, one per line.
  std::string body;
  /// The yielded value's name and type.
  std::string yielded, yieldedType;
  /// Order of dims in memory of operands and result that may lie as they like;
  /// empty for row-major.
  std::vector<std::vector<unsigned>> operandOrders = {};
  std::vector<unsigned> resultOrder = {};
};

/// A region, carried out by the template that its target prefers, run in strict
/// mode.
class NpuKernelRunner {
public:
  explicit NpuKernelRunner(StringRef device = "TinyNpu");

  /// Selects, configures, lowers and encodes. Reports to stderr and returns
  /// false on an error.
  bool compile(const NpuRegion &region);

  std::string templateName;
  /// Why no template took the region.
  std::string reason;
  graph::ConfigAttr config;
  /// The image; tests may change it before they run it.
  ::atc::isa::Image image;

  /// Runs on as many blocks as a runtime would start, or `blocks`.
  ::atc::sim::Report run(const std::vector<Elements> &operands,
                         uint32_t blocks = 0);
  /// The result of the last run.
  Elements getResult() const;

private:
  struct Buffer {
    RankedTensorType type;
    std::vector<char> bytes;
    ::atc::PhysicalLayout layout() const;
    void allocate();
    void store(const Elements &elements);
    Elements load() const;
  };

  bool settleLayouts(graph::KernelOp kernel, const NpuRegion &region);
  OwningOpRef<ModuleOp> outline(graph::KernelOp kernel);

  const ::atc::isa::DeviceRecord &device;
  MLIRContext context;
  std::vector<Buffer> buffers;
  int64_t tiles = 0;
};

/// Pseudo-random multiples of 1/64 in [-2, 2): exact in half precision.
Elements randomElements(int64_t count, unsigned seed);

/// The value rounded to half precision.
float toHalf(float value);

/// What a report found, for failure messages.
std::string describe(const ::atc::sim::Report &report);

} // namespace mlir::atc::test

#endif // ATC_TEST_UNIT_CODEGEN_NPU_NPUKERNELRUNNER_H
