// An engine that does not answer, for a while or for ever.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "middleware/core/middleware.h"
#include "middleware/pools/worker_pool.h"
#include "tests/middleware/support.h"

namespace pmtwin::middleware {
namespace {

using namespace std::chrono_literals;
using testing::Door;
using testing::ScriptedEngine;
using ::testing::Each;
using ::testing::HasSubstr;

// Keeps what asks for "stuck" behind a door.
std::shared_ptr<Engine> engine_with(Door& door) {
  return std::make_shared<ScriptedEngine>([&door](std::string_view key) {
    if (key == "stuck") door.pass();
  });
}

struct StuckEngine : ::testing::TestWithParam<std::string> {
  StuckEngine() { middleware.start(engine_with(door), 1, 2); }
  ~StuckEngine() override { door.open(); }

  Request& submit(std::string_view key, Mode mode = Mode::kInteractive) {
    Request& request = requests[used++];
    request.key = key;
    request.mode = mode;
    middleware.submit(request);
    return request;
  }

  Door door;
  std::array<Request, 8> requests;
  std::size_t used = 0;
  Middleware middleware{{.queue = GetParam(), .window = 0ns}};
};
INSTANTIATE_TEST_SUITE_P(Queues, StuckEngine, ::testing::ValuesIn(queue_names()), [](const auto& o) { return o.param; });

TEST_P(StuckEngine, AStopWithAnEndTellsWhoDidNotComeBackAndRefusesWhatHadNotBegun) {
  Request& stuck = submit("stuck");
  Request& behind = submit("behind");
  door.wait_for(1);
  const Stopped stopped = middleware.stop(20ms);
  EXPECT_FALSE(stopped.complete);
  EXPECT_EQ(stopped.unanswered, 1u);
  ASSERT_EQ(stopped.busy.size(), 1u);
  EXPECT_EQ(stopped.busy[0].mode, Mode::kInteractive);
  EXPECT_GE(stopped.busy[0].inside_for, 20ms);
  EXPECT_THAT(describe(stopped), HasSubstr("1 requests in the engine: interactive worker "));
  EXPECT_EQ(middleware.wait(behind), Status::kStopped);
  EXPECT_EQ(middleware.put("key", "value", Mode::kBatch), Status::kStopped);
  EXPECT_THROW(middleware.perform_action(1), InputError);
  EXPECT_THROW(middleware.start(engine_with(door), 1, 1), InputError);

  door.open();
  EXPECT_EQ(middleware.wait(stuck), Status::kOk);  // a late answer is an answer
  EXPECT_TRUE(middleware.stop(60s).complete);
  EXPECT_EQ(middleware.get_stats().completed, 1u);
  middleware.start(engine_with(door), 1, 1);
  EXPECT_EQ(middleware.put("key", "value", Mode::kBatch), Status::kOk);
}

TEST_P(StuckEngine, AnswersHeldBackByAStuckWorkerAreDeliveredAtTheEndOfAStop) {
  Door first;
  Middleware one({.queue = GetParam(), .window = 0ns});
  one.start(std::make_shared<ScriptedEngine>([&](std::string_view key) {
    if (key == "first") first.pass();
    if (key == "stuck") door.pass();
  }), 1, 1);
  std::array<Request, 3> three;
  const char* const keys[] = {"first", "done", "stuck"};
  for (std::size_t i = 0; i < three.size(); ++i) {
    three[i].key = keys[i];
    one.submit(three[i]);
  }
  first.wait_for(1);
  first.open();
  door.wait_for(1);
  EXPECT_EQ(one.stop(0ns).unanswered, 1u);
  EXPECT_EQ(one.wait(three[0]), Status::kOk);
  EXPECT_EQ(one.wait(three[1]), Status::kOk);
  door.open();
  EXPECT_EQ(one.wait(three[2]), Status::kOk);
}

TEST_P(StuckEngine, AStopOfNothingIsCompleteAtOnce) {
  EXPECT_EQ(middleware.put("key", "value", Mode::kBatch), Status::kOk);
  EXPECT_TRUE(middleware.stop(0ns).complete || middleware.stop(60s).complete);  // its answer may still be counted
  EXPECT_TRUE(middleware.stop(0ns).complete);
  EXPECT_TRUE(middleware.abandon().complete);
}

// Counts answers, each with the status that it had.
struct Answers {
  static void add(Request& request, void* context) noexcept {
    Answers& self = *static_cast<Answers*>(context);
    ++(request.status == Status::kStopped ? self.refused : self.given);
  }
  std::atomic<int> refused = 0, given = 0;
};

TEST_P(StuckEngine, WhatWasAbandonedIsNeverAnswered) {
  Answers answers;
  for (Request& request : requests) {
    request.on_answer = &Answers::add;
    request.context = &answers;
    request.key = "stuck";
    request.mode = Mode::kBatch;
    middleware.submit(request);
  }
  door.wait_for(2);
  EXPECT_EQ(middleware.abandon().busy.size(), 2u);
  EXPECT_EQ(answers.refused, 6);
  EXPECT_EQ(middleware.outstanding(), 0u);
  EXPECT_FALSE(middleware.settle(1ms));
  door.open();
  EXPECT_TRUE(middleware.settle(60s));
  EXPECT_EQ(answers.given, 0);
  middleware.start(engine_with(door), 1, 1);  // for all workers have come back
}

TEST_P(StuckEngine, AResizeCanBeWaitedForWithAnEnd) {
  submit("stuck", Mode::kBatch);
  submit("stuck", Mode::kBatch);
  door.wait_for(2);
  middleware.resize({1, 1}, Settling::kGoOn);
  EXPECT_FALSE(middleware.settle(1ms));
  door.open();
  EXPECT_TRUE(middleware.settle(60s));
}

// In a process of its own, which must end.
using StuckEngineDeathTest = StuckEngine;
INSTANTIATE_TEST_SUITE_P(Queues, StuckEngineDeathTest, ::testing::ValuesIn(queue_names()),
                         [](const auto& o) { return o.param; });

[[noreturn]] void end_over_an_engine_that_never_answers(const std::string& queue, bool direct) {
  static Door door;
  static Request request;
  {
    Middleware middleware({.queue = queue, .direct = direct, .patience = 20ms});
    middleware.start(std::make_shared<ScriptedEngine>([](std::string_view) { door.pass(); }), 2, 2);
    if (direct) {
      std::thread([&middleware] { middleware.submit(request); }).detach();
    } else {
      middleware.submit(request);
    }
    door.wait_for(1);
  }
  std::exit(7);  // by way of all that a process does at its end
}

TEST_P(StuckEngineDeathTest, AProcessEndsAndSaysWhatItLeftBehind) {
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(end_over_an_engine_that_never_answers(GetParam(), false), ::testing::ExitedWithCode(7),
              "a middleware has ended before its engine: 1 requests in the engine: interactive worker ");
}

TEST(DirectDeathTest, AProcessWithoutMiddlewareEndsToo) {
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(end_over_an_engine_that_never_answers("mutex", true), ::testing::ExitedWithCode(7),
              "a middleware has ended before its engine: 1 requests in the engine; its threads");
}

}  // namespace
}  // namespace pmtwin::middleware
