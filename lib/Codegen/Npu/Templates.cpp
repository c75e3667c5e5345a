// The list of the NPU's templates.
// SPDX-License-Identifier: Apache-2.0
#include "Templates.h"

using namespace mlir;
using namespace mlir::atc::npu;

Template::~Template() = default;

ArrayRef<const Template *> mlir::atc::npu::getTemplates() {
  static const Template *const templates[] = {getCubeTemplate(),
                                              getVectorTemplate()};
  return templates;
}

const Template *mlir::atc::npu::lookupTemplate(StringRef name) {
  for (const Template *candidate : getTemplates())
    if (candidate->getName() == name)
      return candidate;
  return nullptr;
}
