// A few rounds of pmtwin-middleware-durability, which does a hundred.
#include <gtest/gtest.h>

#include "middleware/durability/kill_rounds.h"
#include "middleware/durability/versions.h"
#include "tests/middleware/scratch.h"

namespace pmtwin::middleware {
namespace {

TEST(Durability, AValueTellsItsVersionAndWhetherItIsWhole) {
  std::string value = versioned_value(3, 17);
  EXPECT_EQ(version_of(3, value), 17u);
  EXPECT_EQ(version_of(4, value), std::nullopt);
  EXPECT_EQ(version_of(3, value.substr(0, value.size() - 1)), std::nullopt);
  EXPECT_EQ(version_of(3, ""), std::nullopt);
  value.back() ^= 1;
  EXPECT_EQ(version_of(3, value), std::nullopt);
}

TEST(Durability, ARemovalIsFoundAmongChanges) {
  for (std::uint64_t first = 0; first < 12; ++first) {
    bool any = false;
    for (std::uint64_t last = first; last < 12; ++last) {
      any = any || is_removal(last);
      EXPECT_EQ(has_removal(first, last), any) << first << " to " << last;
    }
  }
}

TEST(Durability, AcknowledgedPutsAndRemovalsSurviveKillsUnderLoadWithResizes) {
  const testing::Scratch scratch;
  const LoadKills found = kill_under_load(scratch / "", 3, 11, [] {});
  EXPECT_GT(found.puts, 0u);
  EXPECT_GT(found.checked, 0u);
  EXPECT_EQ(found.lost, 0u);
  EXPECT_EQ(found.returned, 0u);
  EXPECT_EQ(found.torn, 0u);
  EXPECT_EQ(scratch.files(), 0u);
}

TEST(Durability, AKilledCreationLeavesAWholePoolOrNone) {
  const testing::Scratch scratch;
  const CreationKills found = kill_during_creation(scratch / "", 8, 12, [] {});
  EXPECT_EQ(found.absent + found.whole, 8);
  EXPECT_GT(found.absent, 0);
  EXPECT_EQ(found.unusable, 0);
  EXPECT_EQ(found.leftovers, 0);
  EXPECT_EQ(scratch.files(), 0u);
}

}  // namespace
}  // namespace pmtwin::middleware
