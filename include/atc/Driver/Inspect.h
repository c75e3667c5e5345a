// What models hold, for people and for tools.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_DRIVER_INSPECT_H
#define ATC_DRIVER_INSPECT_H

#include "atc/Driver/Compile.h"

#include <string>

namespace atc {

/// The readable graph of an offline model as JSON: protobuf's field names,
/// enumerators by name, maps as arrays of {"key", "value"}. Payloads, sizes and
/// offsets are left out, as ATC does.
Expected<std::string> offlineModelToJson(const std::string &path);

/// The same form for a source model, as it was read or, with `inferShapes`,
/// with the shapes that follow from the inputs.
CompileResult sourceModelToJson(const ModelSource &source,
                                const CompileOptions &options, bool inferShapes,
                                std::string &json);

/// What `atc --mode=6` prints: the options, sizes, inputs, outputs, kernels and
/// memory of an offline model.
Expected<std::string> describeOfflineModel(const std::string &path);

} // namespace atc

#endif // ATC_DRIVER_INSPECT_H
