// What models hold, for people and for tools.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Driver/Inspect.h"
#include "Compilation.h"
#include "GraphJson.h"
#include "atc/Model/OfflineModel.h"
#include "ge.pb.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir::atc;

namespace atc {

Expected<std::string> offlineModelToJson(const std::string &path) {
  Expected<OfflineModel> model = OfflineModel::open(path);
  if (!model)
    return model.getDiagnostic();
  ByteRange graph = model->graph();
  std::optional<std::string> json =
      modelDefinitionToJson(graph.data, graph.size);
  if (!json)
    return Diagnostic{
        ErrorCode::DamagedOfflineModel, "the graph is no ModelDef", path, {}};
  return *json;
}

CompileResult sourceModelToJson(const ModelSource &source,
                                const CompileOptions &options, bool inferShapes,
                                std::string &json) {
  CompileOptions effective = options;
  if (effective.target.empty())
    effective.target = "CPU";
  Compilation compilation(effective, nullptr);
  if (compilation.selectTarget() && compilation.importModel(source) &&
      (!inferShapes || compilation.runPhases(Phase::Shape))) {
    std::vector<uint8_t> bytes = compilation.serializeGraph();
    if (auto text = modelDefinitionToJson(bytes.data(), bytes.size()))
      json = std::move(*text);
  }
  return compilation.finish();
}

//===----------------------------------------------------------------------===//
// Mode 6
//===----------------------------------------------------------------------===//

namespace {

using AttributeMap = google::protobuf::Map<std::string, ge::proto::AttrDef>;

std::string getText(const AttributeMap &attributes, const char *name) {
  auto it = attributes.find(name);
  return it == attributes.end() ? std::string() : it->second.s();
}

int64_t getInteger(const AttributeMap &attributes, const char *name) {
  auto it = attributes.find(name);
  return it == attributes.end() ? 0 : it->second.i();
}

std::string describeInt(PlanInt value) {
  return value.isStatic() ? std::to_string(value.value()) : "?";
}

void describePorts(llvm::raw_ostream &os, const Plan &plan, const char *title,
                   const std::vector<PlanPort> &ports) {
  os << title << '\n';
  for (const PlanPort &port : ports) {
    const PlanView &view = plan.views[port.view];
    os << "  " << port.name << ": "
       << std::string(elementTypeInfo(view.elementType).text) << " [";
    llvm::interleaveComma(view.dims, os, [&](const PlanView::Dim &dim) {
      os << describeInt(dim.size);
    });
    os << "]\n";
  }
}

/// Kernels by how often they are launched.
void describeKernels(llvm::raw_ostream &os, const Plan &plan) {
  std::vector<unsigned> launches(plan.kernels.size());
  for (const PlanInstruction &instruction : plan.body)
    if (auto *launch = std::get_if<LaunchInstruction>(&instruction.operation))
      ++launches[launch->kernel];
  os << "kernels: " << plan.kernels.size() << '\n';
  for (auto [kernel, count] : llvm::zip_equal(plan.kernels, launches))
    os << "  " << kernel.name
       << (kernel.opType.empty() ? "" : " (" + kernel.opType + ")") << ": "
       << count << (count == 1 ? " launch\n" : " launches\n");
}

} // namespace

Expected<std::string> describeOfflineModel(const std::string &path) {
  Expected<OfflineModel> model = OfflineModel::open(path);
  if (!model)
    return model.getDiagnostic();
  ge::proto::ModelDef graph;
  if (!graph.ParseFromArray(model->graph().data,
                            static_cast<int>(model->graph().size)))
    return Diagnostic{
        ErrorCode::DamagedOfflineModel, "the graph is no ModelDef", path, {}};
  const AttributeMap &attributes = graph.attr();
  const Plan &plan = model->plan();
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "============ Display Model Info start ============\n"
     << "Original Atc command line: " << getText(attributes, "atc_cmdline")
     << "\nsystem   info: atc_version[" << getText(attributes, "atc_version")
     << "], soc_version[" << plan.targetName << "], framework_type["
     << getText(attributes, "framework_type")
     << "].\nresource info: memory_size[" << plan.arenaBytes
     << " B], weight_size[" << model->weights().size << " B], stream_num["
     << getInteger(attributes, "stream_num") << "], event_num["
     << getInteger(attributes, "event_num")
     << "].\nom       info: modeldef_size[" << model->graph().size
     << " B], weight_data_size[" << model->weights().size
     << " B], tbe_kernels_size[" << model->code().size
     << " B], cust_aicpu_kernel_store_size[0 B], task_info_size["
     << model->planPartition().size << " B], so_store_size[0 B].\n";
  describePorts(os, plan, "inputs:", plan.inputs);
  describePorts(os, plan, "outputs:", plan.outputs);
  describeKernels(os, plan);
  os << "memory: arena " << plan.arenaBytes << " B (at least "
     << plan.arenaLowerBound << " B are live at one time), variables "
     << plan.variableBytes << " B, weights " << model->weights().size << " B\n"
     << "============ Display Model Info end   ============\n";
  return text;
}

} // namespace atc
