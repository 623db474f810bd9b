#pragma once
// Events at virtual times besides the stations', in order; at one time, in the order of their addition.

#include <functional>
#include <map>
#include <utility>

#include "middleware/emulation/stations.h"
#include "middleware/emulation/waiters.h"

namespace pmtwin::emulation {

struct Timer {
  Waiter* waiter;                // is let go, or, if there is none,
  std::function<void()> action;  // this is called
};

class Timers {
 public:
  void add(double at, Timer timer) { timers_.emplace(at, std::move(timer)); }
  double next() const { return timers_.empty() ? kNever : timers_.begin()->first; }
  Timer take() { return std::move(timers_.extract(timers_.begin()).mapped()); }

 private:
  std::multimap<double, Timer> timers_;
};

}  // namespace pmtwin::emulation
