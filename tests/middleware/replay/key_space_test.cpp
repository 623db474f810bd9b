// The keys and values of a replay, which grow while requests are under way.
#include "middleware/replay/key_space.h"

#include <gtest/gtest.h>

#include <string>

#include "middleware/core/middleware.h"
#include "middleware/engines/map_engine.h"
#include "middleware/replay/window_replay.h"
#include "native/common/errors.h"
#include "native/common/interruption.h"
#include "tests/middleware/support.h"

namespace pmtwin::replay {
namespace {

using middleware::Middleware;
using middleware::Mode;
using middleware::Status;
using namespace std::chrono_literals;

TEST(KeySpace, AValueInUseStaysWhereItIsWhileLargerOnesArePrepared) {
  middleware::MapEngine store;
  KeySpace keys(store, 4);
  keys.prepare(Mode::kInteractive, {64});
  const std::string_view in_use = keys.value(64);
  const std::string was(in_use);
  for (std::uint32_t bytes = 128; bytes <= 1u << 20; bytes *= 2) keys.prepare(Mode::kBatch, {bytes});
  EXPECT_EQ(in_use, was);
  EXPECT_EQ(keys.value(64), was);
  EXPECT_EQ(keys.value(1u << 20).size(), 1u << 20);
}

// A store that answers each put as it is told.
class Answering final : public middleware::MapEngine {
 public:
  explicit Answering(Status answer) : answer_(answer) {}
  Status put(std::string_view, std::string_view) noexcept override { return answer_; }

 private:
  const Status answer_;
};

std::string error_of(Status answer) {
  Answering store(answer);
  try {
    KeySpace(store, 4).prepare(Mode::kInteractive, {64});
    return "";
  } catch (const InputError& error) {
    return error.what();
  } catch (const middleware::EngineError& error) {
    return std::string("the engine: ") + error.what();
  }
}

TEST(KeySpace, WhatAStoreDoesNotTakeIsBlamedOnTheKeysTheValueOrTheStore) {
  EXPECT_EQ(error_of(Status::kOk), "");
  EXPECT_TRUE(error_of(Status::kOutOfSpace).starts_with("keys: '4' are too many: out of space at a value of 64 bytes;"));
  EXPECT_TRUE(error_of(Status::kRefused).starts_with("value: '64 bytes' is not accepted; allowed: at most "));
  EXPECT_TRUE(error_of(Status::kFailed).starts_with("the engine: the store failed before the replay: failed at"));
}

TEST(KeySpace, FillingAStoreEndsWhereSomebodyEndsIt) {
  struct Ended {};
  middleware::MapEngine store;
  KeySpace keys(store, 1000);
  int asked = 0;
  const Interruptible within([&] {
    if (++asked == 100) throw Ended();
  });
  EXPECT_THROW(keys.prepare(Mode::kInteractive, {64}), Ended);
}

// A store in which the first put of a small value waits until it is told to go on, and then reads the value.
class Holding final : public middleware::MapEngine {
 public:
  Status put(std::string_view key, std::string_view value) noexcept override {
    if (armed && value.size() == 64) {
      inside = true;
      inside.notify_all();
      go_on.wait(false);
      seen = std::string(value);
      armed = false;
    }
    return MapEngine::put(key, value);
  }

  std::atomic<bool> armed{false}, inside{false}, go_on{false};
  std::string seen;
};

TEST(KeySpace, ARequestUnderWayKeepsItsValueWhenTheNextBlockOfTheTraceHasLargerOnes) {
  auto store = std::make_shared<Holding>();
  Middleware middleware({.window = std::chrono::nanoseconds(0)});
  middleware.start(store, 1, 1);
  WindowReplay replay(middleware, *store, 4, 0);
  replay.set_class(Mode::kInteractive, 1, true);
  replay.append(Mode::kInteractive, std::vector<Offered>(10, {0.0, 64, true}));
  store->armed = true;
  std::thread window([&] { replay.run(5, {0, 0}, {10min}); });
  store->inside.wait(false);
  replay.append(Mode::kInteractive, std::vector<Offered>(10, {0.0, 1u << 20, true}));
  store->go_on = true;
  store->go_on.notify_all();
  window.join();
  KeySpace other(*store, 4);
  other.prepare(Mode::kInteractive, {64});
  EXPECT_EQ(store->seen, other.value(64));
}

}  // namespace
}  // namespace pmtwin::replay
