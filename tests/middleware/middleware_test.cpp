#include "middleware/core/middleware.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "middleware/core/request_hooks.h"
#include "middleware/engines/map_engine.h"
#include "middleware/engines/null_engine.h"
#include "middleware/pools/worker_pool.h"
#include "tests/middleware/support.h"

namespace pmtwin::middleware {
namespace {

Options options_with(std::string queue, bool direct = false) {
  Options options;
  options.queue = std::move(queue);
  options.direct = direct;
  options.window = std::chrono::nanoseconds(0);
  return options;
}

struct EveryDesign : ::testing::TestWithParam<std::string> {
  Options options() const { return GetParam() == "direct" ? options_with("mutex", true) : options_with(GetParam()); }
};

std::vector<std::string> designs() {
  auto names = queue_names();
  names.push_back("direct");
  return names;
}

INSTANTIATE_TEST_SUITE_P(Queues, EveryDesign, ::testing::ValuesIn(designs()), [](const auto& one) { return one.param; });

TEST_P(EveryDesign, GetsWhatWasPutInBothClasses) {
  Middleware middleware(options());
  middleware.start(std::make_shared<MapEngine>(), 2, 3);
  const std::string large(5000, 'x');
  for (const Mode mode : {Mode::kInteractive, Mode::kBatch}) {
    std::string value;
    EXPECT_EQ(middleware.get("key", value, mode), Status::kNotFound);
    EXPECT_EQ(middleware.put("key", "value", mode), Status::kOk);
    EXPECT_EQ(middleware.get("key", value, mode), Status::kOk);
    EXPECT_EQ(value, "value");
    EXPECT_EQ(middleware.put("key", large, mode), Status::kOk);
    EXPECT_EQ(middleware.get("key", value, mode), Status::kOk);
    EXPECT_EQ(value, large);
    EXPECT_EQ(middleware.remove("key", mode), Status::kOk);
    EXPECT_EQ(middleware.remove("key", mode), Status::kNotFound);
    EXPECT_EQ(middleware.get("key", value, mode), Status::kNotFound);
    EXPECT_EQ(value, "");
  }
}

TEST_P(EveryDesign, AGetIsOneRequestHoweverLargeItsValueIs) {
  Middleware middleware(options());
  middleware.start(std::make_shared<MapEngine>(), 1, 1);
  const std::string large(5000, 'x');
  std::string value;
  EXPECT_EQ(middleware.put("key", large, Mode::kInteractive), Status::kOk);
  EXPECT_EQ(middleware.get("key", value, Mode::kInteractive), Status::kOk);
  EXPECT_EQ(value, large);
  const WindowStats stats = middleware.close_window();
  EXPECT_EQ(stats.completed, 2u);
  EXPECT_EQ(stats.failed, 0u);
  EXPECT_EQ(middleware.get_state().interactive_block_size, 5000.0);
  EXPECT_EQ(middleware.get_state().interactive_write_ratio, 0.5);
}

TEST_P(EveryDesign, ManySubmittedRequestsAreEachAnsweredOnce) {
  Middleware middleware(options());
  middleware.start(std::make_shared<NullEngine>(), 3, 3);
  std::vector<Request> requests(5000);
  std::atomic<int> answers = 0;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    requests[i].mode = static_cast<Mode>(i % 2);
    requests[i].context = &answers;
    requests[i].on_answer = [](Request&, void* context) noexcept { ++*static_cast<std::atomic<int>*>(context); };
    middleware.submit(requests[i]);
  }
  middleware.stop();
  EXPECT_EQ(answers, 5000);
  EXPECT_EQ(middleware.get_stats().completed, 5000u);
  EXPECT_EQ(middleware.outstanding(), 0u);
}

TEST_P(EveryDesign, IsStartedAgainAfterAStopAndRefusesInBetween) {
  Middleware middleware(options());
  EXPECT_EQ(middleware.put("key", "value", Mode::kBatch), Status::kStopped);
  middleware.start(std::make_shared<MapEngine>(), 1, 1);
  EXPECT_EQ(middleware.put("key", "value", Mode::kBatch), Status::kOk);
  middleware.stop();
  middleware.stop();
  EXPECT_EQ(middleware.put("key", "value", Mode::kBatch), Status::kStopped);
  middleware.start(std::make_shared<MapEngine>(), 4, 4);
  std::string value;
  EXPECT_EQ(middleware.get("key", value, Mode::kInteractive), Status::kNotFound);
}

TEST_P(EveryDesign, ClientsThatMeetAStopAreAnsweredOrRefused) {
  for (int round = 0; round < 20; ++round) {
    Middleware middleware(options());
    middleware.start(std::make_shared<MapEngine>(), 2, 2);
    std::atomic<int> begun = 0;
    std::vector<std::jthread> clients;
    for (int c = 0; c < 8; ++c) {
      clients.emplace_back([&, c] {
        Status status = Status::kOk;
        while (status == Status::kOk) {
          status = middleware.put("key", "value", static_cast<Mode>(c % 2));
          ++begun;
        }
        EXPECT_EQ(status, Status::kStopped);
      });
    }
    while (begun < 50) std::this_thread::yield();
    middleware.stop();
  }
}

struct EveryQueue : ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Queues, EveryQueue, ::testing::ValuesIn(queue_names()), [](const auto& o) { return o.param; });

