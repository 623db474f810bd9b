// Threads of clients that call the store themselves.
#include "middleware/load/client_threads.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <memory>
#include <thread>

#include "tests/middleware/support.h"

namespace pmtwin::middleware {
namespace {

using testing::Door;

TEST(ClientThreads, EachRequestIsCarriedOutOnceAndNoMoreAtATimeThanThereAreThreads) {
  std::array<std::atomic<int>, 500> times{};
  std::array<Request, 500> requests;
  std::atomic<int> inside = 0, most = 0;
  {
    ClientThreads threads(
        [&](Request& request, bool) {
          const int now = ++inside;
          for (int seen = most; seen < now && !most.compare_exchange_weak(seen, now);) {
          }
          ++times[request.number];
          --inside;
        },
        [] {});
    threads.grow_to(2);
    threads.grow_to(3);
    threads.grow_to(1);  // no fewer than there are
    for (std::size_t i = 0; i < requests.size(); ++i) {
      requests[i].number = i;
      threads.push(requests[i]);
    }
    while (threads.waiting() > 0) std::this_thread::yield();
  }
  EXPECT_LE(most, 3);
  for (const auto& one : times) EXPECT_EQ(one, 1);
}

TEST(ClientThreads, WhoFindsAllThreadsBusyWaitsInTurn) {
  Door door;
  std::array<Request, 4> requests;
  std::vector<std::uint64_t> order;
  {
    ClientThreads threads(
        [&](Request& request, bool) {
          door.pass();
          order.push_back(request.number);
        },
        [] {});
    threads.grow_to(1);
    for (std::size_t i = 0; i < requests.size(); ++i) {
      requests[i].number = i;
      threads.push(requests[i]);
      if (i == 0) door.wait_for(1);
    }
    EXPECT_EQ(threads.waiting(), 3u);
    door.open();
    while (threads.waiting() > 0) std::this_thread::yield();
  }
  EXPECT_EQ(order, (std::vector<std::uint64_t>{0, 1, 2, 3}));
}

TEST(ClientThreads, ARequestThatWakesAThreadIsToldSo) {
  std::atomic<int> asleep = 0;
  std::atomic<int> woken = -1;
  Request request;
  {
    ClientThreads threads([&](Request&, bool slept) { woken = slept; }, [&] { ++asleep; });
    threads.grow_to(1);
    while (asleep == 0) std::this_thread::yield();
    threads.push(request);
    while (woken < 0) std::this_thread::yield();
  }
  EXPECT_EQ(woken, 1);
}

TEST(ClientThreads, ThoseThatAreAbandonedComeBackWhenNobodyIsLeft) {
  Door door;
  std::atomic<int> back = 0;
  std::array<Request, 5> requests;
  {
    ClientThreads threads(
        [&](Request&, bool) {
          door.pass();
          ++back;
        },
        [] {});
    threads.grow_to(2);
    for (Request& request : requests) threads.push(request);
    door.wait_for(2);
    EXPECT_EQ(threads.abandon(), 3u);
  }
  EXPECT_EQ(back, 0);
  door.open();
  while (back < 2) std::this_thread::yield();
  EXPECT_EQ(door.inside(), 0);
  EXPECT_EQ(back, 2);  // what waited is not taken up
}

[[noreturn]] void end_while_a_thread_never_comes_back() {
  static Door door;
  static Request request;
  {
    ClientThreads threads([](Request&, bool) { door.pass(); }, [] {});
    threads.grow_to(2);
    threads.push(request);
    door.wait_for(1);
    threads.abandon();
  }
  std::exit(7);
}

TEST(ClientThreadsDeathTest, AProcessEndsThoughAThreadNeverComesBack) {
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(end_while_a_thread_never_comes_back(), ::testing::ExitedWithCode(7), "");
}

}  // namespace
}  // namespace pmtwin::middleware
