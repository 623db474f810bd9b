#include "middleware/numa_load/counted_threads.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <numeric>
#include <thread>

#include "middleware/engines/registry.h"

namespace pmtwin::middleware {
namespace {

void ask(CountedThreads& counted, Operation operation, int times) {
  std::vector<char> room(64);
  for (int time = 0; time < times; ++time) {
    Request request;
    request.operation = operation;
    request.key = "key";
    request.value = "value";
    request.target = room;
    counted.ask(request);
    ASSERT_EQ(request.status, Status::kOk);
  }
}

class Counted : public ::testing::TestWithParam<bool> {
 protected:
  // all processors are far, or none is
  static std::vector<int> far() {
    std::vector<int> cpus(GetParam() ? 4096 : 0);
    std::iota(cpus.begin(), cpus.end(), 0);
    return cpus;
  }

  std::shared_ptr<Engine> engine_ = make_engine("map");
  CountedThreads counted_{*engine_, FarAccess(far(), {1.0, 1.0}, thread_cpu_ns)};
};

TEST_P(Counted, EachThreadWithItsNumberByDistanceAndOperation) {
  ask(counted_, Operation::kPut, 3);
  pid_t other = 0;
  std::thread([&] {
    other = gettid();
    ask(counted_, Operation::kGet, 2);
  }).join();
  const auto threads = counted_.threads();
  const std::size_t side = GetParam() ? 1 : 0;
  ASSERT_EQ(threads.size(), 2u);
  EXPECT_EQ(threads[0].id, gettid());
  EXPECT_GT(threads[0].cpu_ns, 0u);
  EXPECT_LE(threads[0].cpu_ns, thread_cpu_ns());
  EXPECT_EQ(threads[0].done[side], (std::array<std::uint64_t, 2>{0, 3}));
  EXPECT_EQ(threads[1].id, other);
  EXPECT_EQ(threads[1].done[side], (std::array<std::uint64_t, 2>{2, 0}));
  for (const auto& thread : threads) EXPECT_EQ(thread.done[1 - side], (std::array<std::uint64_t, 2>{0, 0}));
}

TEST_P(Counted, TimesAreToldOnce) {
  ask(counted_, Operation::kPut, 3);
  EXPECT_EQ(counted_.take_latency_ns().count(), 3u);
  ask(counted_, Operation::kGet, 1);
  EXPECT_EQ(counted_.take_latency_ns().count(), 1u);
}

INSTANTIATE_TEST_SUITE_P(NearAndFar, Counted, ::testing::Bool());

}  // namespace
}  // namespace pmtwin::middleware
