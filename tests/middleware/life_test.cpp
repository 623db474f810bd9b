// Starts and stops from several threads.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "middleware/core/middleware.h"
#include "middleware/engines/map_engine.h"
#include "native/common/errors.h"
#include "tests/middleware/ways.h"

namespace pmtwin::middleware {
namespace {

struct Life : testing::EveryWay {};

TEST_P(Life, StartsAndStopsOfSeveralThreadsDoNotMeet) {
  std::atomic<int> started = 0;
  const auto one = [&](int kind) {
    for (int round = 0; round < 60; ++round) {
      try {
        if (kind == 0) {
          middleware->start(std::make_shared<MapEngine>(), 2, 2);
          ++started;
        } else if (kind == 1) {
          middleware->resize({1 + round % 3, 1 + round % 2}, Settling::kGoOn);
        }
      } catch (const InputError&) {  // it runs already, or not at all
      }
      if (kind == 1) middleware->get_state();
      if (kind == 2) middleware->stop();
      if (kind == 3) middleware->stop(std::chrono::nanoseconds(0));
      const Status status = middleware->put("key", "value", Mode::kBatch);
      EXPECT_TRUE(status == Status::kOk || status == Status::kStopped);
    }
  };
  std::vector<std::thread> threads;
  for (const int kind : {0, 0, 1, 2, 3}) threads.emplace_back(one, kind);
  for (std::thread& thread : threads) thread.join();
  middleware->stop();
  EXPECT_GT(started, 0);
  EXPECT_EQ(middleware->outstanding(), 0u);
  middleware->start(std::make_shared<MapEngine>(), 1, 1);
  EXPECT_EQ(middleware->put("key", "value", Mode::kBatch), Status::kOk);
}

INSTANTIATE_TEST_SUITE_P(Ways, Life, ::testing::ValuesIn(testing::ways()), [](const auto& info) { return info.param; });

}  // namespace
}  // namespace pmtwin::middleware