TEST_P(EveryQueue, RequestsOfAClassAreTakenInTheOrderOfSubmission) {
  std::vector<std::string> taken;
  testing::Door door;
  Middleware middleware(options_with(GetParam()));
  middleware.start(std::make_shared<testing::ScriptedEngine>([&](std::string_view key) {
    if (key == "first") {
      door.pass();
    } else {
      taken.emplace_back(key);
    }
  }), 1, 1);
  std::vector<std::string> keys{"first"};
  for (int i = 0; i < 100; ++i) keys.push_back(std::to_string(i));
  std::vector<Request> requests(keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i) {
    requests[i].key = keys[i];
    middleware.submit(requests[i]);
  }
  door.wait_for(1);
  EXPECT_EQ(middleware.queue_lengths()[0], 100u);
  EXPECT_EQ(middleware.queue_lengths()[1], 0u);
  door.open();
  for (Request& request : requests) middleware.wait(request);
  EXPECT_EQ(taken, std::vector<std::string>(keys.begin() + 1, keys.end()));
}

TEST_P(EveryQueue, AnAnsweredRequestMayBeSubmittedAgainWhereItsAnswerIsDelivered) {
  struct Chain {
    Middleware& middleware;
    std::atomic<int> answers = 0;
  };
  Middleware middleware(options_with(GetParam()));
  Chain chain{middleware};
  middleware.start(std::make_shared<NullEngine>(), 2, 2);
  std::array<Request, 4> requests;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    requests[i].mode = static_cast<Mode>(i % 2);
    requests[i].context = &chain;
    requests[i].on_answer = [](Request& request, void* context) noexcept {
      Chain& self = *static_cast<Chain*>(context);
      ++self.answers;
      if (request.status != Status::kStopped) self.middleware.submit(request);
    };
    middleware.submit(requests[i]);
  }
  while (chain.answers < 10'000) std::this_thread::yield();
  middleware.stop();  // ends the chains: each once with kStopped
  EXPECT_EQ(middleware.outstanding(), 0u);
  EXPECT_EQ(middleware.get_stats().completed + requests.size(), static_cast<std::uint64_t>(chain.answers));
}

TEST_P(EveryQueue, AClassThatIsStuckDoesNotHoldUpTheOther) {
  testing::Door door;
  Middleware middleware(options_with(GetParam()));
  middleware.start(std::make_shared<testing::ScriptedEngine>([&](std::string_view key) {
    if (key == "stuck") door.pass();
  }), 1, 2);
  std::vector<Request> stuck(5);
  for (Request& request : stuck) {
    request.mode = Mode::kBatch;
    request.key = "stuck";
    middleware.submit(request);
  }
  door.wait_for(2);
  EXPECT_EQ(middleware.put("free", "", Mode::kInteractive), Status::kOk);
  while (middleware.outstanding() > 5) std::this_thread::yield();  // a client has its answer before it is counted as gone
  EXPECT_EQ(middleware.outstanding(), 5u);
  door.open();
  for (Request& request : stuck) EXPECT_EQ(middleware.wait(request), Status::kOk);
}

// Writes down what it is told.
class ListeningEngine final : public testing::ScriptedEngine, public RequestHooks {
 public:
  ListeningEngine() : ScriptedEngine([this](std::string_view) { note("operation"); }) {}
  RequestHooks* hooks() override { return this; }
  void resized(Pools pools) override { note("pools " + std::to_string(pools.batch_threads)); }
  void submitted(Request&) override { note("submitted"); }
  void dispatched(Request&, bool woken) override { note(woken ? "woken" : "dispatched"); }
  void completed(Request&) override { note("completed"); }

  std::vector<std::string> notes;

 private:
  void note(std::string text) {
    const std::lock_guard lock(mutex_);
    notes.push_back(std::move(text));
  }
  std::mutex mutex_;
};

TEST(Middleware, AnEngineThatListensIsToldOfEachStepOfARequest) {
  auto engine = std::make_shared<ListeningEngine>();
  Middleware middleware(options_with("handoff"));
  middleware.start(engine, 1, 1);
  middleware.put("key", "value", Mode::kBatch);
  middleware.resize({1, 5});
  middleware.stop();
  ASSERT_EQ(engine->notes.size(), 6u);
  EXPECT_EQ(engine->notes[0], "pools 1");
  EXPECT_EQ(engine->notes[1], "submitted");
  EXPECT_EQ(engine->notes[3], "operation");
  EXPECT_EQ(engine->notes[4], "completed");
  EXPECT_EQ(engine->notes[5], "pools 5");
}

TEST(Middleware, BadArgumentsAreErrorsThatNameThem) {
  EXPECT_THROW(Middleware(options_with("lifo")), InputError);
  Middleware middleware(options_with("mutex"));
  EXPECT_THROW(middleware.start(std::make_shared<NullEngine>(), 0, 1), InputError);
  EXPECT_THROW(middleware.start(nullptr, 1, 1), InputError);
  EXPECT_THROW(middleware.resize({1, 1}), InputError);
  middleware.start(std::make_shared<NullEngine>(), 1, 1);
  EXPECT_THROW(middleware.start(std::make_shared<NullEngine>(), 1, 1), InputError);
  EXPECT_THROW(middleware.resize({1, 33}), InputError);
  EXPECT_THROW(middleware.perform_action(9), InputError);
  EXPECT_EQ(middleware.perform_action(5), (Pools{2, 2}));
  middleware.resize({2, 2});  // as it is
  EXPECT_EQ(middleware.pools(), (Pools{2, 2}));
}

}  // namespace
}  // namespace pmtwin::middleware
