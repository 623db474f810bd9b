#include "native/common/histogram.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace pmtwin::probe {
namespace {

// Latencies as they are: most near 300, some a thousand times that.
std::vector<std::uint64_t> heavy_tailed(std::uint64_t seed, int count) {
  std::mt19937_64 engine(seed);
  std::lognormal_distribution<double> latency(std::log(300.0), 1.5);
  std::vector<std::uint64_t> values;
  for (int i = 0; i < count; ++i) values.push_back(static_cast<std::uint64_t>(latency(engine)));
  return values;
}

Histogram of(const std::vector<std::uint64_t>& values) {
  Histogram histogram;
  for (const std::uint64_t value : values) histogram.record(value);
  return histogram;
}

TEST(Histogram, EveryBinHoldsTheValuesItClaimsAndNoGapIsLeft) {
  std::uint64_t expected_lower = 0;
  for (std::size_t index = 0; index < Histogram::kBins; ++index) {
    Histogram histogram;
    histogram.record(expected_lower);
    const Histogram::Bin bin = histogram.bins().at(0);
    ASSERT_EQ(bin.lower, expected_lower);
    ASSERT_EQ(Histogram::bin_of(bin.lower), index);
    ASSERT_EQ(Histogram::bin_of(bin.upper), index);
    expected_lower = bin.upper + 1;
  }
  EXPECT_EQ(expected_lower, std::uint64_t{1} << Histogram::kLargestBits);
}

TEST(Histogram, QuantilesAreWithinOneBinOfTheSortedValues) {
  std::vector<std::uint64_t> values = heavy_tailed(1, 100'000);
  const Histogram histogram = of(values);
  std::sort(values.begin(), values.end());
  for (const double quantile : {0.0, 0.01, 0.5, 0.9, 0.99, 0.999, 0.9999, 1.0}) {
    const auto rank = std::max(1.0, std::ceil(quantile * static_cast<double>(values.size())));
    const auto exact = static_cast<double>(values.at(static_cast<std::size_t>(rank) - 1));
    EXPECT_NEAR(histogram.quantile(quantile), exact, exact / (1 << Histogram::kPrecisionBits)) << quantile;
  }
}

TEST(Histogram, TheMeanIsThatOfTheValuesAndNotOfTheBins) {
  const std::vector<std::uint64_t> values = heavy_tailed(2, 10'000);
  double sum = 0;
  for (const std::uint64_t value : values) sum += static_cast<double>(value);
  EXPECT_DOUBLE_EQ(of(values).mean(), sum / 10'000);
}

TEST(Histogram, MergedThreadsAreTheHistogramOfAllValues) {
  const std::vector<std::uint64_t> one = heavy_tailed(3, 5'000);
  const std::vector<std::uint64_t> other = heavy_tailed(4, 50);
  std::vector<std::uint64_t> all = one;
  all.insert(all.end(), other.begin(), other.end());
  Histogram merged = of(one);
  merged.merge(of(other));
  const Histogram expected = of(all);
  ASSERT_EQ(merged.bins().size(), expected.bins().size());
  for (std::size_t i = 0; i < merged.bins().size(); ++i) {
    EXPECT_EQ(merged.bins()[i].lower, expected.bins()[i].lower);
    EXPECT_EQ(merged.bins()[i].count, expected.bins()[i].count);
  }
  EXPECT_EQ(merged.count(), 5'050u);
  EXPECT_EQ(merged.mean(), expected.mean());
}

TEST(Histogram, AValueBeyondTheRangeCountsAsTheLargest) {
  Histogram histogram;
  histogram.record(~std::uint64_t{0});
  EXPECT_EQ(histogram.bins().at(0).upper, (std::uint64_t{1} << Histogram::kLargestBits) - 1);
}

TEST(Histogram, WithoutValuesEverythingIsZero) {
  EXPECT_EQ(Histogram().quantile(0.5), 0.0);
  EXPECT_EQ(Histogram().mean(), 0.0);
  EXPECT_TRUE(Histogram().bins().empty());
}

}  // namespace
}  // namespace pmtwin::probe
