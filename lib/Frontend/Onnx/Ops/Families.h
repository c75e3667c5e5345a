// The operator families; each adds its rows to the table.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_LIB_FRONTEND_ONNX_OPS_FAMILIES_H
#define ATC_LIB_FRONTEND_ONNX_OPS_FAMILIES_H

namespace mlir::atc::onnx {

class OpTable;

void registerElementwiseOps(OpTable &table);
void registerActivationOps(OpTable &table);
void registerReductionOps(OpTable &table);
void registerMatMulOps(OpTable &table);
void registerEinsumOps(OpTable &table);
void registerConvolutionOps(OpTable &table);
void registerPoolingOps(OpTable &table);
void registerNormalizationOps(OpTable &table);
void registerMovementOps(OpTable &table);
void registerResizeOps(OpTable &table);
void registerIndexingOps(OpTable &table);
void registerShapeOps(OpTable &table);
void registerCreationOps(OpTable &table);
void registerQuantizationOps(OpTable &table);
void registerLossOps(OpTable &table);
void registerLegacyOps(OpTable &table);

} // namespace mlir::atc::onnx

#endif // ATC_LIB_FRONTEND_ONNX_OPS_FAMILIES_H
