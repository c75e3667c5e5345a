// Files for outputs and intermediate tensors.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_TOOLS_ATC_RUN_OUTPUTS_H
#define ATC_TOOLS_ATC_RUN_OUTPUTS_H

#include "HostArray.h"
#include "Options.h"

#include "atc/Runtime/TensorRef.h"

#include <set>

namespace atc::run {

/// Gives tensors file names in one folder and writes them there, with a list in
/// a JSON file. Letters, digits, '.', '-' and '_' of a name are kept, others
/// become '_'; a name is cut to 100 bytes; "-<index>" is added where it was cut
/// or is taken.
class TensorFolder {
public:
  /// Creates the folder if it does not exist.
  static Expected<TensorFolder> create(const std::string &folder,
                                       OutputFormat format);

  /// Writes one dense tensor. `source` names nodes; it may be empty.
  Status write(const std::string &name, const TensorRef &tensor,
               const std::string &source = {});
  /// Writes the list: an array of objects with name, file, type and shape in
  /// order of writing.
  Status finish(const std::string &listName);

private:
  std::string fileStem(const std::string &name);

  std::string folder;
  OutputFormat format = OutputFormat::Npy;
  std::set<std::string> taken;
  size_t count = 0;
  std::string entries;
};

} // namespace atc::run

#endif // ATC_TOOLS_ATC_RUN_OUTPUTS_H
