// YCSB's zipfian chooser: popular records are asked for more often (Gray et al., "Quickly Generating Billion-Record
// Synthetic Databases", SIGMOD 1994, with YCSB's constant). Rank 0 is the most popular.
#pragma once

#include <cmath>
#include <cstdint>

namespace pmtwin::middleware {

class Zipfian {
 public:
  static constexpr double kTheta = 0.99;

  // `items`: 3 or more.
  explicit Zipfian(std::uint64_t items) : items_(static_cast<double>(items)) {
    for (std::uint64_t i = 1; i <= items; ++i) zeta_ += std::pow(static_cast<double>(i), -kTheta);
    eta_ = (1.0 - std::pow(2.0 / items_, 1.0 - kTheta)) / (1.0 - kZetaTwo / zeta_);
  }

  // The rank that a number in [0, 1) picks.
  std::uint64_t rank(double uniform) const {
    const double scaled = uniform * zeta_;
    if (scaled < 1.0) return 0;
    if (scaled < kZetaTwo) return 1;
    return static_cast<std::uint64_t>(items_ * std::pow(eta_ * uniform - eta_ + 1.0, 1.0 / (1.0 - kTheta)));
  }

 private:
  static inline const double kZetaTwo = 1.0 + std::pow(0.5, kTheta);

  double items_;
  double zeta_ = 0;
  double eta_;
};

}  // namespace pmtwin::middleware
