#include "native_probe/isa.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "native/common/errors.h"

namespace pmtwin::probe {
namespace {

TEST(Isa, EveryProcessorHasTheBaseline) {
  EXPECT_EQ(available_vectors().front(), Vector::kSse2);
  EXPECT_EQ(available_flushes().front(), Flush::kClflush);
  EXPECT_EQ(best_isa().vector, available_vectors().back());
  EXPECT_EQ(best_isa().flush, available_flushes().back());
}

TEST(Isa, WhatIsNotNamedIsTheBest) {
  EXPECT_EQ(parse_isa("sse2").vector, Vector::kSse2);
  EXPECT_EQ(parse_isa("sse2").flush, best_isa().flush);
  EXPECT_EQ(parse_isa("clflush").vector, best_isa().vector);
  EXPECT_EQ(name_of(parse_isa("sse2+clflush")), "sse2+clflush");
  EXPECT_EQ(name_of(parse_isa("clflush+sse2")), "sse2+clflush");
}

TEST(Isa, EverythingAvailableCanBeAskedForAndNothingElse) {
  const auto vectors = available_vectors();
  for (const Vector vector : {Vector::kSse2, Vector::kAvx2, Vector::kAvx512}) {
    if (std::find(vectors.begin(), vectors.end(), vector) != vectors.end()) {
      EXPECT_EQ(parse_isa(name_of(vector)).vector, vector);
    } else {
      EXPECT_THROW(parse_isa(name_of(vector)), InputError);
    }
  }
  const auto flushes = available_flushes();
  for (const Flush flush : {Flush::kClflush, Flush::kClflushopt, Flush::kClwb}) {
    if (std::find(flushes.begin(), flushes.end(), flush) != flushes.end()) {
      EXPECT_EQ(parse_isa(name_of(flush)).flush, flush);
    } else {
      EXPECT_THROW(parse_isa(name_of(flush)), InputError);
    }
  }
  for (const char* unknown : {"", "+", "avx", "AVX2", "sse2,clflush", "sse2+neon"}) {
    EXPECT_THROW(parse_isa(unknown), InputError) << unknown;
  }
}

}  // namespace
}  // namespace pmtwin::probe
