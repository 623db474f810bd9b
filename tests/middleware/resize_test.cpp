// Resizing under load: 200 clients, another size every millisecond.
#include <gtest/gtest.h>

#include <chrono>
#include <random>
#include <thread>
#include <vector>

#include "middleware/core/middleware.h"
#include "middleware/engines/map_engine.h"
#include "middleware/pools/worker_pool.h"

namespace pmtwin::middleware {
namespace {

constexpr int kClients = 200;

// Counts how often each request was carried out.
class CountingEngine final : public MapEngine {
 public:
  explicit CountingEngine(std::size_t requests) : times(requests) {}
  Status put(std::string_view key, std::string_view value) noexcept override {
    ++times[static_cast<std::size_t>(std::stoul(std::string(key)))];
    return MapEngine::put(key, value);
  }
  std::vector<std::atomic<int>> times;
};

struct EveryQueueResized : ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Queues, EveryQueueResized, ::testing::ValuesIn(queue_names()), [](const auto& o) { return o.param; });

TEST_P(EveryQueueResized, AResizeEveryMillisecondLosesAndDuplicatesNothing) {
#ifdef PMTWIN_SANITIZED
  constexpr int kEach = 30;
#else
  constexpr int kEach = 200;
#endif
  auto engine = std::make_shared<CountingEngine>(kClients * kEach);
  Options options;
  options.queue = GetParam();
  options.window = std::chrono::milliseconds(2);
  Middleware middleware(options);
  middleware.start(engine, 5, 5);
  std::atomic<int> running = kClients;
  std::vector<std::jthread> clients;
  for (int c = 0; c < kClients; ++c) {
    clients.emplace_back([&, c] {
      for (int i = 0; i < kEach; ++i) {
        const std::string key = std::to_string(c * kEach + i);
        ASSERT_EQ(middleware.put(key, key, static_cast<Mode>(c % 2)), Status::kOk);
      }
      --running;
    });
  }
  std::mt19937 random(1);
  std::uniform_int_distribution<int> size(kLeastWorkers, kMostWorkers);
  int resizes = 0;
  for (; running > 0; ++resizes) {
    if (resizes % 2 == 0) {
      middleware.resize({size(random), size(random)});
    } else {
      middleware.perform_action(resizes % 9);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  clients.clear();
  EXPECT_GT(resizes, 3);
  for (const auto& times : engine->times) ASSERT_EQ(times, 1);
  EXPECT_EQ(middleware.outstanding(), 0u);
  std::string value;
  for (int i = 0; i < kClients * kEach; i += 97) {
    ASSERT_EQ(middleware.get(std::to_string(i), value, Mode::kBatch), Status::kOk);
    ASSERT_EQ(value, std::to_string(i));
  }
}

}  // namespace
}  // namespace pmtwin::middleware
