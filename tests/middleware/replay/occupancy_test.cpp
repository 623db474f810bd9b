// The two sides of Little's law.
#include "middleware/replay/occupancy.h"

#include <gtest/gtest.h>

#include <cmath>

namespace pmtwin::replay {
namespace {

TEST(Occupancy, OfARequestOnlyItsTimeInsideTheWindowCounts) {
  Occupancy occupancy;
  occupancy.begin(0);
  occupancy.entered(60);  // ends in the next window
  occupancy.entered(10);
  occupancy.left(10, 40);
  EXPECT_DOUBLE_EQ(occupancy.stamped(100), (30.0 + 40.0) / 100.0);
  occupancy.begin(100);
  occupancy.entered(150);
  occupancy.left(60, 120);
  EXPECT_DOUBLE_EQ(occupancy.stamped(200), (20.0 + 50.0) / 100.0);
  occupancy.begin(200);  // one has been inside all along
  EXPECT_DOUBLE_EQ(occupancy.stamped(300), 1.0);
}

TEST(Occupancy, BothSidesAgreeWhereEveryRequestIsAnswered) {
  Occupancy occupancy;
  occupancy.begin(0);
  occupancy.look(10, 0);
  occupancy.entered(10);
  occupancy.look(30, 1);
  occupancy.entered(30);
  occupancy.look(70, 2);
  occupancy.left(10, 70);
  EXPECT_DOUBLE_EQ(occupancy.counted(), occupancy.stamped(70));
}

TEST(Occupancy, ARequestThatIsLostIsOnOneSideAlone) {
  Occupancy occupancy;
  occupancy.begin(0);
  occupancy.look(100, 5);  // nobody who is counted here has asked for them
  EXPECT_DOUBLE_EQ(occupancy.counted(), 5.0);
  EXPECT_DOUBLE_EQ(occupancy.stamped(100), 0.0);
}

TEST(Occupancy, KnowsNothingBeforeTimeHasPassed) {
  Occupancy occupancy;
  occupancy.begin(7);
  EXPECT_TRUE(std::isnan(occupancy.counted()));
  EXPECT_TRUE(std::isnan(occupancy.stamped(7)));
}

}  // namespace
}  // namespace pmtwin::replay
