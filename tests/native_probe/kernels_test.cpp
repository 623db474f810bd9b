#include "native_probe/kernels.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <array>
#include <cstring>
#include <memory>
#include <set>
#include <stdexcept>

#include "native_probe/access.h"
#include "tests/native_probe/every_isa.h"

namespace pmtwin::probe {
namespace {

constexpr std::size_t kPage = 4096;
constexpr std::size_t kPages = 8;
constexpr std::size_t kBytes = kPages * kPage;
constexpr char kUntouched = 0x11;

// Memory between two pages that nobody may touch: an access one byte outside ends the test.
class Guarded {
 public:
  Guarded() {
    void* all = mmap(nullptr, kBytes + 2 * kPage, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (all == MAP_FAILED) throw std::runtime_error("mmap");
    data_ = static_cast<char*>(all) + kPage;
    mprotect(data_, kBytes, PROT_READ | PROT_WRITE);
    std::memset(data_, kUntouched, kBytes);
  }
  ~Guarded() { munmap(data_ - kPage, kBytes + 2 * kPage); }
  Guarded(const Guarded&) = delete;
  Guarded& operator=(const Guarded&) = delete;

  char* data() { return data_; }

  void forbid_writing() { mprotect(data_, kBytes, PROT_READ); }

  // 1 for a line that holds what a kernel stores, 0 for one that nobody touched, -1 for one that is neither.
  int state_of(std::size_t line) const {
    const char* at = data_ + line * kLineBytes;
    if (std::memcmp(at, kStoredLine, kLineBytes) == 0) return 1;
    for (std::size_t i = 0; i < kLineBytes; ++i) {
      if (at[i] != kUntouched) return -1;
    }
    return 0;
  }

  std::set<std::size_t> written_lines() const {
    std::set<std::size_t> lines;
    for (std::size_t line = 0; line < kBytes / kLineBytes; ++line) {
      const int state = state_of(line);
      EXPECT_NE(state, -1) << "line " << line << " is torn";
      if (state == 1) lines.insert(line);
    }
    return lines;
  }

 private:
  char* data_;
};

constexpr Operation kWrites[] = {Operation::kNtstore, Operation::kStoreClwb, Operation::kStore};

class Kernels : public testing::TestWithParam<Isa> {
 protected:
  // What a walk of its own, from the same start, says that the kernel must have touched.
  static std::set<std::size_t> lines_of(Offsets offsets, std::uint64_t count, std::uint64_t access_bytes) {
    std::set<std::size_t> lines;
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::uint64_t offset = offsets.next();
      for (std::uint64_t at = 0; at < access_bytes; at += kLineBytes) lines.insert((offset + at) / kLineBytes);
    }
    return lines;
  }
};

TEST_P(Kernels, EveryWriteFillsTheBlocksOfItsWalkAndNothingElse) {
  for (const Operation operation : kWrites) {
    for (const bool random : {false, true}) {
      for (const std::uint64_t access_bytes : {64u, 128u, 256u, 320u, 832u, 4096u}) {
        for (const std::uint64_t fence : {0u, 64u, 192u}) {
          Guarded memory;
          Offsets offsets({.first_byte = 0, .bytes = kBytes, .access_bytes = access_bytes, .random = random});
          const Offsets same = offsets;
          const Accesses accesses{
              .operation = operation, .access_bytes = access_bytes, .fence_interval_bytes = fence};
          Progress progress;
          kernel_of(operation, GetParam(), false)(memory.data(), offsets, accesses, 5, progress);
          EXPECT_EQ(memory.written_lines(), lines_of(same, 5, access_bytes))
              << name_of(operation) << " " << access_bytes << " B, fence " << fence << ", random " << random;
        }
      }
    }
  }
}

TEST_P(Kernels, AWalkGoesOnWhereTheChunkBeforeEnded) {
  Guarded memory;
  Offsets offsets({.first_byte = 0, .bytes = kBytes});
  const Kernel kernel = kernel_of(Operation::kStore, GetParam(), false);
  const Accesses accesses{.operation = Operation::kStore};
  Progress progress;
  for (std::size_t i = 0; i < kBytes / kLineBytes / 4; ++i) kernel(memory.data(), offsets, accesses, 4, progress);
  EXPECT_EQ(memory.written_lines().size(), kBytes / kLineBytes);
}

TEST_P(Kernels, LoadsWriteNothing) {
  Guarded memory;
  memory.forbid_writing();
  for (const std::uint64_t access_bytes : {64u, 192u, 256u, 4096u}) {
    Offsets offsets({.first_byte = 0, .bytes = kBytes, .access_bytes = access_bytes});
    Progress progress;
    kernel_of(Operation::kLoad, GetParam(), false)(memory.data(), offsets, {.access_bytes = access_bytes}, 600,
                                                   progress);
  }
  EXPECT_TRUE(memory.written_lines().empty());
}

TEST_P(Kernels, OfAMixTheAskedShareWritesEvenlySpread) {
  for (const double share : {0.0, 0.25, 0.5, 0.9, 1.0}) {
    Guarded memory;
    Offsets offsets({.first_byte = 0, .bytes = kBytes});
    Progress progress;
    const std::uint64_t blocks = kBytes / kLineBytes;
    kernel_of(Operation::kNtstore, GetParam(), true)(memory.data(), offsets, {.write_ratio = share}, blocks, progress);
    EXPECT_NEAR(static_cast<double>(memory.written_lines().size()), share * static_cast<double>(blocks), 1.0) << share;
  }
}

TEST_P(Kernels, FencesComeAtTheirIntervalAcrossChunks) {
  Guarded memory;
  Offsets offsets({.first_byte = 0, .bytes = kBytes});
  Progress progress;
  const Accesses accesses{.operation = Operation::kNtstore, .fence_interval_bytes = 256};
  const Kernel kernel = kernel_of(Operation::kNtstore, GetParam(), false);
  kernel(memory.data(), offsets, accesses, 3, progress);
  EXPECT_EQ(progress.unfenced_bytes, 192u);
  kernel(memory.data(), offsets, accesses, 1, progress);
  EXPECT_EQ(progress.unfenced_bytes, 0u);
  kernel(memory.data(), offsets, accesses, 5, progress);
  EXPECT_EQ(progress.unfenced_bytes, 64u);
}

TEST_P(Kernels, TimedAccessesDoTheSameAndCountEachOnce) {
  for (const Operation operation : {Operation::kLoad, Operation::kNtstore, Operation::kStoreClwb, Operation::kStore}) {
    for (const bool cached : {false, true}) {
      Guarded memory;
      Offsets offsets({.first_byte = 0, .bytes = kBytes, .access_bytes = 320, .random = true});
      const Offsets same = offsets;
      Histogram latencies;
      timed_kernel_of(operation, GetParam())(memory.data(), offsets, 320, 7, {0, cached}, latencies);
      EXPECT_EQ(latencies.count(), 7u);
      EXPECT_GT(latencies.quantile(0.0), 0.0) << "stamps with an access between them differ";
      const std::set<std::size_t> expected =
          operation == Operation::kLoad ? std::set<std::size_t>() : lines_of(same, 7, 320);
      EXPECT_EQ(memory.written_lines(), expected) << name_of(operation);
    }
  }
}

TEST_P(Kernels, OverheadIsTakenOffAndNoLatencyIsNegative) {
  Guarded memory;
  Offsets offsets({.first_byte = 0, .bytes = kBytes});
  Histogram latencies;
  const std::uint64_t more_than_any = std::uint64_t{1} << 60;
  timed_kernel_of(Operation::kLoad, GetParam())(memory.data(), offsets, 64, 10, {more_than_any, false}, latencies);
  EXPECT_EQ(latencies.count(), 10u);
  EXPECT_EQ(latencies.mean(), 0.0);
}

INSTANTIATE_TEST_SUITE_P(EveryIsa, Kernels, testing::ValuesIn(every_isa()), [](const auto& info) {
  return name_of(info.param.vector) + "_" + name_of(info.param.flush);
});

}  // namespace
}  // namespace pmtwin::probe
