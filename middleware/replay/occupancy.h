// How many requests are in a middleware on average over a window, told twice: as it counts them itself, and by the stamps
// of its clients. Little's law, in the form that holds for a window of any length, says that both are the same: what is
// in the system when a window begins or ends counts with the part of its time that lies inside. They agree only if the
// middleware loses, doubles and misstamps no request.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "middleware/core/clock.h"

namespace pmtwin::replay {

// Not for several threads at once.
class Occupancy {
 public:
  // A window begins; what is in the system stays in it.
  void begin(middleware::Nanoseconds at) {
    begin_ = last_ = at;
    counted_ = passed_ = resided_ = before_ = 0;
  }

  // The middleware says that so many are in it, and have been since the last look. To be called before each submission
  // and at each answer: between these the count does not change, but that a worker takes an answered request off it a
  // moment later.
  void look(middleware::Nanoseconds now, std::uint64_t outstanding) {
    if (now <= last_) return;  // a clock of virtual time may be behind in this thread
    counted_ += static_cast<double>(outstanding) * static_cast<double>(now - last_);
    passed_ += static_cast<double>(now - last_);
    last_ = now;
  }

  // A client has asked, and has its answer.
  void entered(middleware::Nanoseconds asked) {
    inside_ += 1;
    before_ += since_begin(asked);
  }
  void left(middleware::Nanoseconds asked, middleware::Nanoseconds answered) {
    inside_ -= 1;
    before_ -= since_begin(asked);
    resided_ += since_begin(answered) - since_begin(asked);
  }

  // Means since begin(): by the middleware's count until the last look, by the clients' stamps until `end`. NaN if no time
  // has passed.
  double counted() const { return passed_ > 0 ? counted_ / passed_ : std::numeric_limits<double>::quiet_NaN(); }
  double stamped(middleware::Nanoseconds end) const {
    const double passed = since_begin(end);
    const double inside = static_cast<double>(inside_) * passed - before_;
    return passed > 0 ? (resided_ + inside) / passed : std::numeric_limits<double>::quiet_NaN();
  }

 private:
  double since_begin(middleware::Nanoseconds at) const {
    return static_cast<double>(std::max<middleware::Nanoseconds>(at - begin_, 0));
  }

  middleware::Nanoseconds begin_ = 0, last_ = 0;
  double counted_ = 0, passed_ = 0;
  std::int64_t inside_ = 0;
  double before_ = 0;   // time from begin() to the entries of those inside, summed
  double resided_ = 0;  // of the requests that have left since begin()
};

}  // namespace pmtwin::replay
