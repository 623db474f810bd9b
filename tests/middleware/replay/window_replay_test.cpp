// Windows of a trace over the real middleware: what is asked, when, and which window it counts for.
#include "middleware/replay/window_replay.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <set>
#include <thread>

#include "middleware/engines/map_engine.h"
#include "tests/middleware/replay/system.h"
#include "tests/middleware/support.h"

namespace pmtwin::replay {
namespace {

using middleware::Middleware;
using middleware::Status;
using namespace std::chrono_literals;
using ::testing::Each;

// Virtual time that passes where somebody sleeps, and nowhere else.
class SleepersClock : public middleware::Clock {
 public:
  Nanoseconds now() const override { return now_; }
  void sleep_until(Nanoseconds stamp) const override {
    for (Nanoseconds now = now_; now < stamp && !now_.compare_exchange_weak(now, stamp);) {
    }
  }

 private:
  mutable std::atomic<Nanoseconds> now_ = 5'000;
};

struct Done {
  std::string key;
  std::size_t bytes;
  bool is_write;
  Nanoseconds at;
};

// Keeps values, and writes down what was asked of it and when.
class Store final : public middleware::MapEngine {
 public:
  explicit Store(const middleware::Clock& clock = middleware::steady_clock(), std::function<void()> before_get = [] {})
      : clock_(clock), before_get_(std::move(before_get)) {}

  Status get(std::string_view key, std::span<char> target, std::size_t& bytes) noexcept override {
    before_get_();
    const Status status = MapEngine::get(key, target, bytes);
    note({std::string(key), bytes, false, clock_.now()});
    return status;
  }
  Status put(std::string_view key, std::string_view value) noexcept override {
    note({std::string(key), value.size(), true, clock_.now()});
    return MapEngine::put(key, value);
  }
  const middleware::Clock& clock() const override { return clock_; }

  std::vector<Done> take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(done_, {});
  }

 private:
  void note(Done one) {
    const std::lock_guard lock(mutex_);
    done_.push_back(std::move(one));
  }

