#include "native_probe/clock.h"

#include <gtest/gtest.h>
#include <time.h>

#include <algorithm>
#include <cmath>

namespace pmtwin::probe {
namespace {

double monotonic_s() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

TEST(Clock, TicksAgreeWithTheKernelsClock) {
  const Clock clock = measure_clock();
  // Over a stretch of its own; of several tries the best, since a pause of the test between the two clocks is an error
  // of the test.
  double best = 1.0;
  for (int attempt = 0; attempt < 5; ++attempt) {
    const double before_s = monotonic_s();
    const std::uint64_t begin = stamp_begin();
    while (ticks_now() - begin < clock.ticks(0.02)) {
    }
    const std::uint64_t ticks = stamp_end() - begin;
    const double elapsed_s = monotonic_s() - before_s;
    best = std::min(best, std::abs(clock.ns(static_cast<double>(ticks)) * 1e-9 / elapsed_s - 1.0));
  }
  EXPECT_LT(best, 1e-3);
}

TEST(Clock, SecondsToTicksAndBack) {
  Clock clock;
  clock.tick_ns = 0.5;
  EXPECT_EQ(clock.ticks(1e-6), 2000u);
  EXPECT_DOUBLE_EQ(clock.ns(2000.0), 1000.0);
}

TEST(Clock, OverheadIsThatOfAPairOfStamps) {
  const Clock clock = measure_clock();
  EXPECT_GT(clock.overhead_ticks, 0u);
  EXPECT_GE(clock.fenced_overhead_ticks, clock.overhead_ticks);
  EXPECT_GT(clock.offset_cost_ns, 0.0);
  // What is left of nothing when the overhead is taken off: half of all pairs take at most the median.
  int above = 0;
  for (int i = 0; i < 1000; ++i) {
    const std::uint64_t begin = stamp_begin();
    above += stamp_end() - begin > 3 * clock.overhead_ticks;
  }
  EXPECT_LT(above, 100);
}

TEST(Clock, StampsNeverGoBack) {
  std::uint64_t last = stamp_begin();
  for (int i = 0; i < 10'000; ++i) {
    const std::uint64_t next = stamp_end();
    ASSERT_GE(next, last);
    last = next;
  }
}

}  // namespace
}  // namespace pmtwin::probe
