// Real and virtual time, with made-up times.
#include "middleware/emulation/pace.h"

#include <gtest/gtest.h>

namespace pmtwin::emulation {
namespace {

using namespace std::chrono_literals;

constexpr Pace::Time kOrigin{1000s};

TEST(Pace, VirtualTimePassesSlowerByTheDilation) {
  const Pace pace(10, 1ms, kOrigin);
  EXPECT_EQ(pace.due(5e6), kOrigin + 50ms);
  EXPECT_DOUBLE_EQ(pace.virtual_at(kOrigin + 50ms), 5e6);
  EXPECT_EQ(pace.virtual_at(kOrigin - 1s), 0.0);
}

TEST(Pace, ALatenessBeyondTheSlackMakesAllLaterEventsLater) {
  Pace pace(10, 1ms, kOrigin);
  pace.happened(1e6, kOrigin + 10ms + 1ms);  // within the slack
  EXPECT_EQ(pace.slipped(), 0ns);
  pace.happened(2e6, kOrigin + 20ms + 5ms);
  EXPECT_EQ(pace.slipped(), 4ms);
  EXPECT_EQ(pace.due(3e6), kOrigin + 30ms + 4ms);
  EXPECT_EQ(pace.take_most_lag(), 5ms);
  EXPECT_EQ(pace.take_most_lag(), 0ms);
}

TEST(Pace, APauseMakesEventsLaterByAsMuchAndIsNoSlip) {
  Pace pace(10, 1ms, kOrigin);
  EXPECT_EQ(pace.unpaused(kOrigin + 5ms), kOrigin + 5ms);
  pace.pause(kOrigin + 5ms);
  pace.pause(kOrigin + 6ms);
  EXPECT_EQ(pace.unpaused(kOrigin + 7ms), kOrigin + 5ms);
  pace.resume(kOrigin + 8ms);
  pace.resume(kOrigin + 9ms);
  EXPECT_EQ(pace.unpaused(kOrigin + 9ms), kOrigin + 6ms);
  EXPECT_EQ(pace.due(1e6), kOrigin + 13ms);
  pace.happened(1e6, kOrigin + 14ms);
  EXPECT_EQ(pace.slipped(), 0ns);
}

}  // namespace
}  // namespace pmtwin::emulation
