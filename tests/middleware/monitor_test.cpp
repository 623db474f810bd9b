#include "middleware/core/monitor.h"

#include <gtest/gtest.h>

#include <atomic>

#include "middleware/core/middleware.h"
#include "middleware/engines/map_engine.h"
#include "middleware/pools/worker_pool.h"
#include "tests/middleware/support.h"

namespace pmtwin::middleware {
namespace {

// Stands still until it is set.
class SetClock final : public Clock {
 public:
  Nanoseconds now() const override { return time; }
  void sleep_until(Nanoseconds) const override {}
  std::atomic<Nanoseconds> time = 0;
};

void record(Monitor& monitor, Mode mode, Operation operation, Nanoseconds waited, Nanoseconds latency,
            std::string_view value, Status status = Status::kOk) {
  Request request;
  request.mode = mode;
  request.operation = operation;
  request.value = value;
  request.bytes = value.size();
  request.status = status;
  request.started = waited;
  request.completed = latency;
  const std::size_t recorder = latency % 3 == 0 ? 0 : 1;
  monitor.submitted(request);
  monitor.started(recorder, request);
  monitor.record(recorder, request);
}

TEST(Monitor, AWindowHasPercentileMeansAndRatesOfItsOwnAnswers) {
  SetClock clock;
  Monitor monitor(2, clock);
  for (int i = 1; i <= 100; ++i) record(monitor, Mode::kInteractive, Operation::kGet, 500, 1000 * i, "0123456789");
  for (int i = 0; i < 40; ++i) record(monitor, Mode::kBatch, i < 10 ? Operation::kPut : Operation::kGet, 0, 7000, "ab");
  record(monitor, Mode::kBatch, Operation::kPut, 0, 7000, "ab", Status::kOutOfSpace);
  const WindowStats stats = monitor.close_window(100'000);
  EXPECT_NEAR(stats.p99_us, 99.0, 0.4);  // half a bin
  EXPECT_NEAR(stats.p99_batch_us, 7.0, 0.03);
  EXPECT_DOUBLE_EQ(stats.mean_us, 50.5);
  EXPECT_DOUBLE_EQ(stats.mean_batch_us, 7.0);
  EXPECT_DOUBLE_EQ(stats.duration_s, 1e-4);
  EXPECT_DOUBLE_EQ(stats.interactive_ops, 1e6);
  EXPECT_DOUBLE_EQ(stats.batch_ops, 4.1e5);
  EXPECT_DOUBLE_EQ(stats.throughput_ops, 1.41e6);
  EXPECT_EQ(stats.completed, 141u);
  EXPECT_EQ(stats.failed, 1u);

  const State state = monitor.state({3, 4});
  EXPECT_EQ(state.interactive_threads, 3);
  EXPECT_EQ(state.batch_threads, 4);
  EXPECT_DOUBLE_EQ(state.interactive_queue_size, 0.5);  // 100 waited 500 ns each in 100 us
  EXPECT_DOUBLE_EQ(state.batch_queue_size, 0.0);
  EXPECT_DOUBLE_EQ(state.interactive_block_size, 10.0);
  EXPECT_DOUBLE_EQ(state.batch_block_size, 2.0);
  EXPECT_DOUBLE_EQ(state.interactive_write_ratio, 0.0);
  EXPECT_DOUBLE_EQ(state.batch_write_ratio, 11.0 / 41.0);
}

TEST(Monitor, AWindowForgetsTheLastOneButKeepsWhatAClassLastAskedFor) {
  SetClock clock;
  Monitor monitor(2, clock);
  record(monitor, Mode::kInteractive, Operation::kPut, 0, 5000, "abcd");
  monitor.close_window(1000);
  const WindowStats stats = monitor.close_window(3000);
  EXPECT_EQ(stats.completed, 0u);
  EXPECT_EQ(stats.p99_us, 0.0);
  EXPECT_DOUBLE_EQ(stats.duration_s, 2e-6);
  EXPECT_EQ(monitor.stats().completed, 0u);
  EXPECT_EQ(monitor.state({1, 1}).interactive_block_size, 4.0);
  EXPECT_EQ(monitor.state({1, 1}).interactive_write_ratio, 1.0);
}

TEST(Monitor, AThreadOfItsOwnClosesWindowsUntilTheStop) {
  Options options;
  options.window = std::chrono::milliseconds(1);
  Middleware middleware(options);
  middleware.start(std::make_shared<MapEngine>(), 1, 1);
  std::uint64_t puts = 0;
  WindowStats stats;
  for (; stats.completed == 0; stats = middleware.get_stats()) {
    middleware.put("key", "value", Mode::kInteractive);
    ++puts;
  }
  EXPECT_LE(stats.completed, puts);
  EXPECT_GT(stats.p99_us, 0.0);
  EXPECT_EQ(middleware.get_state().interactive_block_size, 5.0);
}

TEST(Monitor, OnlyWhatWasNotDoneHasFailed) {
  SetClock clock;
  Monitor monitor(1, clock);
  for (const Status status : {Status::kOk, Status::kNotFound, Status::kBufferTooSmall}) {
    record(monitor, Mode::kInteractive, Operation::kGet, 0, 3000, "ab", status);
  }
  EXPECT_EQ(monitor.close_window(1000).failed, 0u);
  for (const Status status : {Status::kRefused, Status::kOutOfSpace, Status::kOutcomeUnknown, Status::kFailed}) {
    record(monitor, Mode::kInteractive, Operation::kPut, 0, 3000, "ab", status);
  }
  EXPECT_EQ(monitor.close_window(2000).failed, 4u);
}

TEST(Monitor, WaitsAndOperationsAddUpToLatencies) {
  testing::Door door;
  Options options;
  options.window = std::chrono::nanoseconds(0);
  Middleware middleware(options);
  middleware.start(std::make_shared<testing::ScriptedEngine>([&](std::string_view) { door.pass(); }), 1, 1);
  std::vector<Request> requests(3);
  for (Request& request : requests) middleware.submit(request);
  door.wait_for(1);
  door.open();
  double waited = 0, latency = 0;
  for (Request& request : requests) {
    middleware.wait(request);
    EXPECT_LE(request.submitted, request.started);
    EXPECT_LE(request.started, request.completed);
    waited += static_cast<double>(request.started - request.submitted);
    latency += static_cast<double>(request.completed - request.submitted);
  }
  const WindowStats stats = middleware.close_window();
  EXPECT_DOUBLE_EQ(stats.mean_us, latency / 3e3);
  EXPECT_NEAR(middleware.get_state().interactive_queue_size * stats.duration_s, waited * 1e-9, 1e-12);
}

// Keeps each get before a door, and lives by a clock that the test sets.
struct AtADoor : testing::ScriptedEngine {
  AtADoor() : testing::ScriptedEngine([this](std::string_view) { door.pass(); }) {}
  const Clock& clock() const override { return set_clock; }
  SetClock set_clock;
  testing::Door door;
};

struct Stall : ::testing::TestWithParam<std::string> {
  Stall() { middleware.start(engine, 2, 1); }
  // 6 requests for 2 workers, at 0.
  void submit() {
    for (Request& request : requests) middleware.submit(request);
    engine->door.wait_for(2);
  }
  double queue_size_at(Nanoseconds end) {
    engine->set_clock.time = end;
    const WindowStats stats = middleware.close_window();
    EXPECT_EQ(stats.completed, 0u);
    return middleware.get_state().interactive_queue_size;
  }
  const std::shared_ptr<AtADoor> engine = std::make_shared<AtADoor>();
  std::vector<Request> requests = std::vector<Request>(6);
  Middleware middleware{{.queue = GetParam(), .window = std::chrono::nanoseconds(0)}};
};

TEST_P(Stall, QueueSizesAreThoseOfTheWindowAlsoIfNothingIsAnswered) {
  submit();
  EXPECT_EQ(queue_size_at(1000), 4.0);
  EXPECT_EQ(queue_size_at(5000), 4.0);
  engine->set_clock.time = 6000;
  engine->door.open();
  for (Request& request : requests) middleware.wait(request);
  engine->set_clock.time = 9000;
  EXPECT_EQ(middleware.close_window().completed, 6u);
  EXPECT_EQ(middleware.get_state().interactive_queue_size, 1.0);  // 4 for 1 us of 4 us
  EXPECT_EQ(queue_size_at(10'000), 0.0);
  EXPECT_EQ(middleware.get_state().batch_queue_size, 0.0);
}

TEST_P(Stall, WhatIsTakenOffTheQueueAtAStopWaitsNoLonger) {
  submit();
  engine->set_clock.time = 2000;
  EXPECT_EQ(middleware.stop(std::chrono::nanoseconds(0)).unanswered, 2u);
  EXPECT_EQ(queue_size_at(8000), 1.0);  // 4 for 2 us of 8 us
  engine->door.open();
  middleware.stop();
}

INSTANTIATE_TEST_SUITE_P(Queues, Stall, ::testing::ValuesIn(queue_names()), [](const auto& info) { return info.param; });

TEST(QueueLength, WhatIsStampedAfterALookIsPutRightByTheNext) {
  QueueLength length(2);
  length.submitted(0, Mode::kBatch, 10);
  length.submitted(1, Mode::kBatch, 120);
  const auto first = length.until(100);
  length.started(1, Mode::kBatch, 150);
  length.started(0, Mode::kBatch, 160);
  const auto second = length.until(200);
  EXPECT_EQ(first[1], 90u - 20u);
  EXPECT_EQ(second[1], 150u + 30u);  // 10 to 160 and 120 to 150
  EXPECT_EQ(second[0], 0u);
}

TEST(QueueLength, SumsOfStampsThatDoNotFitStayExact) {
  QueueLength length(1);
  constexpr Nanoseconds kLate = Nanoseconds{1} << 62;
  for (int i = 0; i < 9; ++i) length.submitted(0, Mode::kInteractive, kLate + i);
  const auto before = length.until(kLate + 8);
  EXPECT_EQ(before[0], 36u);
  for (int i = 0; i < 9; ++i) length.started(0, Mode::kInteractive, kLate + 108);
  EXPECT_EQ(length.until(kLate + 1000)[0] - before[0], 900u);
}

}  // namespace
}  // namespace pmtwin::middleware
