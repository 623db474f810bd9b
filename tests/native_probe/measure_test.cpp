#include "native_probe/measure.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <thread>

#include "native/common/errors.h"
#include "native/common/placement.h"
#include "native_probe/access.h"
#include "native_probe/chase.h"
#include "tests/native_probe/every_isa.h"

namespace pmtwin::probe {
namespace {

using testing::HasSubstr;

TEST(StartLine, NobodyStartsBeforeTheLastHasComeAndAllAtOneTime) {
  constexpr int kThreads = 4;
  StartLine line(kThreads);
  std::vector<std::uint64_t> begins(kThreads), arrivals(kThreads);
  std::atomic<int> came = 0;  // one after the other
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] {
      const auto at = static_cast<std::size_t>(i);
      while (came < i) std::this_thread::yield();
      arrivals[at] = ticks_now();
      ++came;
      begins[at] = line.wait(1000);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::uint64_t begin : begins) EXPECT_EQ(begin, begins[0]);
  for (const std::uint64_t arrival : arrivals) EXPECT_GE(begins[0], arrival + 1000);
}

struct alignas(64) MemoryLine {
  char bytes[64];
};

class OneRepetition : public testing::Test {
 protected:
  std::vector<MemoryLine> lines = std::vector<MemoryLine>((1u << 20) / sizeof(MemoryLine));
  Clock clock = measure_clock();

  char* region() { return lines[0].bytes; }

  std::vector<ThreadResult> run(const Case& asked, const Isa& isa = best_isa()) {
    check_fits(asked, 1u << 20, static_cast<std::size_t>(asked.threads));
    if (asked.kind == Kind::kChase) link_lines(region(), 1u << 20, asked.random, 1, [] {});
    std::vector<int> cpus;
    for (int i = 0; i < asked.threads; ++i) cpus.push_back(allowed_cpus()[static_cast<std::size_t>(i)]);
    Repetition repetition(asked, isa, clock, region(), 1u << 20, cpus, 1);
    std::vector<std::thread> threads;
    for (int i = 0; i < asked.threads; ++i) threads.emplace_back([&, i] { repetition.run(i); });
    for (std::thread& thread : threads) thread.join();
    EXPECT_FALSE(repetition.cut_short());
    return repetition.results();
  }
};

TEST_F(OneRepetition, CountsWhatWasDoneInAtLeastTheAskedTime) {
  for (const Isa& isa : every_isa()) {
    for (const Operation operation :
         {Operation::kLoad, Operation::kNtstore, Operation::kStoreClwb, Operation::kStore}) {
      for (const bool random : {false, true}) {
        const auto results = run({.operation = operation, .random = random, .min_time_s = 0.002}, isa);
        ASSERT_EQ(results.size(), 1u);
        EXPECT_GT(results[0].accesses, 0u);
        EXPECT_GE(results[0].ticks, clock.ticks(0.002));
        EXPECT_GT(results[0].cpu_share, 0.0);
        EXPECT_LT(results[0].cpu_share, 1.1);
        EXPECT_TRUE(results[0].pinned);
        EXPECT_EQ(results[0].latencies.count(), 0u);
      }
    }
  }
}

TEST_F(OneRepetition, LatenciesAreThoseOfTheMeasuredAccessesAlone) {
  for (const Operation operation : {Operation::kLoad, Operation::kNtstore, Operation::kStoreClwb}) {
    const auto results = run({.kind = Kind::kLatency, .operation = operation, .min_time_s = 0.002});
    EXPECT_EQ(results[0].latencies.count(), results[0].accesses);
  }
  const auto results = run({.kind = Kind::kChase, .min_time_s = 0.002});
  EXPECT_EQ(results[0].latencies.count() * kHopsPerBatch, results[0].accesses);
  EXPECT_GT(results[0].latencies.mean(), 0.0);
}

TEST_F(OneRepetition, OfAMixByThreadsTheFirstThreadsWriteAndTheOthersDoNot) {
  if (allowed_cpus().size() < 2) GTEST_SKIP() << "one processor";
  const auto results = run({.mixed = true, .random = false, .threads = 2, .write_ratio = 0.5, .min_time_s = 0.02});
  ASSERT_EQ(results.size(), 2u);
  EXPECT_EQ(std::memcmp(region(), kStoredLine, 64), 0);
  const MemoryLine zeros{};
  for (std::size_t line = lines.size() / 2; line < lines.size(); ++line) {
    ASSERT_EQ(std::memcmp(lines[line].bytes, zeros.bytes, 64), 0) << "the reader's half, line " << line;
  }
}

TEST_F(OneRepetition, SequentialThreadsHaveAHalfEach) {
  if (allowed_cpus().size() < 2) GTEST_SKIP() << "one processor";
  run({.operation = Operation::kStore, .random = false, .threads = 2, .min_time_s = 0.02});
  for (const MemoryLine& line : lines) ASSERT_EQ(std::memcmp(line.bytes, kStoredLine, 64), 0);
}

std::string error_of(const Case& asked, std::uint64_t region_bytes, std::size_t cpus) {
  try {
    check_fits(asked, region_bytes, cpus);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(CheckFits, EveryThreadHasAProcessorAndSixteenBlocks) {
  EXPECT_EQ(error_of({.threads = 2}, 1u << 20, 2), "");
  EXPECT_THAT(error_of({.threads = 3}, 1u << 20, 2), HasSubstr("1 to 2"));
  EXPECT_EQ(error_of({.random = true, .access_bytes = 65536, .threads = 2}, 1u << 20, 2), "");
  EXPECT_THAT(error_of({.random = false, .access_bytes = 65536, .threads = 2}, 1u << 20, 2),
              HasSubstr("access_size_bytes"));
  EXPECT_THAT(error_of({.random = false, .stride_bytes = 131072}, 1u << 20, 2), HasSubstr("stride_bytes"));
}

}  // namespace
}  // namespace pmtwin::probe
