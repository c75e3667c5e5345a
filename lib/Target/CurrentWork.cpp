// What each thread works on, for the last resort when the compiler breaks.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Target/CurrentWork.h"

using namespace mlir;
using namespace mlir::atc;

static thread_local CurrentWork currentWork;

const CurrentWork &mlir::atc::getCurrentWork() { return currentWork; }

void mlir::atc::setCurrentWork(const CurrentWork &work) { currentWork = work; }