  const middleware::Clock& clock_;
  const std::function<void()> before_get_;
  std::mutex mutex_;
  std::vector<Done> done_;
};

TEST(WindowReplay, InVirtualTimeRequestsGoOutExactlyWhenTheTraceSays) {
  const SleepersClock clock;
  const auto store = std::make_shared<Store>(clock);
  System system(store);
  system.replay->set_class(Mode::kInteractive, 1, false);  // with two, one would sleep, and pass time, while one works
  std::vector<Offered> trace;
  for (int i = 1; i <= 20; ++i) trace.push_back({1'000.0 * i, 100, false});
  system.append(Mode::kInteractive, trace);
  store->take();
  const Window window = system.run(20, 20);
  const std::vector<Done> done = store->take();
  ASSERT_EQ(done.size(), 20u);
  Nanoseconds due = 5'000;
  for (std::size_t i = 0; i < done.size(); ++i) {
    due += 1'000 * static_cast<Nanoseconds>(i + 1);
    EXPECT_EQ(done[i].at, due) << i;
  }
  EXPECT_THAT(window.latency_ns, Each(0));
  EXPECT_EQ(window.start, 5'000);
  EXPECT_EQ(window.end, static_cast<double>(due));
}

TEST(WindowReplay, InRealTimeNoRequestGoesOutBeforeItsTime) {
  const auto store = std::make_shared<Store>();
  System system(store);
  system.replay->set_class(Mode::kBatch, 2, false);
  system.append(Mode::kBatch, gets(10, 1e6));
  store->take();
  const Window window = system.run(10, 0, 10);
  const std::vector<Done> done = store->take();
  ASSERT_EQ(done.size(), 10u);
  for (std::size_t i = 0; i < done.size(); ++i) {
    EXPECT_GE(static_cast<double>(done[i].at), window.start + 1e6 * static_cast<double>(i + 1)) << i;
  }
  EXPECT_THAT(window.classes, Each(1));
}

// Whoever sleeps until `stamp` wakes up at `late`, and does not go on before `wake`.
class LateClock final : public SleepersClock {
 public:
  LateClock(Nanoseconds stamp, Nanoseconds late) : stamp_(stamp), late_(late) {}
  void sleep_until(Nanoseconds stamp) const override {
    SleepersClock::sleep_until(stamp == stamp_ ? late_ : stamp);
    if (stamp != stamp_) return;
    overslept.open();
    wake.pass();
  }
  mutable middleware::testing::Door overslept, wake;

 private:
  const Nanoseconds stamp_, late_;
};

const LateClock* overslept = nullptr;

// The pacing thread oversleeps request 51, which is due at 56'000, while request 50 is answered: the window ends, and a
// client is ready. Then workers submit what is due, until nothing is on its way and all wait for the pacing thread.
struct Overslept {
  explicit Overslept(int gets_before) : gets_left(gets_before) { overslept = &clock; }
  ~Overslept() { clock.wake.open(); }
  static bool wake() {  // asked while a window is waited for
    overslept->wake.open();
    return false;
  }

  const LateClock clock{56'000, 60'500};
  std::atomic<int> gets_left;
  System system{std::make_shared<Store>(clock, [this] {
    if (gets_left-- == 0) clock.overslept.pass();
  })};
};

TEST(WindowReplay, APacingThreadThatIsLateShiftsNoLaterRequest) {
  Overslept late(49);
  late.system.replay->set_class(Mode::kInteractive, 2, false);
  late.system.append(Mode::kInteractive, gets(100, 1'000));
  late.system.run(50, 100);
  EXPECT_EQ(late.clock.now(), 60'500);
  EXPECT_EQ(late.system.replay->run(50, {100, 0}, {kPatience, &Overslept::wake})->latency_ns.size(), 50u);
  EXPECT_EQ(late.clock.now(), 5'000 + 100 * 1'000);
}

TEST(WindowReplay, NorDoesItShiftTheOtherClassThatHasToWaitForIt) {
  Overslept late(50);
  late.system.replay->set_class(Mode::kInteractive, 2, false);
  late.system.replay->set_class(Mode::kBatch, 1, false);
  late.system.append(Mode::kInteractive, gets(100, 1'000));
  late.system.append(Mode::kBatch, gets(100, 500));
  late.system.run(51, 99, 1);
  EXPECT_EQ(late.system.replay->run(149, {101, 199}, {kPatience, &Overslept::wake})->latency_ns.size(), 149u);
  EXPECT_EQ(late.clock.now(), 56'000 + 98 * 500);  // the second batch request has waited for that interactive one
}

// No pacing thread is needed for what is due as another request is answered: here the one that there is sleeps for good.
TEST(WindowReplay, WorkersSubmitWhatIsDueOfBothClasses) {
  Overslept late(50);
  late.system.replay->set_class(Mode::kInteractive, 2, false);
  late.system.replay->set_class(Mode::kBatch, 1, false);
  late.system.append(Mode::kInteractive, gets(100, 1'000));
  late.system.append(Mode::kBatch, gets(2, 500));
  late.system.run(51, 99, 1);
  while (late.system.replay->ahead(Mode::kInteractive) > 45) std::this_thread::yield();  // those due by 60'500
  EXPECT_EQ(late.system.replay->ahead(Mode::kInteractive), 45u);
  EXPECT_EQ(late.clock.wake.inside(), 1);
}

TEST(WindowReplay, WhereClientsWereBusyTheTraceGoesOnFromTheNextWindow) {
  const SleepersClock clock;
  System system(std::make_shared<Store>(clock, [&clock] { clock.sleep_until(60'500); }));
  system.replay->set_class(Mode::kInteractive, 1, false);
  system.append(Mode::kInteractive, gets(100, 1'000));
  EXPECT_EQ(system.run(1, 100).end, 60'500);
  EXPECT_EQ(system.run(1, 100).end, 61'500);
}

TEST(WindowReplay, AWindowBeginsWhereTheLastOneEnded) {
  System system(std::make_shared<Store>());
  system.replay->set_class(Mode::kInteractive, 3, false);
  double end = 0;
  for (int i = 0; i < 2; ++i) {  // not three: whoever asks for the third late, on a loaded machine, has caused a pause
    system.append(Mode::kInteractive, gets(7));
    const Window window = system.run(7, 7);
    EXPECT_EQ(window.latency_ns.size(), 7u);
    EXPECT_FALSE(window.paused);
    EXPECT_TRUE(i == 0 || window.start == end) << window.start << " after " << end;
    EXPECT_GE(window.end, window.start);
    end = window.end;
  }
}

TEST(WindowReplay, WhoComesTwoWindowsLateIsToldOfThePauseAndNoMoreIsReleased) {
  System system(std::make_shared<Store>());
  system.replay->set_class(Mode::kInteractive, 3, false);
  system.append(Mode::kInteractive, gets(20));
  EXPECT_FALSE(system.run(5, 5).paused);
  while (system.replay->ahead(Mode::kInteractive) > 10 || system.replay->outstanding()[0] > 0) std::this_thread::yield();
  EXPECT_EQ(system.replay->ahead(Mode::kInteractive), 10u);  // the second window has gone by, and the third waits
  EXPECT_EQ(system.replay->unreleased()[0], 0);
  EXPECT_FALSE(system.run(5, 5).paused);
  EXPECT_TRUE(system.run(5, 5).paused);
}

TEST(WindowReplay, AsManyClientsAsWereAskedForAndNoMore) {
  middleware::testing::Door door;
  std::atomic<bool> filled = false;
  System system(std::make_shared<middleware::testing::ScriptedEngine>([&](std::string_view) {
    if (filled) door.pass();
  }), 8);
  system.replay->set_class(Mode::kInteractive, 3, true);
  system.append(Mode::kInteractive, gets(20));
  filled = true;
  std::jthread running([&] { EXPECT_EQ(system.run(20, 0).latency_ns.size(), 20u); });
  door.wait_for(3);
  EXPECT_EQ(system.replay->outstanding()[0], 3);
  EXPECT_EQ(system.replay->ahead(Mode::kInteractive), 17u);
  door.open();
}

// Little's law must be able to fail: requests that the middleware never answers are in its count, and in no latency.
TEST(WindowReplay, RequestsThatTheMiddlewareHasLostAreInItsMeanCount) {
  middleware::testing::Door door;
  System system(std::make_shared<middleware::testing::ScriptedEngine>([&](std::string_view key) {
    if (key == "lost") door.pass();
  }));
  std::vector<middleware::Request> lost(5);
  for (middleware::Request& request : lost) {
    request.mode = Mode::kBatch;
    request.key = "lost";
    system.core.submit(request);
  }
  system.replay->set_class(Mode::kInteractive, 1, true);
  system.append(Mode::kInteractive, gets(1'000));
  const Window window = system.run(1'000, 0);
  double latency = 0;
  for (const double one : window.latency_ns) latency += one;
  EXPECT_LE(latency / (window.end - window.start), 1.0);  // what Little's law makes of the latencies: one client
  EXPECT_GE(window.counted, 5.0);
  EXPECT_LE(window.counted, 5.0 + 1.0 + 2.0);  // a worker may be late to take off what it has answered
  door.open();
  for (middleware::Request& request : lost) system.core.wait(request);
}

TEST(WindowReplay, TheSameTraceAsksForTheSameKeysAndSizes) {
  std::vector<Offered> trace;
  for (std::uint32_t i = 0; i < 200; ++i) trace.push_back({0, 50 + 50 * (i % 3), i % 5 == 0});
  std::vector<std::vector<Done>> runs;
  for (int i = 0; i < 2; ++i) {
    const auto store = std::make_shared<Store>();
    System system(store);
    system.replay->set_class(Mode::kInteractive, 1, true);
    system.append(Mode::kInteractive, trace);
    store->take();
    EXPECT_EQ(system.run(200, 0).failed, 0u);
    runs.push_back(store->take());
  }
  std::set<std::string> keys;
  ASSERT_EQ(runs[0].size(), trace.size());
  ASSERT_EQ(runs[1].size(), trace.size());
  for (std::size_t i = 0; i < trace.size(); ++i) {
    EXPECT_EQ(runs[0][i].key, runs[1][i].key);
    EXPECT_EQ(runs[0][i].bytes, trace[i].bytes);
    EXPECT_EQ(runs[0][i].is_write, trace[i].is_write);
    keys.insert(runs[0][i].key);
  }
  EXPECT_GT(keys.size(), 50u);  // of 99
}

TEST(WindowReplay, AClassThatRunsDryHoldsUpNoWindow) {
  System system(std::make_shared<Store>());
  system.replay->set_class(Mode::kInteractive, 2, true);
  system.replay->set_class(Mode::kBatch, 2, true);
  system.append(Mode::kInteractive, gets(10));
  system.append(Mode::kBatch, gets(90));
  const Window window = system.run(100, 0);
  EXPECT_EQ(std::count(window.classes.begin(), window.classes.end(), 0), 10);
  EXPECT_EQ(window.failed, 0u);
  EXPECT_THROW(system.replay->run(1, {0, 0}, {50ms}), Stalled);
}

std::atomic<int> operations = 0;

TEST(WindowReplay, AStopInMidWindowLosesNothing) {
  operations = 0;
  System system(std::make_shared<middleware::testing::ScriptedEngine>([](std::string_view) { ++operations; }));
  for (const Mode mode : {Mode::kInteractive, Mode::kBatch}) {
    system.replay->set_class(mode, 8, true);
    system.append(mode, gets(100'000));
  }
  operations = 0;
  const auto interrupted = [] { return operations > 100; };
  EXPECT_FALSE(system.replay->run(1'000'000, {0, 0}, {kPatience, interrupted}));
  system.replay.reset();  // returns once all is answered
  const int answered = operations;
  system.core.stop();
  EXPECT_EQ(operations, answered);
  EXPECT_EQ(system.core.get_stats().completed, static_cast<std::uint64_t>(answered));
  EXPECT_EQ(system.core.get_stats().failed, 0u);
}

TEST(WindowReplay, ResizesDuringAWindowLoseAndDuplicateNothing) {
  const auto store = std::make_shared<Store>();
  System system(store);
  for (const Mode mode : {Mode::kInteractive, Mode::kBatch}) {
    system.replay->set_class(mode, 20, true);
    system.append(mode, gets(2'000));
  }
  store->take();
  std::jthread resizer([&](const std::stop_token& stop) {
    for (int i = 0; !stop.stop_requested(); ++i) system.core.resize({1 + i % 9, 9 - i % 9});
  });
  const Window window = system.run(4'000, 0);
  EXPECT_EQ(std::count(window.classes.begin(), window.classes.end(), 0), 2'000);
  EXPECT_EQ(window.failed, 0u);
  EXPECT_EQ(store->take().size(), 4'000u);
}

}  // namespace
}  // namespace pmtwin::replay
