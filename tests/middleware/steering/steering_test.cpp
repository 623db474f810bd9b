#include "middleware/steering/steering.h"

#include <gtest/gtest.h>

#include <atomic>

#include "middleware/engines/map_engine.h"
#include "native/common/errors.h"
#include "tests/middleware/support.h"

namespace pmtwin::steering {
namespace {

using middleware::MapEngine;
using middleware::Middleware;
using middleware::Mode;
using middleware::Pools;
using middleware::State;
using middleware::WindowStats;

// Says always the same, and keeps count.
class Always final : public policy::Policy {
 public:
  Always(policy::Choice choice, std::atomic<int>& asked, bool direct = false)
      : choice_(choice), asked_(asked), direct_(direct) {}
  std::optional<Pools> start() override { return Pools{5, 6}; }
  policy::Choice act(const State&, const std::optional<WindowStats>& last) override {
    EXPECT_TRUE(last);
    ++asked_;
    asked_.notify_all();
    return choice_;
  }
  bool direct() const override { return direct_; }

 private:
  const policy::Choice choice_;
  std::atomic<int>& asked_;
  const bool direct_;
};

struct Steered : testing::Test {
  Steered() { middleware.start(std::make_shared<MapEngine>(), 2, 2); }
  void answer() { ASSERT_EQ(middleware.put("key", "value", Mode::kBatch), middleware::Status::kOk); }
  std::unique_ptr<policy::Policy> always(policy::Choice choice, bool direct = false) {
    return std::make_unique<Always>(choice, asked, direct);
  }

  std::atomic<int> asked = 0;
  Middleware middleware{{.window = std::chrono::nanoseconds(0)}};
};

TEST_F(Steered, BeginsWithThePoliciesPoolsAndActsOnEachWindow) {
  answer();
  Steering steering(middleware, always(6));
  EXPECT_EQ(middleware.pools(), (Pools{5, 6}));
  for (int window = 1; window <= 3; ++window) {
    answer();
    const auto done = steering.step();
    ASSERT_TRUE(done);
    EXPECT_EQ(done->window.completed, 1u);
    EXPECT_EQ(done->state.interactive_threads, 4 + window);  // that the policy saw
    EXPECT_EQ(done->choice, policy::Choice(6));
    EXPECT_EQ(done->pools, (Pools{5 + window, 6 - window}));
    EXPECT_EQ(middleware.pools(), done->pools);
  }
}

TEST_F(Steered, JumpsToPools) {
  Steering steering(middleware, always(Pools{20, 3}));
  answer();
  const auto done = steering.step();
  ASSERT_TRUE(done);
  EXPECT_EQ(done->pools, (Pools{20, 3}));
  EXPECT_EQ(middleware.pools(), (Pools{20, 3}));
}

TEST_F(Steered, AWindowWithoutAnswersIsNoReasonToAct) {
  answer();  // before the run
  Steering steering(middleware, always(1));
  EXPECT_FALSE(steering.step());
  EXPECT_EQ(asked, 0);
  EXPECT_EQ(middleware.pools(), (Pools{5, 6}));
}

TEST(Steering, AWindowInWhichRequestsOnlyWaitedIsAReasonToAct) {
  middleware::testing::Door door;
  Middleware stalled({.window = std::chrono::nanoseconds(0)});
  stalled.start(std::make_shared<middleware::testing::ScriptedEngine>([&](std::string_view) { door.pass(); }), 2, 2);
  std::atomic<int> asked = 0;
  Steering steering(stalled, std::make_unique<Always>(1, asked));
  std::vector<middleware::Request> requests(8);  // for 5 workers
  for (middleware::Request& request : requests) stalled.submit(request);
  door.wait_for(5);
  steering.step();
  const auto done = steering.step();
  ASSERT_TRUE(done);
  EXPECT_EQ(done->window.completed, 0u);
  EXPECT_GT(done->state.interactive_queue_size, 0.0);
  EXPECT_EQ(done->pools, (Pools{7, 6}));
  door.open();
  for (middleware::Request& request : requests) stalled.wait(request);
}

TEST_F(Steered, AThreadOfItsOwnActsUntilItIsStopped) {
  Steering steering(middleware, always(1));
  for (int round = 1; round <= 2; ++round) {
    steering.start(std::chrono::microseconds(200));
    EXPECT_THROW(steering.start(std::chrono::seconds(1)), InputError);
    for (const int before = asked; asked < before + 3;) answer();
    steering.stop();
    const int after = asked;
    const Pools pools = middleware.pools();
    answer();
    EXPECT_EQ(asked, after);
    EXPECT_EQ(middleware.pools(), pools);
  }
}

TEST_F(Steered, StopEndsALongPeriodAtOnceAndTheDestructorStops) {
  Steering steering(middleware, always(0));
  steering.start(std::chrono::hours(10));
  steering.stop();
  steering.stop();
  steering.start(std::chrono::hours(10));
}

TEST_F(Steered, WhatFailsInItsThreadIsThrownByStop) {
  Steering steering(middleware, always(9));  // no action
  steering.start(std::chrono::microseconds(200));
  while (asked == 0) answer();
  EXPECT_THROW(steering.stop(), InputError);
  steering.stop();
  middleware.stop();
  EXPECT_THROW(steering.step(), InputError);
}

TEST_F(Steered, WhatCannotBeSteeredIsAnErrorThatNamesIt) {
  EXPECT_THROW(Steering(middleware, nullptr), InputError);
  EXPECT_THROW(Steering(middleware, always(0, true)), InputError);
  Middleware own_windows;
  own_windows.start(std::make_shared<MapEngine>(), 2, 2);
  EXPECT_THROW(Steering(own_windows, always(0)), InputError);
  Middleware idle({.window = std::chrono::nanoseconds(0)});
  EXPECT_THROW(Steering(idle, always(0)), InputError);
  EXPECT_THROW(Steering(middleware, always(0)).start(std::chrono::seconds(0)), InputError);
}

}  // namespace
}  // namespace pmtwin::steering
