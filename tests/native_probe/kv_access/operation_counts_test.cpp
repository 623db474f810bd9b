#include "native_probe/kv_access/operation_counts.h"

#include <gtest/gtest.h>

#include <vector>

namespace pmtwin::probe {
namespace {

using Kind = PersistenceCall::Kind;

const void* at(std::uintptr_t address) { return reinterpret_cast<const void*>(address); }

TEST(LinesTouched, CountsTheLinesThatARangeOverlaps) {
  EXPECT_EQ(lines_touched(0, 0, 64), 0u);
  EXPECT_EQ(lines_touched(63, 1, 64), 1u);
  EXPECT_EQ(lines_touched(63, 2, 64), 2u);
  EXPECT_EQ(lines_touched(64, 128, 64), 2u);
}

TEST(StreamedCopy, HeadAndTailThatFillNoLineAreFlushed) {
  const StreamedCopy copy = split_streamed(4096 + 16, 48 + 128 + 5);
  EXPECT_EQ(copy.streamed_bytes, 128u);
  EXPECT_EQ(copy.flushed_lines, 2u);
}

TEST(StreamedCopy, ATailOfOneRegisterIsStreamed) {
  EXPECT_EQ(split_streamed(4096, 64 + 32).streamed_bytes, 96u);
  EXPECT_EQ(split_streamed(4096, 64 + 2).streamed_bytes, 64u);  // there is no streaming store of two bytes
}

TEST(Count, AFenceWithNothingBeforeItIsNoRound) {
  const std::vector<PersistenceCall> calls = {{Kind::fence, nullptr, 0, nullptr},
                                              {Kind::flush, at(4096), 65, nullptr},
                                              {Kind::fence, nullptr, 0, nullptr},
                                              {Kind::fence, nullptr, 0, nullptr}};
  const OperationCounts counts = count(calls, {});
  EXPECT_EQ(counts.fences, 3);
  EXPECT_EQ(counts.rounds, 1);
  EXPECT_EQ(counts.flush_calls, 1);
  EXPECT_EQ(counts.flushed_lines, 2);
}

TEST(Count, AMediaLineOfTwoRoundsIsOneLineWrittenTwice) {
  const std::vector<PersistenceCall> calls = {{Kind::flush, at(4096), 8, nullptr},
                                              {Kind::flush, at(4096 + 128), 8, nullptr},
                                              {Kind::fence, nullptr, 0, nullptr},
                                              {Kind::flush, at(4096 + 192), 8, nullptr}};
  const OperationCounts counts = count(calls, {});
  EXPECT_EQ(counts.media_lines, 1);
  EXPECT_EQ(counts.media_line_writes, 2);
}

TEST(Count, WhatIsCopiedIntoTheValueIsToldFromTheLog) {
  const Range value{8192, 8192 + 256};
  const std::vector<PersistenceCall> calls = {{Kind::copy_streamed, at(4096), 256, at(8192)},
                                              {Kind::copy_flushed, at(8192), 100, at(64)},
                                              {Kind::copy_unflushed, at(4096), 8, at(64)}};
  const OperationCounts counts = count(calls, value);
  EXPECT_EQ(counts.value_bytes, 100);
  EXPECT_EQ(counts.log_bytes, 264);
  EXPECT_EQ(counts.copied_bytes, 364);
  EXPECT_EQ(counts.streamed_bytes, 256);
  EXPECT_EQ(counts.flushed_lines, 2);
}

}  // namespace
}  // namespace pmtwin::probe
