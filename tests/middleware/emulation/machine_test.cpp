// Real threads in virtual time: stamps are exact however late the real machine lets threads run.
#include "middleware/emulation/machine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <numeric>
#include <thread>
#include <type_traits>

#include "middleware/core/middleware.h"
#include "middleware/emulation/emulated_engine.h"
#include "middleware/engines/map_engine.h"
#include "native/common/errors.h"
#include "tests/middleware/emulation/tables.h"
#include "tests/middleware/support.h"

namespace pmtwin::emulation {
namespace {

using middleware::Mode;
using middleware::Nanoseconds;
using middleware::Request;
using middleware::testing::ScriptedEngine;
using namespace std::chrono_literals;

// A request takes 110 us alone, 10 of them on the processors.
constexpr SimpleTable kTable{.software = 10'000, .device = 100'000};

std::shared_ptr<Machine> make_machine(const SimpleTable& table, double dilation = 10) {
  return std::make_shared<Machine>(simple_table(table), MachineOptions{.dilation = dilation});
}

// Real time since its making, in ns: more passed than any part of it that a test looks at.
class Stopwatch {
 public:
  Nanoseconds passed() const { return middleware::steady_clock().now() - begin_; }

 private:
  const Nanoseconds begin_ = middleware::steady_clock().now();
};

// Returns when an event has happened that another machine, of undilated time, had so many ns from now: whoever calls it
// is late by at least that, as a thread is that has lost its processor.
void be_late(std::chrono::nanoseconds real) {
  std::atomic<bool> there = false;
  Machine other(simple_table(kTable), MachineOptions{.dilation = 1});
  other.call_at(static_cast<double>(real.count()), [&] {
    there = true;
    there.notify_all();
  });
  there.wait(false);
}

// Clients that say when they leave, so that virtual time can wait for them without end: however late a loaded machine
// lets them run, the stamps are exact.
struct System {
  template <class Engine = EmulatedEngine>
  explicit System(const SimpleTable& table, int workers, bool direct = false, std::type_identity<Engine> = {})
      : machine(std::make_shared<Machine>(
            simple_table(table), MachineOptions{.dilation = 10, .patience = 10min, .client_patience = 10min})) {
    core.emplace(middleware::Options{.direct = direct, .window = 0ns});
    machine->pause();
    const auto store = std::make_shared<ScriptedEngine>([this](std::string_view) { ++begun; });
    core->start(std::make_shared<Engine>(store, machine), workers, 1);
  }

  // Clients that each make `requests` requests, one after the other, each at the instant of the last one's answer; their
  // latencies.
  std::vector<Nanoseconds> run(int clients, int requests, bool really_late = false) {
    std::vector<Nanoseconds> latencies(clients * requests);
    std::vector<std::thread> threads;
    std::latch began(clients);  // all of them ask at virtual time 0
    for (int i = 0; i < clients; ++i) {
      threads.emplace_back([&, i] {
        Nanoseconds last = -1;
        for (int j = 0; j < requests; ++j) {
          Request request;
          request.key = "key";
          request.number = static_cast<std::uint64_t>(i);
          core->submit(request);
          if (j == 0 && !core->options().direct) began.count_down();
          core->wait(request);
          latencies[i * requests + j] = request.completed - request.submitted;
          EXPECT_TRUE(last < 0 || request.submitted == last) << request.submitted << " after " << last;
          last = request.completed;
          if (really_late) be_late(3ms);
        }
        machine->leave();
      });
    }
    if (core->options().direct) {  // they do it themselves, and are not back before time goes on
      while (begun < clients) std::this_thread::yield();
    } else {
      began.wait();
    }
    machine->resume();
    for (std::thread& thread : threads) thread.join();
    return latencies;
  }

