// The table of templates.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Codegen/Cpu/Attention.h"
#include "atc/Codegen/Cpu/Convolution.h"
#include "atc/Codegen/Cpu/ConvolutionTranspose.h"
#include "atc/Codegen/Cpu/Depthwise.h"
#include "atc/Codegen/Cpu/Gemm.h"
#include "atc/Codegen/Cpu/Normalize.h"
#include "atc/Codegen/Cpu/Pointwise.h"
#include "atc/Codegen/Cpu/Pooling.h"
#include "atc/Codegen/Cpu/Reduce.h"
#include "atc/Codegen/Cpu/Scatter.h"
#include "atc/Codegen/Cpu/Template.h"
#include "atc/Codegen/Cpu/Winograd.h"

using namespace mlir;
using namespace mlir::atc;
using namespace mlir::atc::cpu;

Template::~Template() = default;

ArrayRef<const Template *> mlir::atc::cpu::getTemplates() {
  static const DepthwiseTemplate depthwise;
  static const ConvolutionTemplate convolution;
  static const WinogradTemplate winograd;
  static const WinogradFilterTemplate winogradFilter;
  static const ConvolutionTransposeTemplate convolutionTranspose;
  static const PoolingTemplate pooling;
  static const AttentionTemplate attention;
  static const GemmTemplate gemm;
  static const SmallVector<const Template *> templates = {&depthwise,
                                                          &convolution,
                                                          &winograd,
                                                          &winogradFilter,
                                                          &convolutionTranspose,
                                                          &pooling,
                                                          &attention,
                                                          &gemm,
                                                          &rowTemplate(),
                                                          &reduceTemplate(),
                                                          &scanTemplate(),
                                                          &scatterTemplate(),
                                                          &pointwiseTemplate()};
  return templates;
}

const Template *mlir::atc::cpu::lookupTemplate(StringRef name) {
  for (const Template *candidate : getTemplates())
    if (candidate->getName() == name)
      return candidate;
  return nullptr;
}
