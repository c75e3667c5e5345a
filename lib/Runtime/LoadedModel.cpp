// Loading of offline models for execution.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Runtime/LoadedModel.h"

#include "atc/Runtime/CpuCode.h"

#include <cstring>

namespace atc {

Status LoadedModel::resolveHostOps() {
  for (const std::string &name : plan().hostOps) {
    const HostOp *op = findHostOp(name);
    if (!op)
      return Status::error(ErrorCode::NewerOfflineModel,
                           "the model calls host operator '" + name +
                               "', which this runtime does not have");
    resolvedHostOps.push_back(op);
  }
  if (plan().importCount > kernelImportCount)
    return Status::error(ErrorCode::NewerOfflineModel,
                         "the model's kernels use " +
                             std::to_string(plan().importCount) +
                             " imported functions, this runtime has " +
                             std::to_string(kernelImportCount));
  return Status::success();
}

Expected<std::shared_ptr<const LoadedModel>>
LoadedModel::prepare(Expected<OfflineModel> file, const LoadOptions &options) {
  if (!file)
    return file.getDiagnostic();
  std::shared_ptr<LoadedModel> loaded(new LoadedModel(std::move(*file)));
  if (options.verifyWeights)
    if (Status status = loaded->model.verifyWeights(); !status)
      return status;
  if (Status status = loaded->resolveHostOps(); !status)
    return status;
  ByteRange weights = loaded->model.weights();
  loaded->weightData = weights.data;
  if (options.residentWeights && weights.size != 0) {
    Expected<PageMemory> memory = PageMemory::allocate(weights.size);
    if (!memory)
      return memory.getDiagnostic();
    std::memcpy(memory->data(), weights.data, weights.size);
    loaded->residentWeights = std::move(*memory);
    loaded->weightData = loaded->residentWeights.data();
  }
  return std::shared_ptr<const LoadedModel>(std::move(loaded));
}

Expected<std::shared_ptr<const LoadedModel>>
LoadedModel::open(const std::string &path, const LoadOptions &options) {
  return prepare(OfflineModel::open(path), options);
}

Expected<std::shared_ptr<const LoadedModel>>
LoadedModel::fromMemory(const void *data, uint64_t size,
                        const LoadOptions &options) {
  return prepare(OfflineModel::fromMemory(data, size), options);
}

} // namespace atc
