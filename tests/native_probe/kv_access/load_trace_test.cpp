#include "native_probe/kv_access/load_trace.h"

#include <gtest/gtest.h>
#include <immintrin.h>
#include <sys/mman.h>

#include <cstring>
#include <vector>

namespace pmtwin::probe {
namespace {

constexpr std::size_t kBytes = 1 << 20;

class PoolTrace : public testing::Test {
 protected:
  PoolTrace()
      : data_(static_cast<char*>(
            mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0))) {}
  ~PoolTrace() override { munmap(data_, kBytes); }

  Range pool() const { return {address(0), address(kBytes)}; }
  std::uintptr_t address(std::size_t offset) const { return reinterpret_cast<std::uintptr_t>(data_) + offset; }
  void point(std::size_t from, std::uint64_t to) { std::memcpy(data_ + from, &to, sizeof to); }

  // A chain of three media lines, then a value of 128 B.
  std::vector<PoolAccess> walk(std::size_t begin) {
    point(begin, begin + 10240);
    point(begin + 10240, begin + 20480);
    point(begin + 20480, begin + 30720);
    return trace_pool(pool(), [&] {
      for (const std::size_t step : {0u, 10240u, 20480u, 30720u, 30784u}) {
        static_cast<void>(*static_cast<volatile char*>(data_ + begin + step));
      }
    });
  }

  char* data_;
};

TEST_F(PoolTrace, WritesDownLoadsAndStoresInTheirOrder) {
  const std::vector<PoolAccess> accesses = trace_pool(pool(), [&] {
    static_cast<void>(*static_cast<volatile char*>(data_ + 5000));
    *static_cast<volatile char*>(data_ + 4097) = 1;
    _mm_stream_si32(reinterpret_cast<int*>(data_ + 70000), 7);
  });
  ASSERT_EQ(accesses.size(), 3u);
  EXPECT_EQ(accesses[0].address, address(5000));
  EXPECT_EQ(accesses[0].kind, PoolAccess::Kind::load);
  EXPECT_EQ(accesses[1].address, address(4097));
  EXPECT_EQ(accesses[1].kind, PoolAccess::Kind::store);
  EXPECT_EQ(accesses[2].kind, PoolAccess::Kind::stream);
  EXPECT_EQ(data_[4097], 1);
}

TEST_F(PoolTrace, ACopyByAStringInstructionCountsOnceALine) {
  std::vector<char> copy(8192);
  const std::vector<PoolAccess> accesses = trace_pool(pool(), [&] {
    void* to = copy.data();
    const void* from = data_;
    std::size_t bytes = copy.size();
    asm volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(bytes) : : "memory");
  });
  EXPECT_EQ(accesses.size(), 8192u / 64);
}

TEST_F(PoolTrace, FlushesMoveNothingIn) {
  EXPECT_TRUE(trace_pool(pool(), [&] { _mm_clflush(data_); }).empty());
}

TEST_F(PoolTrace, AnExceptionOpensThePoolAgain) {
  EXPECT_THROW(trace_pool(pool(), [] { throw 1; }), int);
  data_[0] = 1;
}

TEST_F(PoolTrace, EachLineThatHoldsThePointerToTheNextLengthensTheChain) {
  std::vector<std::vector<PoolAccess>> operations;
  std::vector<Range> values;
  for (const std::size_t begin : {102400u, 204800u, 307200u, 409600u, 512000u}) {
    operations.push_back(walk(begin));
    values.push_back({address(begin + 30720), address(begin + 30720 + 128)});
  }
  const LoadCounts counts = analyse_loads(operations, values, pool());
  EXPECT_EQ(counts.dependent_reads, 4);
  EXPECT_EQ(counts.cold_media_lines, 3);
  EXPECT_EQ(counts.value_lines, 2);
  EXPECT_EQ(counts.shared_lines, 0);
}

TEST_F(PoolTrace, LinesWithoutPointersBetweenThemAreReadAtOnce) {
  std::vector<std::vector<PoolAccess>> operations;
  for (std::size_t begin = 102400; begin < 600000; begin += 102400) {
    operations.push_back(trace_pool(pool(), [&] {
      for (const std::size_t step : {0u, 10240u, 20480u}) static_cast<void>(*static_cast<volatile char*>(data_ + begin + step));
    }));
  }
  const LoadCounts counts = analyse_loads(operations, std::vector<Range>(operations.size()), pool());
  EXPECT_EQ(counts.dependent_reads, 1);
  EXPECT_EQ(counts.cold_media_lines, 3);
}

TEST_F(PoolTrace, WhatManyOperationsTouchIsInTheCaches) {
  std::vector<std::vector<PoolAccess>> operations;
  for (std::size_t index = 1; index <= 8; ++index) {
    operations.push_back(trace_pool(pool(), [&] {
      static_cast<void>(*static_cast<volatile char*>(data_));
      static_cast<void>(*static_cast<volatile char*>(data_ + index * 8192));
    }));
  }
  const LoadCounts counts = analyse_loads(operations, std::vector<Range>(operations.size()), pool());
  EXPECT_EQ(counts.shared_lines, 1);
  EXPECT_EQ(counts.cold_lines, 1);
}

}  // namespace
}  // namespace pmtwin::probe
