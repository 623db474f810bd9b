// Callbacks that submit again.
#include <gtest/gtest.h>

#include <atomic>

#include "middleware/core/middleware.h"
#include "middleware/engines/null_engine.h"
#include "tests/middleware/ways.h"

namespace pmtwin::middleware {
namespace {

struct SubmitsAgain : testing::EveryWay {};

// Submits its request again from the callback until it was answered `most` times.
struct Again {
  Again(Middleware& to, int count) : middleware(to), most(count) {
    request.context = this;
    request.on_answer = [](Request& answered, void* context) noexcept {
      Again& self = *static_cast<Again*>(context);
      const int count = ++self.answers;
      if (count < self.most) {
        self.middleware.submit(answered);
      } else {
        self.done = true;
        self.done.notify_all();
      }
    };
  }
  Middleware& middleware;
  const int most;
  Request request;
  int answers = 0;
  std::atomic<bool> done = false;
};

TEST_P(SubmitsAgain, ACallbackMaySubmitAgainAnyNumberOfTimes) {
  middleware->start(std::make_shared<NullEngine>(), 1, 1);
  Again again(*middleware, 100'000);  // of 100 bytes of stack each would be more than there is
  middleware->submit(again.request);
  again.done.wait(false);
  EXPECT_EQ(again.request.status, Status::kOk);
  middleware->stop();
  EXPECT_EQ(again.answers, 100'000);
}

TEST_P(SubmitsAgain, AlsoWhereNothingRuns) {
  Again again(*middleware, 100'000);
  middleware->submit(again.request);
  EXPECT_TRUE(again.done);
  EXPECT_EQ(again.request.status, Status::kStopped);
  EXPECT_EQ(middleware->outstanding(), 0u);
}

INSTANTIATE_TEST_SUITE_P(Ways, SubmitsAgain, ::testing::ValuesIn(testing::ways()), [](const auto& info) { return info.param; });

}  // namespace
}  // namespace pmtwin::middleware
