#include "native_probe/chase.h"

#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <set>
#include <stdexcept>
#include <vector>

namespace pmtwin::probe {
namespace {

struct alignas(64) Line {
  char bytes[64];
};

class Chase : public testing::TestWithParam<bool> {
 protected:
  std::vector<Line> lines = std::vector<Line>(1000);

  char* region() { return lines[0].bytes; }
  void link(std::uint64_t seed) {
    link_lines(region(), lines.size() * sizeof(Line), GetParam(), seed, [] {});
  }
  std::vector<std::ptrdiff_t> order() {
    std::vector<std::ptrdiff_t> visited;
    const char* at = region();
    for (std::size_t i = 0; i < lines.size(); ++i) {
      visited.push_back((at - region()) / 64);
      at = follow(at, 1);
    }
    EXPECT_EQ(at, region()) << "the cycle does not close";
    return visited;
  }
};

TEST_P(Chase, IsOneCycleThroughAllLines) {
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    link(seed);
    const auto visited = order();
    EXPECT_EQ(std::set<std::ptrdiff_t>(visited.begin(), visited.end()).size(), lines.size());
  }
}

TEST_P(Chase, FollowsExactlyAsManyHopsAsAsked) {
  link(1);
  const char* stepwise = region();
  for (int i = 0; i < 37; ++i) stepwise = follow(stepwise, 1);
  EXPECT_EQ(follow(region(), 37), stepwise);
  EXPECT_EQ(follow(region(), 0), region());
}

TEST_P(Chase, LinksOnlyTheFirstEightBytesOfALine) {
  for (Line& line : lines) std::memset(line.bytes, 0x22, sizeof line.bytes);
  link(1);
  for (const Line& line : lines) {
    for (std::size_t at = sizeof(char*); at < sizeof line.bytes; ++at) ASSERT_EQ(line.bytes[at], 0x22);
  }
}

TEST_P(Chase, CanBeStopped) {
  EXPECT_THROW(link_lines(region(), 64'000, GetParam(), 1, [] { throw std::runtime_error("stop"); }),
               std::runtime_error);
}

INSTANTIATE_TEST_SUITE_P(Orders, Chase, testing::Bool(),
                         [](const auto& info) { return info.param ? "random" : "sequential"; });

using SequentialChase = Chase;
TEST_P(SequentialChase, GoesLineByLine) {
  link(1);
  const auto visited = order();
  for (std::size_t i = 0; i < visited.size(); ++i) EXPECT_EQ(visited[i], static_cast<std::ptrdiff_t>(i));
}
INSTANTIATE_TEST_SUITE_P(Order, SequentialChase, testing::Values(false));

using RandomChase = Chase;
TEST_P(RandomChase, HasNoOrderThatAPrefetcherCouldFollow) {
  link(1);
  const auto visited = order();
  std::map<std::ptrdiff_t, int> steps;
  for (std::size_t i = 1; i < visited.size(); ++i) ++steps[visited[i] - visited[i - 1]];
  for (const auto& [step, count] : steps) EXPECT_LT(count, 10) << "step of " << step << " lines";
}
TEST_P(RandomChase, ASeedIsAnOrder) {
  link(1);
  const auto first = order();
  link(1);
  EXPECT_EQ(order(), first);
  link(2);
  EXPECT_NE(order(), first);
}
INSTANTIATE_TEST_SUITE_P(Order, RandomChase, testing::Values(true));

}  // namespace
}  // namespace pmtwin::probe
