// Windows that do not end by themselves; that the others are the twin's is tested in Python.
#include "middleware/emulation/replay_clients.h"

#include <gtest/gtest.h>

#include "middleware/emulation/emulated_engine.h"
#include "middleware/engines/map_engine.h"
#include "tests/middleware/emulation/tables.h"
#include "tests/middleware/support.h"

namespace pmtwin::emulation {
namespace {

using namespace std::chrono_literals;
using middleware::testing::Door;
using middleware::testing::ScriptedEngine;

struct Replay {
  explicit Replay(std::shared_ptr<middleware::Engine> store, std::chrono::nanoseconds patience = 10s)
      : machine(std::make_shared<Machine>(simple_table({.software = 10'000, .device = 100'000}),
                                          MachineOptions{.dilation = 2, .patience = 20ms})),
        core({.window = 0ns, .patience = patience}) {
    machine->pause();
    core.start(std::make_shared<EmulatedEngine>(std::move(store), machine), 2, 2);
    clients.emplace(core, *machine);
  }
  ~Replay() {
    clients.reset();
    machine->resume();
  }

  std::shared_ptr<Machine> machine;
  middleware::Middleware core;
  std::optional<ReplayClients> clients;
};

constexpr WindowPlan kEndless{.completions = std::uint64_t{1} << 60};

TEST(ReplayClients, AWindowIsLeftWhenItsUserIsInterruptedAndTheNextOneIsWhole) {
  const auto store = std::make_shared<middleware::MapEngine>();
  fill_store(*store, simple_table());
  Replay replay(store);
  for (int round = 0; round < 2; ++round) {
    EXPECT_FALSE(replay.clients->run_window(kEndless, {60s, [] { return true; }}));
    const auto window = replay.clients->run_window({.completions = 20}, {60s});
    ASSERT_TRUE(window);
    EXPECT_EQ(window->latency_ns[0].size() + window->latency_ns[1].size(), 20u);
    EXPECT_EQ(window->failed, 0u);
  }
}

TEST(ReplayClients, AWindowWhoseRequestsAreNotAnsweredIsAnErrorThatSaysHowMany) {
  Door door;
  Replay replay(std::make_shared<ScriptedEngine>([&door](std::string_view) { door.pass(); }));
  try {
    replay.clients->run_window(kEndless, {200ms});
    FAIL();
  } catch (const middleware::Stalled& error) {
    EXPECT_STREQ(error.what(), "no request was answered for 200 ms; 16 are in the middleware");
  }
  door.open();
}

TEST(ReplayClients, EndsOverAStoreThatNeverAnswers) {
  static Door door;  // behind which two threads stay until the process ends
  std::weak_ptr<middleware::Engine> store;
  {
    const auto stuck = std::make_shared<ScriptedEngine>([](std::string_view) { door.pass(); });
    store = stuck;
    Replay replay(stuck, 50ms);
    EXPECT_THROW(replay.clients->run_window(kEndless, {50ms}), middleware::Stalled);
    replay.clients.reset();
    EXPECT_EQ(replay.core.outstanding(), 0u);  // what waited in the queues was refused
  }
  EXPECT_FALSE(store.expired());
}

TEST(ReplayClients, LongGapsOfATraceAreNoStall) {
  const auto store = std::make_shared<middleware::MapEngine>();
  auto text = simple_table_text({});
  for (auto& load : text["classes"]) {
    load["closed"] = false;
    load["gaps_ns"] = std::vector<double>(1025, 200e6);  // 400 ms in truth
  }
  fill_store(*store, parse_service_table(text));
  Replay replay(store);
  replay.machine->settle();
  replay.machine->use(std::make_shared<ServiceTable>(parse_service_table(text)), 2);
  replay.clients->begin_phase();
  EXPECT_TRUE(replay.clients->run_window({1, {1, 0}}, {100ms}));
}

}  // namespace
}  // namespace pmtwin::emulation
