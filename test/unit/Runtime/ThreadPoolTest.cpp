// The pool calls every part once and wakes who sleeps.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Runtime/ThreadPool.h"

#include <atomic>
#include <chrono>
#include <gtest/gtest.h>
#include <thread>

using atc::ThreadPool;

namespace {
struct Calls {
  std::atomic<int> counts[8] = {};
  std::thread::id threads[8];

  static void task(void *context, unsigned part, unsigned parts) {
    auto &calls = *static_cast<Calls *>(context);
    ++calls.counts[part];
    calls.threads[part] = std::this_thread::get_id();
  }
};
} // namespace

TEST(ThreadPool, EachPartIsCalledOnce) {
  ThreadPool &pool = ThreadPool::shared();
  ASSERT_TRUE(pool.reserve(4).ok());
  for (unsigned parts = 1; parts <= 4; ++parts) {
    Calls calls;
    pool.run(parts, Calls::task, &calls);
    for (unsigned part = 0; part < 8; ++part)
      EXPECT_EQ(calls.counts[part], part < parts ? 1 : 0);
    EXPECT_EQ(calls.threads[0], std::this_thread::get_id());
  }
}

TEST(ThreadPool, PartsStayOnTheirThreads) {
  ThreadPool &pool = ThreadPool::shared();
  ASSERT_TRUE(pool.reserve(3).ok());
  Calls first, second;
  pool.run(3, Calls::task, &first);
  pool.run(2, Calls::task, &second);
  pool.run(3, Calls::task, &second);
  for (unsigned part = 0; part < 3; ++part)
    EXPECT_EQ(first.threads[part], second.threads[part]);
  EXPECT_NE(first.threads[1], first.threads[2]);
}

TEST(ThreadPool, SleepingWorkersAreWoken) {
  ThreadPool &pool = ThreadPool::shared();
  ASSERT_TRUE(pool.reserve(2).ok());
  for (int round = 0; round < 20; ++round) {
    Calls calls;
    pool.run(2, Calls::task, &calls);
    EXPECT_EQ(calls.counts[1], 1);
    // Around the time that a worker goes to sleep, and well behind it.
    std::this_thread::sleep_for(std::chrono::microseconds(100 << (round % 8)));
  }
}

TEST(ThreadPool, ManyDispatchesInARow) {
  ThreadPool &pool = ThreadPool::shared();
  ASSERT_TRUE(pool.reserve(2).ok());
  Calls calls;
  for (int round = 0; round < 20000; ++round)
    pool.run(2, Calls::task, &calls);
  EXPECT_EQ(calls.counts[0], 20000);
  EXPECT_EQ(calls.counts[1], 20000);
}

TEST(ThreadPool, ConcurrentCallersQueue) {
  ThreadPool &pool = ThreadPool::shared();
  ASSERT_TRUE(pool.reserve(3).ok());
  std::atomic<int> wrong{0};
  auto caller = [&] {
    for (int round = 0; round < 500; ++round) {
      Calls calls;
      pool.run(3, Calls::task, &calls);
      for (unsigned part = 0; part < 3; ++part)
        wrong += calls.counts[part] != 1;
    }
  };
  std::thread other(caller);
  caller();
  other.join();
  EXPECT_EQ(wrong, 0);
}
