// A ModelDef as JSON.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_LIB_DRIVER_GRAPHJSON_H
#define ATC_LIB_DRIVER_GRAPHJSON_H

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mlir::atc {

/// Two blanks of indentation, fields in the order of the schema, maps sorted by
/// key. Nullopt if the bytes are no ModelDef.
std::optional<std::string> modelDefinitionToJson(const uint8_t *data,
                                                 size_t size);

} // namespace mlir::atc

#endif // ATC_LIB_DRIVER_GRAPHJSON_H
