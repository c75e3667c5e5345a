// atc-run: runs an offline model on files and tells what it took.
// SPDX-License-Identifier: Apache-2.0
#include "Inputs.h"
#include "Options.h"
#include "Outputs.h"
#include "Report.h"

#include "atc/Runtime/Session.h"
#include "atc/Runtime/ThreadPool.h"
#include "atc/Support/AtomicFile.h"

#include <chrono>
#include <cstdio>
#include <exception>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <new>

using namespace atc;
using namespace atc::run;

/// What ATC's tools return after an error.
static constexpr int failureExit = 255;

static double nowMs() {
  return std::chrono::duration<double, std::milli>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

/// "x float32 [1, 3, ?, ?]"
static std::string describePort(const Plan &plan, const PlanPort &port) {
  const PlanView &view = plan.views[port.view];
  std::vector<std::string> sizes;
  for (const PlanView::Dim &dim : view.dims)
    sizes.push_back(dim.size.isStatic() ? std::to_string(dim.size.value())
                                        : "?");
  return fmt::format("{} {} [{}]", port.name,
                     elementTypeInfo(view.elementType).text,
                     fmt::join(sizes, ", "));
}

static void printModel(const LoadedModel &model) {
  const Plan &plan = model.plan();
  fmt::print("{} for {}\n", model.file().info().name, plan.targetName);
  for (const PlanPort &port : plan.inputs)
    fmt::print("  input   {}\n", describePort(plan, port));
  for (const PlanPort &port : plan.outputs)
    fmt::print("  output  {}\n", describePort(plan, port));
}

/// Executes the warm-up and the timed runs; the first timed one is dumped.
static Status runSeries(Session &session, const Options &options,
                        Report &report) {
  unsigned warmup = options.warmup.value_or(options.loop > 1 ? 1 : 0);
  for (unsigned i = 0; i < warmup; ++i)
    if (Status status = session.run(); !status)
      return status;

  std::optional<TensorFolder> dump;
  Status dumpStatus;
  if (!options.dumpFolder.empty()) {
    Expected<TensorFolder> folder =
        TensorFolder::create(options.dumpFolder, options.format);
    if (!folder)
      return folder.status();
    dump = std::move(*folder);
    session.setDump([&](const std::string &name, const std::string &source,
                        const TensorRef &tensor) {
      if (dumpStatus)
        dumpStatus = dump->write(name, tensor, source);
    });
  }
  session.setProfiling(!options.profileFile.empty() || options.simulate);
  report.latencyMs.reserve(options.loop);
  for (unsigned i = 0; i < options.loop; ++i) {
    double begin = nowMs();
    Status status = session.run();
    report.latencyMs.push_back(nowMs() - begin);
    if (!status)
      return status;
    if (i == 0 && dump) {
      session.setDump({});
      if (!dumpStatus)
        return dumpStatus;
      if (Status list = dump->finish("tensors.json"); !list)
        return list;
    }
  }
  return Status::success();
}

static Status writeOutputs(const Session &session, const Options &options) {
  if (options.outputFolder.empty())
    return Status::success();
  Expected<TensorFolder> folder =
      TensorFolder::create(options.outputFolder, options.format);
  if (!folder)
    return folder.status();
  const Plan &plan = session.model().plan();
  for (size_t i = 0; i < plan.outputs.size(); ++i) {
    Expected<const TensorRef *> tensor = session.output(i);
    if (!tensor)
      return tensor.status();
    if (Status status = folder->write(plan.outputs[i].name, **tensor); !status)
      return status;
  }
  return folder->finish("outputs.json");
}

static void addDeviceTime(const Session &session, Report &report) {
  for (const ProfileRecord &record : session.profile().records())
    if (record.cycles != 0) {
      report.deviceCycles += record.cycles;
      report.deviceMs += record.durationNs / 1e6;
    }
  report.deviceCycles /= report.latencyMs.size();
  report.deviceMs /= report.latencyMs.size();
}

static Status finishProfile(const Session &session, const Options &options) {
  if (options.profileFile.empty())
    return Status::success();
  if (Status status = writeFileAtomically(options.profileFile,
                                          session.profile().traceJson(),
                                          AtomicFile::Durability::Cached);
      !status)
    return status;
  if (!options.quiet)
    fmt::print("{}", session.profile().table());
  return Status::success();
}

static Status setInputs(Session &session, const Options &options) {
  Expected<std::vector<HostArray>> arrays =
      collectInputs(inputPorts(session.model().plan()), options);
  if (!arrays)
    return arrays.status();
  for (size_t i = 0; i < arrays->size(); ++i) {
    const HostArray &array = (*arrays)[i];
    if (Status status =
            session.setInput(i, array.bytes.data(), array.bytes.size(),
                             array.shape.data(), array.shape.size());
        !status)
      return status;
  }
  return Status::success();
}

static Status runModel(const Options &options) {
  Report report;
  double begin = nowMs();
  Expected<std::shared_ptr<const LoadedModel>> model =
      LoadedModel::open(options.model, {options.verify, options.resident});
  if (!model)
    return model.status();
  SessionOptions sessionOptions;
  sessionOptions.device =
      options.simulate ? DeviceKind::Simulator : DeviceKind::Cpu;
  sessionOptions.threads =
      options.threads ? options.threads : ThreadPool::hardwareThreads();
  sessionOptions.strictSimulation = options.strict;
  Expected<std::unique_ptr<Session>> session =
      Session::create(*model, sessionOptions);
  if (!session)
    return session.status();
  report.loadMs = nowMs() - begin;
  report.threads = options.simulate ? 1 : sessionOptions.threads;

  if (!options.quiet)
    printModel(**model);
  if (Status status = setInputs(**session, options); !status)
    return status;
  if (Status status = runSeries(**session, options, report); !status)
    return status;
  if (Status status = writeOutputs(**session, options); !status)
    return status;
  if (options.simulate)
    addDeviceTime(**session, report);
  if (Status status = finishProfile(**session, options); !status)
    return status;
  report.memory = (*session)->memoryInfo();
  if (!options.quiet)
    fmt::print("{}", report.text());
  if (options.json)
    fmt::print("{}\n", report.json());
  return Status::success();
}

int main(int argc, char **argv) {
  try {
    std::string help;
    Expected<Options> options = parseOptions(argc, argv, help);
    Status status = options.status();
    if (!help.empty()) {
      fmt::print("{}", help);
      return 0;
    }
    if (status)
      status = runModel(*options);
    // What a full disk or a closed pipe swallowed is an error too.
    if (status && std::fflush(stdout) != 0)
      status = Status::error(ErrorCode::FileUnwritable,
                             "the standard output cannot be written");
    if (status)
      return 0;
    std::fflush(stdout);
    fmt::print(stderr, "{}", status.getDiagnostic().render());
  } catch (const std::bad_alloc &) {
    std::fputs("E20004: out of memory\n", stderr);
  } catch (const std::exception &error) {
    std::fprintf(stderr, "E19999: %s\n", error.what());
  }
  return failureExit;
}
