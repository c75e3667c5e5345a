// Executes the body of a plan.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_LIB_RUNTIME_EXECUTOR_H
#define ATC_LIB_RUNTIME_EXECUTOR_H

#include "Program.h"
#include "SessionMemory.h"
#include "SessionPorts.h"

#include "atc/Runtime/Device.h"
#include "atc/Runtime/Session.h"

namespace atc {

/// Interprets instructions on the registers and memory of one session. Nothing
/// is allocated while it runs, but for failures, profiles and dumps.
class Executor {
public:
  Executor(const LoadedModel &model, SessionMemory &memory, SessionPorts &ports,
           ScalarRegisters &registers, Device *device);

  /// Says that addresses or sizes have changed since the last run.
  void invalidate() { isStale = true; }
  Status run();

  uint64_t staticScratchBytes() const { return program.staticScratchBytes; }

  /// Where to record launches, or null.
  Profile *profile = nullptr;
  DumpFunction dump;

private:
  /// What a launch is given beside operands and scalars.
  struct LaunchValues {
    int64_t tileCount = 0;
    uint64_t scratchBytes = 0;
    uint64_t flops = 0;
    uint64_t bytes = 0;
    bool isResolved = false;
  };

  Status resolveLaunch(const LaunchInstruction &launch,
                       const Program::Step &step);
  void resolveEarlyLaunches();
  Status step(uint32_t &position);

  Status execute(const LaunchInstruction &op, const Program::Step &step,
                 const std::string &source);
  Status execute(const HostCallInstruction &op, const std::string &source);
  Status execute(const CopyInstruction &op);
  Status execute(const FillInstruction &op);
  Status execute(const ZeroHaloInstruction &op);
  Status execute(const LoadScalarInstruction &op);
  Status execute(const StoreScalarInstruction &op);
  Status execute(const AllocateInstruction &op);
  Status execute(const FreeInstruction &op);

  Status resolve(uint32_t view, TensorRef &tensor) const;
  /// Address of one element of an integer view.
  Expected<uint8_t *> element(uint32_t view, const std::vector<PlanInt> &index,
                              TensorRef &tensor) const;
  Status dumpWritten(const PlanInstruction &instruction);
  Status dumpView(uint32_t view, const std::string &source);

  const LoadedModel &model;
  const Plan &plan;
  SessionMemory &memory;
  SessionPorts &ports;
  ScalarRegisters &registers;
  Device *device;
  Program program;

  /// Resolved operands, scalars and values of all launches, see Program::Step.
  std::vector<void *> addresses;
  std::vector<LaunchArguments::Extent> extents;
  std::vector<int64_t> scalars;
  std::vector<LaunchValues> launchValues;
  bool isStale = true;

  /// Room for one host call.
  std::vector<TensorRef> hostTensors;
  std::vector<int64_t> hostScalars, hostResults;
};

} // namespace atc

#endif // ATC_LIB_RUNTIME_EXECUTOR_H
