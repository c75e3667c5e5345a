// How kernels of a narrowed model store what float16 cannot hold.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_DIALECT_GRAPH_IR_SATURATION_H
#define ATC_DIALECT_GRAPH_IR_SATURATION_H

#include "mlir/Support/LLVM.h"

namespace mlir::atc::graph {

/// Of a function, then of the modules of its kernels: float32 values were
/// narrowed to float16, and those beyond its range are stored as its largest
/// number. Without it they become infinite, as the model's own float16 does.
inline constexpr StringLiteral saturatesFloat16AttrName =
    "graph.saturates_float16";

} // namespace mlir::atc::graph

#endif // ATC_DIALECT_GRAPH_IR_SATURATION_H
