#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "middleware/pools/worker_threads.h"
#include "middleware/pools/worker_pool.h"
#include "native/common/errors.h"
#include "tests/middleware/support.h"

namespace pmtwin::middleware {
namespace {

struct EveryPool : ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Queues, EveryPool, ::testing::ValuesIn(queue_names()), [](const auto& o) { return o.param; });

TEST_P(EveryPool, AsManyRequestsAreInProgressAsThereAreWorkers) {
  testing::Door door;
  std::atomic<int> served = 0;
  PoolTasks tasks{[&](Request&, std::size_t, bool) { door.pass(); ++served; return false; }, [](std::size_t) {}, [] {}, {}, false};
  std::vector<Request> requests(40);
  const auto pool = make_pool(GetParam(), std::move(tasks));
  pool->resize(3);
  for (Request& request : requests) pool->push(request);
  door.wait_for(3);
  EXPECT_EQ(pool->queue_length(), 37u);
  pool->resize(8);
  door.wait_for(8);
  EXPECT_EQ(pool->queue_length(), 32u);
  EXPECT_EQ(door.inside(), 8);
  door.open();
  while (served < 40) std::this_thread::yield();
}

TEST_P(EveryPool, AShrinkLetsTheRunningOperationsFinishAndNoMoreBegin) {
  testing::Door door;
  std::atomic<int> served = 0;
  PoolTasks tasks{[&](Request&, std::size_t, bool) { door.pass(); ++served; return false; }, [](std::size_t) {}, [] {}, {}, false};
  std::vector<Request> requests(10);
  const auto pool = make_pool(GetParam(), std::move(tasks));
  pool->resize(6);
  for (Request& request : requests) pool->push(request);
  door.wait_for(6);
  pool->resize(0);  // all may finish, none may begin another
  std::jthread opener([&] { door.open(); });
  pool->settle();
  EXPECT_EQ(served, 6);
  EXPECT_EQ(pool->queue_length(), 4u);
  pool->resize(1);
  while (served < 10) std::this_thread::yield();
}

TEST_P(EveryPool, IdleWorkersLeaveAtOnceAndTellThatTheyAreIdle) {
  std::atomic<int> idle = 0;
  const auto pool = make_pool(GetParam(), {[](Request&, std::size_t, bool) { return false; }, [](std::size_t) {}, [&] { ++idle; }, {}, false});
  pool->resize(32);
  pool->resize(2);
  pool->settle();
  EXPECT_GE(idle, 30);
  pool->resize(0);
  pool->settle();
  EXPECT_GE(idle, 32);
}

TEST(WorkerPool, ListsTheQueuesForAnUnknownName) {
  try {
    make_pool("stack", {});
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("handoff"), std::string::npos);
  }
}

TEST(WorkerThreads, NeverHasMoreAtWorkThanWanted) {
  std::atomic<int> working = 0, most = 0;
  std::atomic<WorkerThreads*> self = nullptr;
  WorkerThreads threads([&](std::size_t) {
    const int now = ++working;
    for (int seen = most; now > seen && !most.compare_exchange_weak(seen, now);) {
    }
    self.wait(nullptr);
    while (!self.load()->may_leave()) std::this_thread::yield();
    --working;
  }, {}, false);
  self = &threads;
  self.notify_all();
  for (int round = 0; round < 200; ++round) {
    threads.set_wanted(round % 2 == 0 ? 7 : 1);
    if (round % 3 == 0) threads.settle();
  }
  threads.set_wanted(7);
  while (working < 7) std::this_thread::yield();  // all come in, however busy the machine is
  threads.set_wanted(0);
  threads.settle();
  EXPECT_EQ(working, 0);
  EXPECT_LE(most, 7 + 6);  // who leaves counts here a moment longer than inside
}

}  // namespace
}  // namespace pmtwin::middleware
