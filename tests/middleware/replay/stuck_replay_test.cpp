// The end of a replay over a store that does not answer, for a while or for ever, and under a middleware that stops.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <thread>

#include "middleware/engines/map_engine.h"
#include "native/common/errors.h"
#include "tests/middleware/replay/system.h"
#include "tests/middleware/support.h"

namespace pmtwin::replay {
namespace {

using middleware::testing::Door;
using middleware::testing::ScriptedEngine;
using namespace std::chrono_literals;
using ::testing::Each;
using ::testing::HasSubstr;

constexpr int kClients = 6;
constexpr int kStuck = 2;  // workers of a class, or threads of clients

// Lets a trace be prepared, and keeps what follows behind the door.
struct Stuck {
  explicit Stuck(bool direct, std::chrono::nanoseconds patience = 20ms)
      : system(std::make_shared<ScriptedEngine>([this](std::string_view) {
          if (shut) door.pass();
        }), kStuck, {.direct = direct, .window = 0ns, .patience = patience}, kStuck) {
    system.replay->set_class(Mode::kInteractive, kClients, true);
    system.append(Mode::kInteractive, gets(100));
    shut = true;
    EXPECT_THROW(system.replay->run(100, {0, 0}, {100ms}), Stalled);
    door.wait_for(kStuck);
  }

  Door door;
  std::atomic<bool> shut = false;
  System system;
};

struct StuckReplay : ::testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(Access, StuckReplay, ::testing::Bool(),
                         [](const auto& of) { return of.param ? "Direct" : "Queued"; });

TEST_P(StuckReplay, WhatTheStoreGivesBackAfterTheReplayIsGoneFindsNobodyAndHarmsNothing) {
  Stuck stuck(GetParam());
  stuck.system.replay.reset();
  EXPECT_EQ(stuck.door.inside(), kStuck);
  stuck.door.open();
  while (stuck.door.inside() > 0 || stuck.system.core.outstanding() > 0) std::this_thread::yield();
}

TEST_P(StuckReplay, AStoreThatComesBackInTimeIsWaitedFor) {
  Stuck stuck(GetParam(), 10min);
  stuck.door.open();
  stuck.system.replay.reset();
  EXPECT_EQ(stuck.door.inside(), 0);
  EXPECT_TRUE(stuck.system.core.stop(60s).complete);
}

[[noreturn]] void end_over_a_store_that_never_answers(bool direct) {
  static Stuck& stuck = *new Stuck(direct);
  stuck.system.~System();
  std::exit(7);  // by way of all that a process does at its end
}

using StuckReplayDeathTest = StuckReplay;
INSTANTIATE_TEST_SUITE_P(Access, StuckReplayDeathTest, ::testing::Bool(),
                         [](const auto& of) { return of.param ? "Direct" : "Queued"; });

TEST_P(StuckReplayDeathTest, AProcessEndsAndSaysWhatItLeftBehind) {
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(end_over_a_store_that_never_answers(GetParam()), ::testing::ExitedWithCode(7),
              "a middleware has ended before its engine: 2 requests in the engine");
}

class StoppedReplay : public ::testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(Access, StoppedReplay, ::testing::Bool(),
                         [](const auto& of) { return of.param ? "Direct" : "Queued"; });

TEST_P(StoppedReplay, AWindowUnderAMiddlewareThatStopsEndsAtOnceAndTheNextBeginsAnewWhenItRunsAgain) {
  const auto store = std::make_shared<middleware::MapEngine>();
  System system(store, 2, {.direct = GetParam(), .window = 0ns}, 2);
  system.replay->set_class(Mode::kInteractive, kClients, true);
  system.append(Mode::kInteractive, gets(1'000));
  system.core.stop();
  try {
    system.run(500, 0);
    ADD_FAILURE() << "a window without a middleware";
  } catch (const Stalled& error) {
    EXPECT_THAT(error.what(), HasSubstr("was stopped"));
  }
  while (system.replay->outstanding()[0] > 0) std::this_thread::yield();
  EXPECT_GE(system.replay->ahead(Mode::kInteractive), 1'000u - kClients);  // nobody has asked twice
  system.core.start(store, 2, 2);
  const Window window = system.run(500, 0);
  EXPECT_EQ(window.failed, 0u);
  EXPECT_EQ(window.latency_ns.size(), 500u);
}

TEST(WindowReplayInput, FewerClientsThanNoneAreRefused) {
  System system(std::make_shared<middleware::MapEngine>());
  try {
    system.replay->set_class(Mode::kBatch, -5, false);
    ADD_FAILURE() << "-5 clients";
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "clients: '-5' is not accepted; allowed: 0 or more");
  }
}

}  // namespace
}  // namespace pmtwin::replay
