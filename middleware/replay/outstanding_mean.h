// How many requests a middleware says are in it, on average over time: for Little's law, whose other side comes from the
// stamps of the requests. The two agree only if the middleware loses, doubles and misstamps none.
#pragma once

#include <cstdint>
#include <limits>

#include "middleware/core/clock.h"

namespace pmtwin::replay {

// Not for several threads at once.
class OutstandingMean {
 public:
  // `clock`: the middleware's, while it runs.
  explicit OutstandingMean(const middleware::Clock& clock) : clock_(clock) { begin(); }

  // So many are in it, and have been since the last look. To be called before each submission and at each answer:
  // between these the count does not change, but that a worker takes an answered request off it a moment later.
  void look(std::uint64_t outstanding) {
    const middleware::Nanoseconds now = clock_.now();
    if (now <= last_) return;  // a clock of virtual time may be behind in this thread
    area_ += static_cast<double>(outstanding) * static_cast<double>(now - last_);
    passed_ += static_cast<double>(now - last_);
    last_ = now;
  }

  void begin() {
    last_ = clock_.now();
    area_ = passed_ = 0;
  }

  // Since begin(); NaN if no time has passed.
  double mean() const { return passed_ > 0 ? area_ / passed_ : std::numeric_limits<double>::quiet_NaN(); }

 private:
  const middleware::Clock& clock_;
  middleware::Nanoseconds last_ = 0;
  double area_ = 0, passed_ = 0;
};

}  // namespace pmtwin::replay
