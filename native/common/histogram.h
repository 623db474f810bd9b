// A log-linear ("HDR") histogram of whole numbers, such as the ticks that single accesses took.
//
// Values below 2^kPrecisionBits have a bin each; above, every octave has 2^kPrecisionBits bins, so that a bin is never
// wider than its values divided by 2^kPrecisionBits (below 0.8 %). Recording is a shift and an increment without a
// branch on the data, and histograms of several threads are merged bin by bin, which loses nothing: percentiles of the
// merged one are those of all values together, unlike means of percentiles.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace pmtwin {

class Histogram {
 public:
  static constexpr int kPrecisionBits = 7;
  static constexpr int kLargestBits = 40;  // 2^40 ticks are minutes; what is larger counts as the largest
  static constexpr std::size_t kBinsPerOctave = std::size_t{1} << kPrecisionBits;
  static constexpr std::size_t kBins = (kLargestBits - kPrecisionBits + 1) * kBinsPerOctave;

  struct Bin {
    std::uint64_t lower;  // smallest and largest value that fall into the bin
    std::uint64_t upper;
    std::uint64_t count;
  };

  static constexpr std::size_t bin_of(std::uint64_t value) {
    if (value >> kLargestBits != 0) value = (std::uint64_t{1} << kLargestBits) - 1;
    const int octave = std::bit_width(value | (kBinsPerOctave - 1)) - kPrecisionBits;
    return (static_cast<std::size_t>(octave) << kPrecisionBits) + (value >> (octave > 0 ? octave - 1 : 0)) -
           (octave > 0 ? kBinsPerOctave : 0);
  }

  void record(std::uint64_t value) {
    ++counts_[bin_of(value)];
    sum_ += value;
    ++count_;
  }

  void merge(const Histogram& other);

  void clear();

  std::uint64_t count() const { return count_; }

  // Mean of the values themselves, not of the bins. 0 if there are none.
  double mean() const;

  // The value below or at which the share `quantile` (0 to 1) of the values lies: the middle of its bin, so at most
  // half a bin off. 0 if there are none.
  double quantile(double quantile) const;

  // The bins with values in them, in order.
  std::vector<Bin> bins() const;

 private:
  static Bin bounds(std::size_t index);

  std::vector<std::uint64_t> counts_ = std::vector<std::uint64_t>(kBins);
  std::uint64_t count_ = 0;
  std::uint64_t sum_ = 0;
};

}  // namespace pmtwin
