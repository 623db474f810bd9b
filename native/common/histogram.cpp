#include "native/common/histogram.h"

#include <algorithm>
#include <cmath>

namespace pmtwin {

void Histogram::merge(const Histogram& other) {
  for (std::size_t index = 0; index < kBins; ++index) counts_[index] += other.counts_[index];
  count_ += other.count_;
  sum_ += other.sum_;
}

void Histogram::clear() {
  std::fill(counts_.begin(), counts_.end(), 0);
  count_ = sum_ = 0;
}

double Histogram::mean() const {
  return count_ == 0 ? 0.0 : static_cast<double>(sum_) / static_cast<double>(count_);
}

double Histogram::quantile(double quantile) const {
  if (count_ == 0) return 0.0;
  const double share = std::clamp(quantile, 0.0, 1.0) * static_cast<double>(count_);
  const auto rank = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::ceil(share)));
  std::uint64_t seen = 0;
  std::size_t index = 0;
  while ((seen += counts_[index]) < rank) ++index;
  const Bin bin = bounds(index);
  return 0.5 * (static_cast<double>(bin.lower) + static_cast<double>(bin.upper));
}

std::vector<Histogram::Bin> Histogram::bins() const {
  std::vector<Bin> found;
  for (std::size_t index = 0; index < kBins; ++index) {
    if (counts_[index] == 0) continue;
    found.push_back(bounds(index));
    found.back().count = counts_[index];
  }
  return found;
}

Histogram::Bin Histogram::bounds(std::size_t index) {
  if (index < kBinsPerOctave) return {index, index, 0};
  const std::size_t shift = (index >> kPrecisionBits) - 1;
  const std::uint64_t lower = (kBinsPerOctave + (index & (kBinsPerOctave - 1))) << shift;
  return {lower, lower + (std::uint64_t{1} << shift) - 1, 0};
}

}  // namespace pmtwin
