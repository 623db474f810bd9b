// Resizing under load: 200 clients, other pools on a schedule of a millisecond.
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
  constexpr int kEach = 20, kResizes = 1000;
  auto engine = std::make_shared<CountingEngine>(kClients * kEach);
  Options options;
  options.queue = GetParam();
  options.window = std::chrono::milliseconds(2);
  Middleware middleware(options);
  middleware.start(engine, 5, 5);
  std::atomic<int> resizes = 0;
  std::vector<int> asked(kClients * kEach);  // each client its own part
  std::vector<std::jthread> clients;
  for (int c = 0; c < kClients; ++c) {
    clients.emplace_back([&, c] {
      for (int i = 0; i < kEach || resizes < kResizes; ++i) {
        const int number = c * kEach + i % kEach;
        const std::string key = std::to_string(number);
        ASSERT_EQ(middleware.put(key, key, static_cast<Mode>(c % 2)), Status::kOk);
        ++asked[static_cast<std::size_t>(number)];
      }
    });
  }
  std::mt19937 random(1);
  std::uniform_int_distribution<int> size(kLeastWorkers, kMostWorkers);
  for (auto due = std::chrono::steady_clock::now(); resizes < kResizes; ++resizes) {
    std::this_thread::sleep_until(due += std::chrono::milliseconds(1));
    if (resizes % 8 != 0) {
      middleware.resize({size(random), size(random)}, Settling::kGoOn);
    } else {
      middleware.perform_action(resizes / 8 % 9, Settling::kGoOn);
    }
  }
  clients.clear();
  for (std::size_t i = 0; i < asked.size(); ++i) ASSERT_EQ(engine->times[i], asked[i]);
  while (middleware.outstanding() > 0) std::this_thread::yield();  // clients have their answers before they are counted as gone
  EXPECT_EQ(middleware.outstanding(), 0u);
  std::string value;
  for (int i = 0; i < kClients * kEach; i += 97) {
    ASSERT_EQ(middleware.get(std::to_string(i), value, Mode::kBatch), Status::kOk);
    ASSERT_EQ(value, std::to_string(i));
  }
}

}  // namespace
}  // namespace pmtwin::middleware
