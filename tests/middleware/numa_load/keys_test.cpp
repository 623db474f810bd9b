#include "middleware/numa_load/keys.h"

#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace pmtwin::middleware {
namespace {

// The records that each thread of a closed loop asks for while the requests are met twice.
std::vector<std::set<std::uint32_t>> records_of_threads(const KeyChoice& choice) {
  const Stream stream = draw_keys(choice);
  std::vector<std::set<std::uint32_t>> records(choice.threads);
  for (std::uint64_t number = 0; number < 2 * stream.size(); ++number) {
    records[number % choice.threads].insert(stream.at(number).record);
  }
  return records;
}

class OwnKeys : public testing::TestWithParam<bool> {};  // sequential or not

TEST_P(OwnKeys, NoTwoThreadsAskForTheSameRecord) {
  for (const std::uint32_t threads : {1u, 3u, 12u, 64u}) {
    const KeyChoice choice{.records = 200, .threads = threads, .sequential = GetParam(), .own_keys = true};
    const auto records = records_of_threads(choice);
    for (std::uint32_t thread = 0; thread < threads; ++thread) {
      EXPECT_EQ(records[thread].size(), 200 / threads);
      for (const std::uint32_t record : records[thread]) EXPECT_EQ(record % threads, thread);
    }
  }
}

TEST_P(OwnKeys, WithoutThemAnyThreadAsksForAnyRecord) {
  const auto records = records_of_threads({.records = 7, .threads = 3, .sequential = GetParam()});
  for (const auto& asked : records) EXPECT_EQ(asked, (std::set<std::uint32_t>{0, 1, 2, 3, 4, 5, 6}));
}

TEST_P(OwnKeys, WhereThereAreTooFewAllAreShared) {
  const auto records = records_of_threads({.records = 2, .threads = 3, .sequential = GetParam(), .own_keys = true});
  for (const auto& asked : records) EXPECT_EQ(asked, (std::set<std::uint32_t>{0, 1}));
}

INSTANTIATE_TEST_SUITE_P(BothPatterns, OwnKeys, testing::Bool());

TEST(DrawKeys, SequentialRequestsFollowOneAnotherAcrossTheEnd) {
  const Stream stream = draw_keys({.records = 10, .threads = 4, .sequential = true});
  for (std::uint64_t number = 0; number < stream.size() + 20; ++number) {
    EXPECT_EQ(stream.at(number).record, number % 10);
  }
}

TEST(DrawKeys, ReadsHaveTheirShareAndASeedIsOneChoice) {
  const KeyChoice choice{.records = 50, .threads = 2, .reads = 0.25, .seed = 4};
  const Stream stream = draw_keys(choice), again = draw_keys(choice);
  std::uint64_t reads = 0;
  for (std::uint64_t number = 0; number < stream.size(); ++number) {
    reads += stream.at(number).kind == Asked::kRead;
    ASSERT_EQ(stream.at(number).record, again.at(number).record);
  }
  EXPECT_NEAR(static_cast<double>(reads) / static_cast<double>(stream.size()), 0.25, 0.02);
}

}  // namespace
}  // namespace pmtwin::middleware
