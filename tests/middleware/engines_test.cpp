// What every engine promises, and the engines in ordinary memory.
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <thread>
#include <vector>

#include "middleware/core/middleware.h"
#include "middleware/core/request_hooks.h"
#include "middleware/engines/map_engine.h"
#include "middleware/engines/null_engine.h"

namespace pmtwin::middleware {
namespace {

std::string value_of(Engine& engine, std::string_view key) {
  std::array<char, 4096> buffer;
  std::size_t bytes = 0;
  const Status status = engine.get(key, buffer, bytes);
  return status == Status::kOk ? std::string(buffer.data(), bytes) : std::string(name_of(status));
}

TEST(MapEngine, GivesBackWhatWasPutUntilItIsRemoved) {
  MapEngine engine;
  EXPECT_EQ(value_of(engine, "a"), "not found");
  EXPECT_EQ(engine.put("a", "first"), Status::kOk);
  EXPECT_EQ(engine.put("b", std::string(4000, 'b')), Status::kOk);
  EXPECT_EQ(engine.put("a", ""), Status::kOk);
  EXPECT_EQ(value_of(engine, "a"), "");
  EXPECT_EQ(value_of(engine, "b"), std::string(4000, 'b'));
  EXPECT_EQ(engine.remove("a"), Status::kOk);
  EXPECT_EQ(engine.remove("a"), Status::kNotFound);
  EXPECT_EQ(value_of(engine, "a"), "not found");
}

TEST(MapEngine, TellsTheSizeOfAValueThatDoesNotFitAndCopiesNothing) {
  MapEngine engine;
  engine.put("key", "value");
  std::array<char, 5> buffer{'.', '.', '.', '.', '.'};
  std::size_t bytes = 0;
  EXPECT_EQ(engine.get("key", std::span(buffer).first(4), bytes), Status::kBufferTooSmall);
  EXPECT_EQ(bytes, 5u);
  EXPECT_EQ(buffer[0], '.');
  EXPECT_EQ(engine.get("key", buffer, bytes), Status::kOk);
  EXPECT_EQ(std::string_view(buffer.data(), bytes), "value");
}

TEST(MapEngine, RefusesKeysOutsideItsLimits) {
  MapEngine engine;
  std::size_t bytes = 1;
  EXPECT_EQ(engine.put("", "v"), Status::kRefused);
  EXPECT_EQ(engine.get("", {}, bytes), Status::kRefused);
  EXPECT_EQ(bytes, 0u);
  EXPECT_EQ(engine.put(std::string(engine.limits().most_key_bytes + 1, 'k'), "v"), Status::kRefused);
  EXPECT_EQ(engine.remove(""), Status::kRefused);
}

TEST(MapEngine, ThreadsSeeWholeValues) {
  MapEngine engine;
  std::vector<std::jthread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&engine, t] {
      for (int i = 0; i < 3000; ++i) {
        const std::string key = std::to_string(i % 7);
        engine.put(key, std::string(static_cast<std::size_t>(1 + i % 300), static_cast<char>('a' + t)));
        const std::string value = value_of(engine, key);
        ASSERT_EQ(value.find_first_not_of(value[0]), std::string::npos);
      }
    });
  }
}

TEST(NullEngine, AnswersAtOnceAndKeepsNothing) {
  NullEngine engine;
  EXPECT_EQ(engine.put("", ""), Status::kOk);
  EXPECT_EQ(value_of(engine, "a"), "");
  EXPECT_EQ(engine.remove("a"), Status::kOk);
  EXPECT_EQ(engine.hooks(), nullptr);
}

TEST(Pools, ActionsStayWithinOneAndThirtyTwoThreads) {
  EXPECT_EQ(after_action({15, 15}, 6), (Pools{16, 14}));
  EXPECT_EQ(after_action({32, 1}, 6), (Pools{32, 1}));
  EXPECT_EQ(after_action({1, 32}, 0), (Pools{1, 32}));
  EXPECT_THROW(after_action({1, 1}, 9), InputError);
  EXPECT_THROW(after_action({1, 1}, -1), InputError);
  EXPECT_THROW(check_pools({0, 1}), InputError);
  EXPECT_THROW(check_pools({1, 33}), InputError);
}

}  // namespace
}  // namespace pmtwin::middleware
