#include "middleware/engines/pmemkv_engine.h"

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <random>
#include <thread>
#include <vector>

#include "middleware/core/middleware.h"
#include "middleware/engines/pool_file.h"
#include "tests/middleware/scratch.h"

namespace pmtwin::middleware {
namespace {

using Opening = PmemkvOptions::Opening;

PmemkvOptions pool(const std::string& path, Opening opening, std::uint64_t bytes = 0) {
  PmemkvOptions options;
  options.path = path;
  options.opening = opening;
  options.pool_bytes = bytes;
  return options;
}

constexpr std::uint64_t kSmall = std::uint64_t{16} << 20;

TEST(PmemkvEngine, KeepsWhatWasPutOverAReopening) {
  const testing::Scratch scratch;
  {
    PmemkvEngine engine(pool(scratch / "pool", Opening::kCreate, kSmall));
    EXPECT_EQ(engine.put("key", "value"), Status::kOk);
    EXPECT_EQ(engine.put("gone", "value"), Status::kOk);
    EXPECT_EQ(engine.remove("gone"), Status::kOk);
    EXPECT_EQ(engine.remove("gone"), Status::kNotFound);
  }
  PmemkvEngine engine(pool(scratch / "pool", Opening::kOpen));
  std::array<char, 5> buffer;
  std::size_t bytes = 0;
  EXPECT_EQ(engine.get("key", buffer, bytes), Status::kOk);
  EXPECT_EQ(std::string_view(buffer.data(), bytes), "value");
  EXPECT_EQ(engine.get("gone", buffer, bytes), Status::kNotFound);
  EXPECT_EQ(engine.get("key", std::span(buffer).first(4), bytes), Status::kBufferTooSmall);
  EXPECT_EQ(bytes, 5u);
  EXPECT_NE(engine.describe().find("cmap"), std::string::npos);
}

TEST(PmemkvEngine, OpensOrCreatesAsAsked) {
  const testing::Scratch scratch;
  EXPECT_THROW(PmemkvEngine(pool(scratch / "pool", Opening::kOpen)), EngineError);
  { PmemkvEngine engine(pool(scratch / "pool", Opening::kOpenOrCreate, kSmall)); engine.put("key", "value"); }
  try {
    PmemkvEngine again(pool(scratch / "pool", Opening::kCreate, kSmall));
    ADD_FAILURE() << "a pool was created over another";
  } catch (const EngineError& error) {
    EXPECT_NE(std::string(error.what()).find("exists already: open it"), std::string::npos) << error.what();
  }
  PmemkvEngine engine(pool(scratch / "pool", Opening::kOpenOrCreate, kSmall));
  std::array<char, 5> buffer;
  std::size_t bytes = 0;
  EXPECT_EQ(engine.get("key", buffer, bytes), Status::kOk);
  EXPECT_EQ(scratch.files(), 1u);
}

TEST(PmemkvEngine, RefusesOtherEnginesAndSizesThatWouldNotDo) {
  const testing::Scratch scratch;
  PmemkvOptions options = pool(scratch / "pool", Opening::kCreate, kSmall);
  for (const char* engine : {"blackhole", "vcmap", "stree", ""}) {
    options.engine = engine;
    EXPECT_THROW(PmemkvEngine{options}, InputError) << engine;
  }
  options.engine = "cmap";
  options.live_bytes = kSmall / 5 + 1;
  EXPECT_THROW(PmemkvEngine{options}, InputError);
  EXPECT_THROW(PmemkvEngine(pool("", Opening::kOpen)), InputError);
  EXPECT_THROW(PmemkvEngine(pool(scratch / "pool", Opening::kCreate)), InputError);
  EXPECT_EQ(scratch.files(), 0u);
}

TEST(PmemkvEngine, RefusesKeysAndValuesOutsideItsLimits) {
  const testing::Scratch scratch;
  PmemkvEngine engine(pool(scratch / "pool", Opening::kCreate, kSmall));
  const Limits limits = engine.limits();
  EXPECT_LE(limits.most_value_bytes, kSmall / 5);
  std::size_t bytes = 0;
  EXPECT_EQ(engine.put("", "value"), Status::kRefused);
  EXPECT_EQ(engine.get("", {}, bytes), Status::kRefused);
  EXPECT_EQ(engine.remove(std::string(limits.most_key_bytes + 1, 'k')), Status::kRefused);
  EXPECT_EQ(engine.put("key", std::string(limits.most_value_bytes + 1, 'v')), Status::kRefused);
  EXPECT_EQ(engine.put(std::string(limits.most_key_bytes, 'k'), ""), Status::kOk);
  EXPECT_EQ(engine.put("key", std::string(limits.most_value_bytes, 'v')), Status::kOk);
}

// Every answer of a full pool is held against what is there.
TEST(PmemkvEngine, WithoutRoomItSaysWhatBecameOfAPut) {
  const testing::Scratch scratch;
  PmemkvEngine engine(pool(scratch / "pool", Opening::kCreate, kSmall));
  std::map<std::string, std::string> stored;
  std::vector<char> buffer(1 << 20);
  std::mt19937 random(3);
  std::map<Status, int> answers;
  for (int i = 0; answers[Status::kOutOfSpace] < 200 && i < 200'000; ++i) {
    const std::string key = std::to_string(random() % 3000);
    const std::string value(1 + random() % 20'000, static_cast<char>('a' + i % 26));
    const Status status = engine.put(key, value);
    ++answers[status];
    if (status == Status::kOk) stored[key] = value;
    std::size_t bytes = 0;
    const Status found = engine.get(key, buffer, bytes);
    if (!stored.contains(key)) {
      ASSERT_EQ(found, Status::kNotFound);
    } else {
      ASSERT_EQ(found, Status::kOk);
      ASSERT_EQ(std::string_view(buffer.data(), bytes), stored[key]);
    }
  }
  EXPECT_EQ(answers[Status::kOutOfSpace], 200);
  EXPECT_EQ(answers[Status::kOutcomeUnknown], 0);  // it could always be read; if not: pmemkv_database_test.cpp
  EXPECT_EQ(engine.remove(stored.begin()->first), Status::kOk);
}

TEST(PmemkvEngine, OverwritingAPoolOfFiveTimesItsDataNeverRunsOutOfRoom) {
  const testing::Scratch scratch;
  constexpr std::uint64_t kRecords = 1000, kMostValue = 8000;
  PmemkvEngine engine(pool(scratch / "pool", Opening::kCreate, pool_bytes_for(kRecords, 8, kMostValue)));
  std::mt19937 random(4);
  for (int i = 0; i < 20'000; ++i) {
    const std::string value(1 + random() % kMostValue, 'v');
    ASSERT_EQ(engine.put(std::to_string(random() % kRecords), value), Status::kOk) << i;
  }
}

TEST(PmemkvEngine, AnswersMayBePutBackAtOnce) {  // inside pmemkv's own callback this would be a deadlock
  const testing::Scratch scratch;
  Middleware middleware;
  middleware.start(std::make_shared<PmemkvEngine>(pool(scratch / "pool", Opening::kCreate, kSmall)), 2, 2);
  ASSERT_EQ(middleware.put("key", "", Mode::kInteractive), Status::kOk);
  std::string value;
  for (int i = 0; i < 100; ++i) {
    ASSERT_EQ(middleware.get("key", value, Mode::kInteractive), Status::kOk);
    ASSERT_EQ(middleware.put("key", value + "x", Mode::kBatch), Status::kOk);
  }
  ASSERT_EQ(middleware.get("key", value, Mode::kBatch), Status::kOk);
  EXPECT_EQ(value, std::string(100, 'x'));
}

// Where an answer is delivered, nothing of pmemkv's is held any more: the worker itself may go on with the same key.
TEST(PmemkvEngine, TheKeyMayBePutAndRemovedWhereItsAnswerIsDelivered) {
  const testing::Scratch scratch;
  const auto engine = std::make_shared<PmemkvEngine>(pool(scratch / "pool", Opening::kCreate, kSmall));
  ASSERT_EQ(engine->put("key", "value"), Status::kOk);
  struct Seen {
    PmemkvEngine& engine;
    Status put = Status::kStopped, removed = Status::kStopped;
  } seen{*engine};
  std::array<char, 8> buffer;
  Request request;
  request.key = "key";
  request.target = buffer;
  request.context = &seen;
  request.on_answer = [](Request& answered, void* context) noexcept {
    Seen& result = *static_cast<Seen*>(context);
    result.put = result.engine.put(answered.key, std::string_view(answered.target.data(), answered.bytes));
    result.removed = result.engine.remove(answered.key);
  };
  Middleware middleware;
  middleware.start(engine, 1, 1);
  middleware.submit(request);
  middleware.stop();
  EXPECT_EQ(request.status, Status::kOk);
  EXPECT_EQ(seen.put, Status::kOk);
  EXPECT_EQ(seen.removed, Status::kOk);
}

TEST(PmemkvEngine, ManyClientsSeeWholeValues) {
  const testing::Scratch scratch;
  Middleware middleware;
  middleware.start(std::make_shared<PmemkvEngine>(pool(scratch / "pool", Opening::kCreate, kSmall)), 4, 4);
  std::vector<std::jthread> clients;
  for (int c = 0; c < 16; ++c) {
    clients.emplace_back([&, c] {
      std::string value;
      for (int i = 0; i < 200; ++i) {
        const std::string key = std::to_string(i % 5);
        const std::string put(static_cast<std::size_t>(1 + i % 90), static_cast<char>('a' + c));
        ASSERT_EQ(middleware.put(key, put, static_cast<Mode>(c % 2)), Status::kOk);
        ASSERT_EQ(middleware.get(key, value, static_cast<Mode>(i % 2)), Status::kOk);
        ASSERT_EQ(value.find_first_not_of(value[0]), std::string::npos);
      }
    });
  }
}

}  // namespace
}  // namespace pmtwin::middleware
