// What is left when the kernel has no thread to give.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <pthread.h>

#include <atomic>
#include <cerrno>
#include <system_error>

#include "middleware/core/middleware.h"
#include "middleware/engines/map_engine.h"
#include "middleware/pools/worker_threads.h"
#include "native/common/placement.h"

namespace {

constexpr int kNoLimit = 1 << 30;
std::atomic<int> threads_left = kNoLimit;
std::atomic<bool> processors_gone = false;

}  // namespace

// In the place of the library's, for this whole program: EAGAIN once the threads are used up.
extern "C" int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*run)(void*), void* of) {
  static const auto create = reinterpret_cast<decltype(&pthread_create)>(dlsym(RTLD_NEXT, "pthread_create"));
  if (threads_left.load() != kNoLimit && threads_left.fetch_sub(1) <= 0) return EAGAIN;
  return create(thread, attributes, run, of);
}

// Likewise: EINVAL while the processors are offline, or taken from this process.
extern "C" int pthread_setaffinity_np(pthread_t thread, std::size_t bytes, const cpu_set_t* cpus) noexcept {
  static const auto set = reinterpret_cast<decltype(&pthread_setaffinity_np)>(dlsym(RTLD_NEXT, "pthread_setaffinity_np"));
  return processors_gone ? EINVAL : set(thread, bytes, cpus);
}

namespace pmtwin::middleware {
namespace {

struct OnlyThreads {
  explicit OnlyThreads(int count) { threads_left = count; }
  ~OnlyThreads() { threads_left = kNoLimit; }
};

TEST(ThreadFailure, AGroupOfThreadsThatCannotGrowIsAsBeforeAndEnds) {
  WorkerThreads* self = nullptr;
  WorkerThreads threads([&self](std::size_t) {
    while (!self->may_leave()) std::this_thread::yield();
  }, {}, false);
  self = &threads;
  threads.set_wanted(2);
  {
    const OnlyThreads limit(3);
    EXPECT_THROW(threads.set_wanted(8), std::system_error);
  }
  threads.settle();  // no more than two are at work
  threads.set_wanted(8);
  threads.set_wanted(0);
  threads.settle();
}

TEST(ThreadFailure, AStartWithoutThreadsStartsNothingAndCanBeRepeated) {
  const auto store = std::make_shared<MapEngine>();
  Middleware middleware;
  for (const int threads : {0, 1, 3, 7}) {  // the monitoring's is the first
    const OnlyThreads limit(threads);
    EXPECT_THROW(middleware.start(store, 16, 16), std::system_error) << threads;
    EXPECT_EQ(middleware.put("key", "value", Mode::kBatch), Status::kStopped);
    EXPECT_EQ(store.use_count(), 1);
  }
  middleware.start(store, 16, 16);
  EXPECT_EQ(middleware.put("key", "value", Mode::kBatch), Status::kOk);
}

TEST(ThreadFailure, WorkersWhoseProcessorsAreGoneSinceAreAnErrorAndNotPutElsewhere) {
  const std::vector<int> cpus = allowed_cpus();
  Middleware middleware({.cpus = {cpus, cpus}});
  middleware.start(std::make_shared<MapEngine>(), 3, 2);
  processors_gone = true;
  EXPECT_THROW(middleware.resize({4, 4}), std::system_error);
  EXPECT_EQ(middleware.pools(), (Pools{3, 2}));
  EXPECT_EQ(middleware.put("key", "value", Mode::kInteractive), Status::kOk);
  middleware.resize({1, 1});
  middleware.resize({3, 2});  // of threads that are there, on their processors
  processors_gone = false;
  middleware.resize({4, 4});
  EXPECT_EQ(middleware.put("key", "value", Mode::kBatch), Status::kOk);
}

TEST(ThreadFailure, AResizeWithoutThreadsLeavesBothPoolsAsTheyWere) {
  Middleware middleware;
  middleware.start(std::make_shared<MapEngine>(), 3, 2);
  for (const int threads : {0, 2, 6}) {
    const OnlyThreads limit(threads);
    EXPECT_THROW(middleware.resize({16, 16}), std::system_error) << threads;
    EXPECT_EQ(middleware.pools(), (Pools{3, 2}));
    EXPECT_EQ(middleware.put("key", "value", Mode::kInteractive), Status::kOk);
  }
  middleware.resize({16, 16});
  EXPECT_EQ(middleware.pools(), (Pools{16, 16}));
}

}  // namespace
}  // namespace pmtwin::middleware
