// One pool of threads for all launches of the process.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_RUNTIME_THREADPOOL_H
#define ATC_RUNTIME_THREADPOOL_H

#include "atc/Support/Diagnostic.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace atc {

/// Runs the parts of one task on several threads. The caller is one of them.
/// Part p of n always goes to the same thread, so data that a thread touched in
/// one launch is in its cache in the next. Workers wait by spinning for a short
/// time and then sleep; a dispatch to awake workers costs half a microsecond.
/// Concurrent callers queue.
class ThreadPool {
public:
  /// Runs part `part` of `parts`; must not throw.
  using Task = void (*)(void *context, unsigned part, unsigned parts);

  /// The process's pool. It is never destroyed: its threads sleep until the
  /// process ends.
  static ThreadPool &shared();

  /// Processors that this process may use.
  static unsigned hardwareThreads();

  /// Makes sure that run() can use `threads` threads, the caller's among them.
  /// Fails with OutOfMemory if the system gives no more threads.
  Status reserve(unsigned threads);

  /// Calls task(context, 0 .. parts - 1), each part on a thread of its own, and
  /// returns when all are done. `parts` must have been reserved. Allocates
  /// nothing.
  void run(unsigned parts, Task task, void *context);

private:
  ThreadPool();
  struct Worker;
  void workerMain(Worker &worker, unsigned part);
  static void wake(Worker &worker);
  void awaitWorkers();

  /// What the current parts do; written before the workers' tickets.
  struct {
    Task task = nullptr;
    void *context = nullptr;
    unsigned parts = 0;
  } job;
  /// Parts that workers have not finished.
  alignas(64) std::atomic<uint32_t> pending{0};
  std::atomic<bool> callerAsleep{false};
  /// How long to spin before sleeping, in the current run.
  std::atomic<int> spinLimit{0};
  /// The same for the next run, and what it was derived from.
  int patience;
  long lastSwitches = 0;
  unsigned processors;
  std::mutex mutex;
  std::vector<std::unique_ptr<Worker>> workers;
};

} // namespace atc

#endif // ATC_RUNTIME_THREADPOOL_H
