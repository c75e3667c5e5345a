// An offline model ready for sessions.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_RUNTIME_LOADEDMODEL_H
#define ATC_RUNTIME_LOADEDMODEL_H

#include "atc/Model/OfflineModel.h"
#include "atc/Runtime/HostOps.h"
#include "atc/Runtime/PageMemory.h"

#include <memory>
#include <vector>

namespace atc {

struct LoadOptions {
  /// Compare the digest of the weights; reads all of them.
  bool verifyWeights = false;
  /// Copy the weights to memory of their own, in huge pages where there are.
  bool residentWeights = false;
};

/// Immutable and shared by sessions of any thread.
class LoadedModel {
public:
  static Expected<std::shared_ptr<const LoadedModel>>
  open(const std::string &path, const LoadOptions &options = {});
  static Expected<std::shared_ptr<const LoadedModel>>
  fromMemory(const void *data, uint64_t size, const LoadOptions &options = {});

  const OfflineModel &file() const { return model; }
  const Plan &plan() const { return model.plan(); }
  const uint8_t *weights() const { return weightData; }
  bool hasResidentWeights() const { return residentWeights.size() != 0; }
  /// The plan's host operators, by their index there.
  const std::vector<const HostOp *> &hostOps() const { return resolvedHostOps; }

private:
  explicit LoadedModel(OfflineModel model) : model(std::move(model)) {}
  static Expected<std::shared_ptr<const LoadedModel>>
  prepare(Expected<OfflineModel> file, const LoadOptions &options);
  Status resolveHostOps();

  OfflineModel model;
  PageMemory residentWeights;
  const uint8_t *weightData = nullptr;
  std::vector<const HostOp *> resolvedHostOps;
};

} // namespace atc

#endif // ATC_RUNTIME_LOADEDMODEL_H
