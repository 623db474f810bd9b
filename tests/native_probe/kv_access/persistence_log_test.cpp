#include "native_probe/kv_access/persistence_log.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

namespace {

using pmtwin::probe::PersistenceCall;
using pmtwin::probe::PersistenceLog;
using Kind = PersistenceCall::Kind;

TEST(PersistenceLog, KeepsTheCallsOfItsLifetimeInOrder) {
  const char target[64] = {};
  PersistenceLog::add(Kind::fence, nullptr, 0);  // nobody listens
  PersistenceLog log;
  PersistenceLog::add(Kind::flush, target, 64);
  PersistenceLog::add(Kind::fence, nullptr, 0);
  ASSERT_EQ(log.calls().size(), 2u);
  EXPECT_EQ(log.calls()[0].kind, Kind::flush);
  EXPECT_EQ(log.calls()[0].address, target);
  EXPECT_EQ(log.calls()[1].kind, Kind::fence);
  log.clear();
  EXPECT_TRUE(log.calls().empty());
}

TEST(PersistenceLog, ThreadsWriteDownTheirOwnCallsOnly) {
  constexpr std::uint64_t kThreads = 4, kCalls = 1000;
  std::atomic<std::uint64_t> ready{0}, strange{0}, kept{0};
  std::vector<std::thread> threads;
  for (std::uint64_t own = 1; own <= kThreads; ++own) {
    threads.emplace_back([&, own] {
      PersistenceLog log;
      ++ready;
      while (ready < kThreads) std::this_thread::yield();
      for (std::uint64_t call = 0; call < kCalls; ++call) PersistenceLog::add(Kind::flush, nullptr, own);
      for (const PersistenceCall& call : log.calls()) strange += call.bytes != own;
      kept += log.calls().size();
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(strange, 0u);
  EXPECT_EQ(kept, kThreads * kCalls);
}

}  // namespace
