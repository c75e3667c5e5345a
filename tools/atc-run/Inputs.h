// Where the data of each input comes from.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_TOOLS_ATC_RUN_INPUTS_H
#define ATC_TOOLS_ATC_RUN_INPUTS_H

#include "HostArray.h"
#include "Options.h"

#include "atc/Runtime/LoadedModel.h"

namespace atc::run {

/// An input as the model declares it; -1 where a size is open.
struct InputPort {
  std::string name;
  ElementType elementType;
  std::vector<int64_t> sizes;
  /// What the model calls its open sizes; empty where it does not. Sizes of one
  /// name are equal.
  std::vector<std::string> names;
};

std::vector<InputPort> inputPorts(const Plan &plan);

/// Collects one array for each input: from files, images, a folder, or made up.
/// Element types and shapes are those of the ports. What is made up needs all
/// sizes: from --shape, or from an input that has one of the same name. Fails
/// with UnknownTensorName, InvalidInput, RankMismatch and what readers report.
Expected<std::vector<HostArray>>
collectInputs(const std::vector<InputPort> &ports, const Options &options);

/// Splits "NAME=FILE" at the last '=' in front of which stands an input's name;
/// a text without one, or that is an existing file as a whole, has no name.
/// Fails with UnknownTensorName.
struct NamedFile {
  std::optional<size_t> port;
  std::string file;
};
Expected<NamedFile> splitAssignment(const std::vector<InputPort> &ports,
                                    const std::string &text);

} // namespace atc::run

#endif // ATC_TOOLS_ATC_RUN_INPUTS_H
