// Windows of a trace without a middleware, in real time: clients call the store from threads of their own.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "middleware/engines/map_engine.h"
#include "tests/middleware/replay/system.h"
#include "tests/middleware/support.h"

namespace pmtwin::replay {
namespace {

using namespace std::chrono_literals;
using ::testing::Each;
using ::testing::Ge;

constexpr int kAtOnce = 3;

struct DirectSystem : System {
  explicit DirectSystem(std::shared_ptr<middleware::Engine> engine)
      : System(std::move(engine), 2, {.direct = true, .window = 0ns}, kAtOnce) {}
};

TEST(DirectReplay, WindowsFollowOneAnotherAndEveryRequestIsAnswered) {
  DirectSystem system(std::make_shared<middleware::MapEngine>());
  system.replay->set_class(Mode::kInteractive, 8, true);
  system.replay->set_class(Mode::kBatch, 8, false);
  system.append(Mode::kInteractive, gets(2'000));
  std::vector<Offered> puts(1'000, Offered{2'000, 300, true});
  system.append(Mode::kBatch, puts);
  double end = 0;
  for (int window = 0; window < 4; ++window) {
    const Window found = system.run(400, 0, 200);
    EXPECT_EQ(found.latency_ns.size(), 400u);
    EXPECT_EQ(found.failed, 0u);
    EXPECT_THAT(found.latency_ns, Each(Ge(0.0)));
    EXPECT_GE(found.start, end);
    end = found.end;
  }
}

TEST(DirectReplay, NoMoreRequestsAreInTheStoreThanMayBeAndTheOthersWait) {
  middleware::testing::Door door;
  std::atomic<bool> filled = false;
  DirectSystem system(std::make_shared<middleware::testing::ScriptedEngine>([&](std::string_view) {
    if (filled) door.pass();
  }));
  system.replay->set_class(Mode::kInteractive, 10, true);
  system.append(Mode::kInteractive, gets(40));
  filled = true;
  std::jthread running([&] { EXPECT_EQ(system.run(40, 0).failed, 0u); });
  door.wait_for(kAtOnce);
  while (system.replay->outstanding()[0] < 10) std::this_thread::yield();
  EXPECT_EQ(door.inside(), kAtOnce);
  EXPECT_EQ(system.core.outstanding(), static_cast<std::uint64_t>(kAtOnce));
  door.open();
}

}  // namespace
}  // namespace pmtwin::replay
