// Tiles of a group of elementwise ops.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_LIB_CODEGEN_NPU_VECTORTILING_H
#define ATC_LIB_CODEGEN_NPU_VECTORTILING_H

#include "VectorProblem.h"

namespace mlir::atc::npu {

/// A tile is `rows` rows of `run` elements. In UB a row begins every `pitch`
/// elements, which are whole blocks in every type, and a tile is `elements`
/// long, which are whole repeats.
struct VectorTiling {
  int64_t rows = 1, run = 1;
  int64_t pitch = 16, elements = 128;

  static std::optional<VectorTiling>
  choose(const VectorProblem &problem, const ::atc::isa::DeviceRecord &device);
  /// The tiling of these rows and this run; nullopt if it does not fit.
  static std::optional<VectorTiling>
  create(const VectorProblem &problem, const ::atc::isa::DeviceRecord &device,
         int64_t rows, int64_t run);

  int64_t rowTiles(const VectorProblem &problem) const {
    return llvm::divideCeil(problem.rows, rows);
  }
  int64_t runTiles(const VectorProblem &problem) const {
    return llvm::divideCeil(problem.run, run);
  }
  int64_t tileCount(const VectorProblem &problem) const;
  /// Rows always fill their pitch and tiles their buffers.
  bool isExact(const VectorProblem &problem) const {
    return run == pitch && rows * pitch == elements &&
           problem.rows % rows == 0 && problem.run % run == 0;
  }
  /// Predicted cycles of a launch.
  double estimateCycles(const VectorProblem &problem,
                        const ::atc::isa::DeviceRecord &device) const;
};

} // namespace mlir::atc::npu

#endif // ATC_LIB_CODEGEN_NPU_VECTORTILING_H
