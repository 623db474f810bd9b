#include "middleware/core/monitor.h"

#include <gtest/gtest.h>

#include <atomic>

#include "middleware/core/middleware.h"
#include "middleware/engines/map_engine.h"
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
  monitor.record(latency % 3 == 0 ? 0 : 1, request);
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

}  // namespace
}  // namespace pmtwin::middleware
