#include "middleware/core/periodically.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <thread>
#include <vector>

namespace pmtwin::middleware {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;
using Time = steady_clock::time_point;

TEST(Periodically, LateTimesAreMadeUpForUnlessThatLeavesLessThanHalfAPeriod) {
  const Time due = Time(milliseconds(1000));
  const auto next = [&](int now) { return next_due(due, Time(milliseconds(now)), milliseconds(100)); };
  EXPECT_EQ(next(1000), Time(milliseconds(1100)));
  EXPECT_EQ(next(1050), Time(milliseconds(1100)));
  EXPECT_EQ(next(1051), Time(milliseconds(1151)));
  EXPECT_EQ(next(1099), Time(milliseconds(1199)));
  EXPECT_EQ(next(9000), Time(milliseconds(9100)));
}

TEST(Periodically, NothingComesInABurstAfterATaskThatTookLong) {
  constexpr auto kPeriod = milliseconds(2);
  std::atomic<int> count = 0;
  std::vector<Time> begins, ends;
  Periodically task(kPeriod, [&] {
    begins.push_back(steady_clock::now());
    while (begins.size() == 1 && steady_clock::now() < begins[0] + 10 * kPeriod) std::this_thread::yield();
    ends.push_back(steady_clock::now());
    ++count;
    count.notify_all();
  });
  for (int seen = count; seen < 6; seen = count) count.wait(seen);
  task.end();
  for (std::size_t i = 1; i < begins.size(); ++i) EXPECT_GE(begins[i] - ends[i - 1], kPeriod / 2);
}

TEST(Periodically, EndsAtOnceInALongPeriodAndOnlyOnce) {
  Periodically task(std::chrono::hours(10), [] {});
  task.end();
  task.end();
}

TEST(Periodically, AnExceptionEndsItAndIsThrownByEnd) {
  std::atomic<int> count = 0;
  Periodically task(milliseconds(1), [&] {
    ++count;
    count.notify_all();
    throw std::runtime_error("task");
  });
  count.wait(0);
  EXPECT_THROW(task.end(), std::runtime_error);
  task.end();
  EXPECT_EQ(count, 1);
}

}  // namespace
}  // namespace pmtwin::middleware
