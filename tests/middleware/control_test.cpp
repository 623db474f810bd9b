// What may happen at the same time as a resize or a stop.
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <thread>

#include "middleware/core/middleware.h"
#include "tests/middleware/support.h"

namespace pmtwin::middleware {
namespace {

using testing::Door;
using testing::ScriptedEngine;

TEST(Control, AResizeThatWaitsForALongOperationHoldsUpNeitherStatisticsNorAnotherResize) {
  Door door;
  Middleware middleware({.window = std::chrono::nanoseconds(0)});
  middleware.start(std::make_shared<ScriptedEngine>([&door](std::string_view) { door.pass(); }), 4, 1);
  std::array<Request, 4> requests;
  for (Request& request : requests) {
    request.key = "key";
    middleware.submit(request);
  }
  door.wait_for(4);
  std::jthread shrinks([&middleware] { middleware.resize({1, 1}); });
  while (middleware.pools() != Pools{1, 1}) std::this_thread::yield();
  EXPECT_EQ(middleware.get_state().interactive_threads, 1);
  EXPECT_EQ(middleware.get_stats().completed, 0u);
  EXPECT_EQ(middleware.close_window().completed, 0u);
  middleware.resize({4, 1});  // nobody is too many any more
  shrinks.join();
  EXPECT_EQ(door.inside(), 4);
  door.open();
  for (Request& request : requests) EXPECT_EQ(middleware.wait(request), Status::kOk);
}

TEST(Control, AnActionThatMeetsAStopIsDoneOrRefused) {
  for (int round = 0; round < 30; ++round) {
    Middleware middleware({.window = std::chrono::nanoseconds(0)});
    middleware.start(std::make_shared<ScriptedEngine>([](std::string_view) {}), 1, 1);
    std::atomic<int> done = 0;
    std::jthread acts([&] {
      try {
        for (;; ++done) middleware.perform_action(5 + 3 * (done % 2));  // both pools by one more, or one less
      } catch (const InputError& error) {
        EXPECT_STREQ(error.what(), "resize: 'not running' is not accepted; allowed: start() first");
      }
    });
    while (done < 5) std::this_thread::yield();
    middleware.stop();
    EXPECT_EQ(middleware.outstanding(), 0u);
  }
}

// Real time, of which the client's thread learns for as long as the door is closed.
class SlowToLearn final : public Clock {
 public:
  Nanoseconds now() const override { return steady_clock().now(); }
  void learn(Nanoseconds) const override {
    if (std::this_thread::get_id() == client) door->pass();
  }
  void sleep_until(Nanoseconds stamp) const override { steady_clock().sleep_until(stamp); }

  Door* door = nullptr;
  std::atomic<std::thread::id> client;
};

class WithClock final : public ScriptedEngine {
 public:
  WithClock() : ScriptedEngine([](std::string_view) {}) {}
  const Clock& clock() const override { return own; }
  SlowToLearn own;
};

TEST(Control, AStopLeavesTheEngineInPlaceForAClientThatLearnsOfItsAnswer) {
  Door door;
  Middleware middleware;
  auto engine = std::make_shared<WithClock>();
  engine->own.door = &door;
  WithClock& there = *engine;
  const std::weak_ptr<WithClock> kept = engine;
  middleware.start(std::move(engine), 1, 1);
  std::jthread client([&] {
    there.own.client = std::this_thread::get_id();
    EXPECT_EQ(middleware.put("key", "value", Mode::kInteractive), Status::kOk);
  });
  door.wait_for(1);
  std::jthread stops([&middleware] { middleware.stop(); });
  while (middleware.put("key", "value", Mode::kBatch) != Status::kStopped) {
  }
  EXPECT_FALSE(middleware.stop(std::chrono::nanoseconds(0)).complete);
  EXPECT_FALSE(kept.expired());
  door.open();
  stops.join();
  EXPECT_TRUE(kept.expired());
}

}  // namespace
}  // namespace pmtwin::middleware
