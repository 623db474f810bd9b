#include "native_probe/offsets.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <vector>

namespace pmtwin::probe {
namespace {

std::vector<std::uint64_t> take(const Walk& walk, int count) {
  Offsets offsets(walk);
  std::vector<std::uint64_t> taken;
  for (int i = 0; i < count; ++i) taken.push_back(offsets.next());
  return taken;
}

TEST(Offsets, SequentialVisitsEveryBlockOnceInOrder) {
  const Walk walk{.first_byte = 8192, .bytes = 1 << 16, .access_bytes = 256, .seed = 5};
  const auto taken = take(walk, 256);
  EXPECT_EQ(std::set<std::uint64_t>(taken.begin(), taken.end()).size(), 256u);
  for (std::size_t i = 0; i < taken.size(); ++i) {
    EXPECT_GE(taken[i], walk.first_byte);
    EXPECT_LE(taken[i] + 256, walk.first_byte + walk.bytes);
    const std::uint64_t end = walk.first_byte + walk.bytes;
    if (i > 0) {
      EXPECT_EQ(taken[i], taken[i - 1] + 256 == end ? walk.first_byte : taken[i - 1] + 256);
    }
  }
}

TEST(Offsets, RunsAreTheSameWalk) {
  const Walk walk{.first_byte = 8192, .bytes = 1 << 16, .access_bytes = 256, .seed = 5};
  Offsets blocks(walk), runs(walk);
  ASSERT_TRUE(runs.contiguous());
  for (const std::uint64_t most : {1u, 7u, 1000u, 300u, 256u, 1u}) {
    for (std::uint64_t done = 0; done < most;) {
      const Offsets::Run run = runs.next_run(most - done);
      ASSERT_GT(run.blocks, 0u);
      for (std::uint64_t i = 0; i < run.blocks; ++i) ASSERT_EQ(run.offset + i * 256, blocks.next());
      done += run.blocks;
    }
  }
  EXPECT_FALSE(Offsets({.bytes = 1 << 16, .random = true}).contiguous());
  EXPECT_FALSE(Offsets({.bytes = 1 << 16, .stride_bytes = 256}).contiguous());
}

TEST(Offsets, StridedTakesOneBlockInEachStrideAndLaterTheOnesBetween) {
  const Walk walk{.first_byte = 0, .bytes = 1 << 16, .access_bytes = 64, .stride_bytes = 1024};
  // 64 strides of 16 blocks. The walk starts anywhere in the first round; what follows it are 15 rounds over the others.
  const auto taken = take(walk, 64 * 17);
  std::set<std::uint64_t> visited;
  int rounds = 0;
  for (std::size_t i = 1; i < taken.size(); ++i) {
    EXPECT_EQ(taken[i] % 64, 0u);
    if (taken[i] > taken[i - 1]) {
      EXPECT_EQ(taken[i] - taken[i - 1], 1024u);
    } else {
      ++rounds;
    }
    visited.insert(taken[i]);
  }
  EXPECT_GE(rounds, 16);
  EXPECT_EQ(visited.size(), 1024u) << "all blocks, none left out";
}

TEST(Offsets, AStrideThatIsNoMultipleOfTheAccessNeverLeavesItsPart) {
  const Walk walk{.first_byte = 4096, .bytes = 10'000, .access_bytes = 192, .stride_bytes = 448};
  for (const std::uint64_t offset : take(walk, 1000)) {
    EXPECT_GE(offset, 4096u);
    EXPECT_LE(offset + 192, 4096u + 10'000u);
  }
}

TEST(Offsets, RandomIsUniformOverTheBlocks) {
  const Walk walk{.first_byte = 64, .bytes = 64 * 256, .access_bytes = 256, .random = true, .seed = 3};
  constexpr int kDraws = 64'000;
  std::map<std::uint64_t, int> counts;
  for (const std::uint64_t offset : take(walk, kDraws)) {
    ASSERT_EQ((offset - 64) % 256, 0u);
    ASSERT_LT(offset, 64u + walk.bytes);
    ++counts[offset];
  }
  ASSERT_EQ(counts.size(), 64u);
  double chi_squared = 0;
  for (const auto& [offset, count] : counts) chi_squared += (count - 1000.0) * (count - 1000.0) / 1000.0;
  EXPECT_LT(chi_squared, 119.0);  // 63 degrees of freedom: exceeded once in 40,000
}

TEST(Offsets, TheSameSeedGivesTheSameWalkAndNeighboursOthers) {
  const Walk one{.bytes = 1 << 20, .random = true, .seed = 1}, two{.bytes = 1 << 20, .random = true, .seed = 2};
  EXPECT_EQ(take(one, 100), take(one, 100));
  const auto a = take(one, 1000), b = take(two, 1000);
  int equal = 0;
  for (std::size_t i = 0; i < a.size(); ++i) equal += a[i] == b[i];
  EXPECT_LT(equal, 5);
}

TEST(Offsets, ThreadsWithPartsOfTheirOwnStartApart) {
  const Walk one{.first_byte = 0, .bytes = 1 << 20, .seed = 4096}, two{.first_byte = 1 << 20, .bytes = 1 << 20, .seed = 4097};
  EXPECT_NE(take(one, 1)[0], take(two, 1)[0] - (1 << 20));
}

}  // namespace
}  // namespace pmtwin::probe