  std::atomic<int> begun = 0;  // operations of the store
  std::shared_ptr<Machine> machine;
  std::optional<middleware::Middleware> core;
};

TEST(Machine, ASleeperWakesAtItsTime) {
  const auto machine = make_machine(kTable);
  for (Nanoseconds until : {5'000, 1'000'000, 1'000'001}) {
    machine->clock().sleep_until(until);
    EXPECT_EQ(machine->clock().now(), until);
  }
}

TEST(Machine, TimePassesWhileNobodyActs) {
  const Stopwatch all;
  const auto machine = make_machine(kTable, 2);
  const Nanoseconds begin = machine->clock().now();
  Nanoseconds end = begin;
  while (end - begin < 4'000'000) end = machine->clock().now();
  EXPECT_LE(2 * (end - begin), all.passed());
}

TEST(Machine, TimeStandsStillWhilePaused) {
  const auto machine = make_machine(kTable, 1);
  machine->pause();
  std::atomic<bool> called = false;
  machine->call_at(machine->now() + 1'000, [&] { called = true; });
  be_late(10ms);
  EXPECT_FALSE(called);
  machine->resume();
  while (!called) std::this_thread::yield();
}

// However short it is, and whether or not the machine's own thread has noticed it.
TEST(Machine, APauseIsNoTimeThatPassed) {
  const auto machine = make_machine(kTable, 1);
  const Stopwatch all;
  const Nanoseconds begin = machine->clock().now();
  machine->pause();
  be_late(5ms);
  machine->resume();
  const Nanoseconds passed = machine->clock().now() - begin;
  EXPECT_LE(passed, all.passed() - 5'000'000);
}

TEST(Machine, APauseIsNoSlip) {
  const Stopwatch all;
  const auto machine = make_machine(kTable, 1);
  std::atomic<bool> called = false;
  machine->pause();
  machine->pause();
  machine->call_at(machine->now() + 1'000, [&] { called = true; });
  machine->resume();
  be_late(5ms);
  machine->resume();
  while (!called) std::this_thread::yield();
  const MachineReport report = machine->report();
  const auto most = 1e-9 * static_cast<double>(all.passed() - 5'000'000);
  EXPECT_LE(report.slipped_real_s, most);
  EXPECT_LE(report.waited_real_s, most);
}

TEST(Machine, OneClientWaitsForProcessorsAndDevice) {
  System system(kTable, 2);
  EXPECT_THAT(system.run(1, 20), testing::Each(110'000));
}

TEST(Machine, ClientsOfOneWorkerWaitForEachOther) {
  System system(kTable, 1);
  auto latencies = system.run(2, 20);
  std::sort(latencies.begin(), latencies.end());
  EXPECT_EQ(latencies.front(), 110'000);  // only the first finds the worker idle
  EXPECT_THAT(std::vector(latencies.begin() + 1, latencies.end()), testing::Each(220'000));
}

// The second client's thread loses its processor after a request has its stamp, and before it is queued.
class LateToTheQueue final : public EmulatedEngine {
 public:
  using EmulatedEngine::EmulatedEngine;

 private:
  void submitted(Request& request) override {
    EmulatedEngine::submitted(request);
    if (request.number == 1) be_late(3ms);
  }
};

TEST(Machine, NoRequestIsOvertakenOnItsWayToTheQueue) {
  System system(kTable, 1, false, std::type_identity<LateToTheQueue>());
  auto latencies = system.run(2, 20);
  EXPECT_EQ(std::count(latencies.begin(), latencies.end(), 220'000), 39);
}

TEST(Machine, StampsAreExactHoweverLateTheClientsThreadsAre) {
  System system({.software = 10'000, .device = 100'000, .client_wakeup = 0}, 1);
  const auto latencies = system.run(1, 10, true);  // late by 3 ms, which is almost three requests
  EXPECT_THAT(latencies, testing::Each(110'000));
  const MachineReport report = system.machine->report();
  EXPECT_EQ(report.late, 0u);
  EXPECT_GT(report.waited_real_s, 0.02);
}

TEST(Machine, AClientThatIsNotHeardOfIsGivenUp) {
  const auto machine = make_machine(kTable);
  machine->clock().sleep_until(1'000);  // from now on it acts, and does not say that it leaves
  std::atomic<bool> called = false;
  machine->call_at(2'000, [&] { called = true; });
  while (!called) std::this_thread::yield();
  EXPECT_EQ(machine->report().unheard, 1u);
}

TEST(Machine, AClientThatLeavesIsNotWaitedFor) {
  const auto machine = std::make_shared<Machine>(simple_table(kTable), MachineOptions{.client_patience = 10min});
  machine->clock().sleep_until(1'000);
  machine->leave();
  std::atomic<bool> called = false;
  machine->call_at(2'000, [&] { called = true; });
  while (!called) std::this_thread::yield();
  EXPECT_EQ(machine->report().unheard, 0u);
}

// Two new workers take waiting requests at one instant. Each request's work on the processors grows with the workers
// that are busy as it starts, and with its random number: the requests must start in the order of their submission.
TEST(Machine, WorkersThatStartAtOneInstantStartInTheOrderOfTheirRequests) {
  for (const char* late : {"first", "second"}) {
    ServiceTable table = simple_table(kTable);
    table.host.polls = false;
    table.host.kv_factor = {1, 1, 3, 5, 7, 9, 11, 13, 15};
    std::iota(table.noise.cpu.begin(), table.noise.cpu.end(), 2e4);
    for (double& factor : table.noise.cpu) factor *= 5e-5;
    const auto machine = std::make_shared<Machine>(table, MachineOptions{.dilation = 100});
    const auto draws = [&](int i) { return draw(table, 0, table.kinds[0].demand[0], machine->options().keys[0], i); };
    ASSERT_NE(draws(0).cpu_noise, draws(1).cpu_noise);
    machine->pause();
    middleware::Middleware core({.window = 0ns});
    std::atomic<int> begun = 0;
    const auto store = std::make_shared<ScriptedEngine>([&](std::string_view key) {
      ++begun;
      if (key != late) return;  // the worker that took the other is held up
      while (begun < 2) std::this_thread::yield();
      be_late(5ms);
    });
    core.start(std::make_shared<EmulatedEngine>(store, machine), 2, 1);
    std::array<Request, 2> requests;
    requests[0].key = "first";
    requests[1].key = "second";
    for (Request& request : requests) {
      request.number = static_cast<std::uint64_t>(&request - requests.data());
      core.submit(request);
    }
    machine->resume();
    for (Request& request : requests) core.wait(request);
    // The first is alone on the device until the second comes; then both go on at half speed until the first ends.
    const double first = 10'000 * draws(0).cpu_noise, second = 30'000 * draws(1).cpu_noise;
    ASSERT_LT(first, second);
    const double both = 100'000 - (second - first);
    EXPECT_NEAR(static_cast<double>(requests[0].completed), second + 2 * both, 1) << late;
    EXPECT_NEAR(static_cast<double>(requests[1].completed), second + 100'000 + both, 1) << late;
  }
}

TEST(Machine, WithoutMiddlewareClientsDoItThemselves) {
  System system({.software = 10'000, .device = 100'000, .direct = true}, 1, true);
  EXPECT_THAT(system.run(2, 10), testing::Each(210'000));  // both begin at one instant and share the device
  EXPECT_EQ(system.machine->report().gave_up, 0u);
}

TEST(Machine, ThreadsOfWhichNobodyTellsShareTheDevice) {
  const auto machine = make_machine(kTable);
  const auto store = std::make_shared<middleware::MapEngine>();
  EmulatedEngine engine(store, machine);
  EXPECT_EQ(engine.put("key", "other"), middleware::Status::kRefused);  // the table has no writes
  EXPECT_EQ(store->put("key", "value"), middleware::Status::kOk);
  std::array<char, 8> room;
  std::size_t bytes = 0;
  const Nanoseconds begin = engine.clock().now();
  EXPECT_EQ(engine.get("key", room, bytes), middleware::Status::kOk);
  EXPECT_GE(engine.clock().now() - begin, 110'000);  // time goes on when it has come back
  EXPECT_EQ(bytes, 5u);
}

TEST(Machine, PoolsBeyondTheTableAreRefused) {
  System system({.workers = 2, .hardware_threads = 8}, 2);
  EXPECT_THROW(system.core->resize({3, 1}), InputError);
  EXPECT_EQ(system.core->pools(), (middleware::Pools{2, 1}));
  system.machine->resume();
}

TEST(Machine, ResizesUnderLoadKeepEveryRequest) {
  System system({.software = 1'000, .device = 10'000}, 1);
  std::thread resizer([&] {
    for (int i = 0; i < 60; ++i) system.core->resize({1 + i % 4, 1}, middleware::Settling::kGoOn);
  });
  const auto latencies = system.run(8, 50);
  resizer.join();
  EXPECT_THAT(latencies, testing::Each(testing::Ge(11'000)));
  EXPECT_EQ(system.machine->report().gave_up, 0u);
}

TEST(Machine, OperationsThatTakeLongerInTruthAreCounted) {
  const auto machine = make_machine(kTable, 10);  // 1.1 ms
  EmulatedEngine engine(std::make_shared<ScriptedEngine>([](std::string_view) { be_late(5ms); }), machine);
  std::size_t bytes = 0;
  engine.get("key", {}, bytes);
  EXPECT_EQ(machine->report().overruns, 1u);
}

TEST(Machine, DilationsThatMakeNoSenseAreRefused) {
  for (const double dilation : {0.0, -1.0, 0.5, 1e7, std::nan("")}) {
    EXPECT_THROW(make_machine(kTable, dilation), InputError) << dilation;
  }
}

}  // namespace
}  // namespace pmtwin::emulation
