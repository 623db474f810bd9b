#include "native_probe/noise.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/native_probe/fake_root.h"

namespace pmtwin::probe {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(Noise, ReadsTheTimesOfAllProcessors) {
  const FakeRoot root;
  root.put("proc/stat", "cpu  100 20 30 1000 50 6 4 90 7 0\ncpu0 1 1 1 1 1 1 1 1 1 1\n");
  const CpuTimes times = cpu_times(root.path());
  EXPECT_EQ(times.total, 1300u) << "guest time is in user time already";
  EXPECT_EQ(times.idle, 1050u);
  EXPECT_EQ(times.stolen, 90u);
  const FakeRoot empty;
  EXPECT_EQ(cpu_times(empty.path()).total, 0u);
}

TEST(Noise, StealIsAShareOfWhatPassed) {
  EXPECT_DOUBLE_EQ(steal_percent({1000, 0, 10}, {1200, 0, 15}), 2.5);
  EXPECT_EQ(steal_percent({1000, 0, 10}, {1000, 0, 10}), 0.0);
}

TEST(Noise, AQuietMachineGetsNoAdvice) {
  const Noise quiet{.spin_cv_percent = 0.5, .spin_worst_percent = 4, .steal_percent = 0, .others_cpus = 0.05};
  EXPECT_FALSE(quiet.noisy());
  EXPECT_TRUE(quiet.advice(8).empty());
}

TEST(Noise, ANoisyOneSaysHowNoisyAndWhatToDo) {
  const Noise spinning{.spin_cv_percent = 8.25, .spin_worst_percent = 120, .steal_percent = 0, .others_cpus = 0};
  EXPECT_TRUE(spinning.noisy());
  EXPECT_THAT(spinning.advice(8),
              ElementsAre(testing::AllOf(HasSubstr("took 2.2 times the median"), HasSubstr("more repetitions"))));
  const Noise interrupted{.spin_cv_percent = 491, .spin_worst_percent = 25296.8, .steal_percent = 0, .others_cpus = 0};
  EXPECT_THAT(interrupted.advice(8), ElementsAre(HasSubstr("took 254 times the median")));
  const Noise stolen{.spin_cv_percent = 0, .spin_worst_percent = 0, .steal_percent = 5, .others_cpus = 0};
  EXPECT_TRUE(stolen.noisy());
  EXPECT_THAT(stolen.advice(8), ElementsAre(HasSubstr("5.0 %")));
  const Noise busy{.spin_cv_percent = 0, .spin_worst_percent = 0, .steal_percent = 0, .others_cpus = 1.5};
  EXPECT_TRUE(busy.noisy());
  EXPECT_THAT(busy.advice(8), ElementsAre(HasSubstr("1.5 of 8")));
}

TEST(Noise, IsTheScatterOfTheSpinsAndTheWorkOfOthersMeanwhile) {
  // of 400 jiffies of 4 processors 120 were idle: 2.8 processors worked, one of them here
  const Noise noise = noise_of({110, 90, 150, 100, 50}, {1000, 500, 10}, {1400, 620, 30}, 4);
  EXPECT_NEAR(noise.spin_cv_percent, 36.0555, 1e-4);  // the sample's deviation: the root of 5200 / 4
  EXPECT_DOUBLE_EQ(noise.spin_worst_percent, 50.0);
  EXPECT_DOUBLE_EQ(noise.steal_percent, 5.0);
  EXPECT_NEAR(noise.others_cpus, 1.8, 1e-12);
}

TEST(Noise, NobodyElseIsNoWorkAndNoTimeIsNoShare) {
  const Noise idle = noise_of({100, 100, 100}, {1000, 500, 0}, {1400, 900, 0}, 4);
  EXPECT_EQ(idle.spin_cv_percent, 0.0);
  EXPECT_EQ(idle.others_cpus, 0.0);
  const Noise at_once = noise_of({100, 100, 100}, {1000, 500, 0}, {1000, 500, 0}, 4);
  EXPECT_EQ(at_once.steal_percent, 0.0);
  EXPECT_EQ(at_once.others_cpus, 0.0);
}

TEST(Noise, WhatIsMeasuredIsWithinWhatTheMachineHas) {
  constexpr int kCpus = 2;
  const CpuTimes before = cpu_times();
  const Noise noise = measure_noise(measure_clock(), kCpus);
  EXPECT_GT(cpu_times().total, before.total) << "the spins take some time";
  EXPECT_TRUE(std::isfinite(noise.spin_cv_percent) && std::isfinite(noise.spin_worst_percent));
  EXPECT_LE(noise.steal_percent, 100.0);
  EXPECT_LE(noise.others_cpus, kCpus - 1);
}

}  // namespace
}  // namespace pmtwin::probe
