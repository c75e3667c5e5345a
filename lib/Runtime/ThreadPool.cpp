// Static partition, spinning, futexes.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Runtime/ThreadPool.h"

#include <algorithm>
#include <climits>
#include <linux/futex.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <system_error>
#include <thread>
#include <unistd.h>

namespace atc {

/// A worker sleeps on its own ticket, which the dispatcher raises to hand out a
/// part. Nobody but the workers of a launch is disturbed by it.
struct alignas(64) ThreadPool::Worker {
  std::atomic<uint32_t> ticket{0};
  std::atomic<bool> asleep{false};
};

static_assert(sizeof(std::atomic<uint32_t>) == sizeof(uint32_t) &&
                  std::atomic<uint32_t>::is_always_lock_free,
              "a futex is a plain 32-bit word");

static void futexWait(std::atomic<uint32_t> &word, uint32_t expected) {
  ::syscall(SYS_futex, reinterpret_cast<uint32_t *>(&word), FUTEX_WAIT_PRIVATE,
            expected, nullptr, nullptr, 0);
}

static void futexWake(std::atomic<uint32_t> &word) {
  ::syscall(SYS_futex, reinterpret_cast<uint32_t *>(&word), FUTEX_WAKE_PRIVATE,
            INT_MAX, nullptr, nullptr, 0);
}

static inline void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

/// About half a millisecond: longer than the gaps between launches, shorter
/// than what anybody would notice as load after the last one.
static constexpr int patientSpins = 20000;
/// With more threads than processors, who spins keeps another from working.
static constexpr int crowdedSpins = 50;

/// How often the system took a processor away from one of our threads.
static long involuntarySwitches() {
  struct rusage usage;
  return ::getrusage(RUSAGE_SELF, &usage) == 0 ? usage.ru_nivcsw : 0;
}

ThreadPool::ThreadPool()
    : patience(patientSpins), processors(hardwareThreads()) {}

ThreadPool &ThreadPool::shared() {
  // Never destroyed: at exit, threads of the program may still be in run().
  static ThreadPool *pool = new ThreadPool();
  return *pool;
}

unsigned ThreadPool::hardwareThreads() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (::sched_getaffinity(0, sizeof(set), &set) == 0)
    return std::max(1, CPU_COUNT(&set));
  // More processors than cpu_set_t holds.
  return std::max(1u, std::thread::hardware_concurrency());
}

Status ThreadPool::reserve(unsigned threads) {
  std::lock_guard<std::mutex> lock(mutex);
  while (workers.size() + 1 < threads) {
    auto worker = std::make_unique<Worker>();
    unsigned part = workers.size() + 1;
    try {
      std::thread([this, part, &worker = *worker] {
        workerMain(worker, part);
      }).detach();
    } catch (const std::system_error &error) {
      return Status::error(ErrorCode::OutOfMemory,
                           "cannot start thread " + std::to_string(part + 1) +
                               ": " + error.what());
    }
    workers.push_back(std::move(worker));
  }
  return Status::success();
}

void ThreadPool::workerMain(Worker &worker, unsigned part) {
  uint32_t seen = 0;
  for (;;) {
    int spins = 0;
    while (worker.ticket.load(std::memory_order_acquire) == seen) {
      if (spins++ < spinLimit.load(std::memory_order_relaxed)) {
        pause();
        continue;
      }
      // Sequentially consistent on both sides: either the dispatcher sees that
      // this thread is asleep, or this thread sees the new ticket.
      worker.asleep.store(true);
      if (worker.ticket.load() == seen)
        futexWait(worker.ticket, seen);
      worker.asleep.store(false);
    }
    ++seen;
    job.task(job.context, part, job.parts);
    if (pending.fetch_sub(1) == 1 && callerAsleep.load())
      futexWake(pending);
  }
}

void ThreadPool::wake(Worker &worker) {
  worker.ticket.fetch_add(1);
  if (worker.asleep.load())
    futexWake(worker.ticket);
}

void ThreadPool::run(unsigned parts, Task task, void *context) {
  if (parts <= 1) {
    task(context, 0, 1);
    return;
  }
  std::lock_guard<std::mutex> lock(mutex);
  assert(parts <= workers.size() + 1 && "expects reserve()");
  job.task = task;
  job.context = context;
  job.parts = parts;
  pending.store(parts - 1, std::memory_order_relaxed);
  spinLimit.store(parts > processors ? crowdedSpins : patience,
                  std::memory_order_relaxed);
  for (unsigned part = 1; part < parts; ++part)
    wake(*workers[part - 1]);
  task(context, 0, parts);
  awaitWorkers();
}

void ThreadPool::awaitWorkers() {
  int spins = 0;
  while (uint32_t left = pending.load(std::memory_order_acquire)) {
    if (spins++ < spinLimit.load(std::memory_order_relaxed)) {
      pause();
      continue;
    }
    // The same handshake as a worker's: the last to finish sees this flag, or
    // this thread sees that all have finished.
    callerAsleep.store(true);
    if (pending.load() == left)
      futexWait(pending, left);
    callerAsleep.store(false);
  }
  // Patience pays only where threads have processors to themselves. A wait that
  // outlasts it is either an uneven launch or a worker that lost its processor
  // to another process; the system knows which.
  if (spins <= patience) {
    patience = std::min(patientSpins, patience + patience / 16 + 1);
    return;
  }
  long switches = involuntarySwitches();
  if (switches != lastSwitches)
    patience = std::max(crowdedSpins, patience / 2);
  lastSwitches = switches;
}

} // namespace atc
