#include "middleware/numa_load/far_access.h"

#include <gtest/gtest.h>

namespace pmtwin::middleware {
namespace {

std::uint64_t g_now = 0;

std::uint64_t ticking() { return g_now += 10; }

FarAccess emulated() { return FarAccess({1, 3}, {2.0, 5.0}, ticking, 0.0); }

TEST(FarAccess, OnlyTheNamedProcessorsAreFar) {
  const FarAccess far = emulated();
  for (const int cpu : {-1, 0, 2, 4, 4096}) EXPECT_FALSE(far.is_far(cpu)) << cpu;
  for (const int cpu : {1, 3}) EXPECT_TRUE(far.is_far(cpu)) << cpu;
}

TEST(FarAccess, ANearOperationEndsAtOnce) {
  FarAccess::Progress progress{g_now};
  emulated().finish(progress, false, Operation::kPut);
  EXPECT_EQ(progress.last, g_now);
  EXPECT_EQ(progress.owed_ns, 0.0);
}

TEST(FarAccess, AFarOperationTakesItsFactorOfCpuTime) {
  for (const auto& [operation, factor] : {std::pair{Operation::kGet, 2u}, std::pair{Operation::kPut, 5u}}) {
    const std::uint64_t began = g_now;
    FarAccess::Progress progress{began};
    g_now += 90;  // and 10 for the look at the clock
    emulated().finish(progress, true, operation);
    EXPECT_EQ(g_now - began, factor * 100);
  }
}

class FarAccessOf : public ::testing::TestWithParam<double> {};

TEST_P(FarAccessOf, WhatItSpinsTooLongOrLaterIsMadeUpFor) {
  const FarAccess far({0}, {1.3, 1.0}, ticking, GetParam());
  const std::uint64_t began = g_now;
  FarAccess::Progress progress{began};
  for (int time = 0; time < 1000; ++time) far.finish(progress, true, Operation::kGet);  // 10 each, and 3 to spin
  EXPECT_NEAR(static_cast<double>(g_now - began), 13'000.0, 10.0 + GetParam());
}

INSTANTIATE_TEST_SUITE_P(LeastSpin, FarAccessOf, ::testing::Values(0.0, 50.0, 500.0));

TEST(FarAccess, TheTimeOfAThreadIsThatOnItsProcessor) {
  const FarAccess far({0}, {3.0, 3.0}, thread_cpu_ns, 0.0);
  FarAccess::Progress progress = far.begin();
  const std::uint64_t began = progress.last;
  while (thread_cpu_ns() < began + 100'000) {
  }
  const std::uint64_t worked = thread_cpu_ns() - began;
  far.finish(progress, true, Operation::kGet);
  EXPECT_GE(progress.last - began, 3 * worked);
}

}  // namespace
}  // namespace pmtwin::middleware
