// An array in memory, as input files give it and output files take it.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_TOOLS_ATC_RUN_HOSTARRAY_H
#define ATC_TOOLS_ATC_RUN_HOSTARRAY_H

#include "atc/Support/Diagnostic.h"
#include "atc/Support/ElementType.h"

#include <cstdint>
#include <string>
#include <vector>

namespace atc::run {

/// Row-major and dense; types below a byte are packed as in every buffer.
struct HostArray {
  ElementType elementType = ElementType::F32;
  std::vector<int64_t> shape;
  std::vector<uint8_t> bytes;
};

/// "[1, 3, 224, 224]"
std::string shapeText(const std::vector<int64_t> &shape);

/// Bytes of a shape; MalformedArray if a size is negative or all of them do not
/// fit memory.
Expected<uint64_t> arrayBytes(ElementType type,
                              const std::vector<int64_t> &shape);

} // namespace atc::run

#endif // ATC_TOOLS_ATC_RUN_HOSTARRAY_H
