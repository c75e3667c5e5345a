// The phase `plan`.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Passes/Memory/Passes.h"

using namespace mlir;

void mlir::atc::buildPlanPasses(OpPassManager &pm) {
  pm.addPass(createBuildProgramPass());
  pm.addPass(createPlaceBuffersPass());
  // Needs offsets: a halo is safe where nobody else writes its bytes.
  pm.addPass(createElideHalosPass());
}
