#pragma once
// Requests that workers start at one instant, in the twin's order: as they were submitted, interactive before batch.
//
// When a pool grows, several workers take waiting requests at the same instant, and which of them the real machine lets
// run first is chance. But the first to start gets the random numbers of the next request of its class, and finds one
// busy worker less than the second. The stations may therefore learn of them only when all have come: once no worker
// acts.

#include <algorithm>
#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

#include "middleware/core/clock.h"
#include "middleware/emulation/stations.h"

namespace pmtwin::emulation {

struct Start {
  Started request;  // but for its draws
  middleware::Nanoseconds submitted = 0;
  std::uint64_t number = 0;  // tells those apart that were submitted at the same time
  bool comes = false;        // its worker was idle, and counts as busy from now on

  int class_index() const { return request.kind / 2; }
};

class Starts {
 public:
  void add(const Start& start) { starts_.push_back(start); }
  bool empty() const { return starts_.empty(); }

  // All that were added, in order; of those that nothing tells apart the first added is first.
  std::vector<Start> take() {
    std::stable_sort(starts_.begin(), starts_.end(), [](const Start& a, const Start& b) { return place(a) < place(b); });
    return std::exchange(starts_, {});
  }

 private:
  static std::tuple<double, int, middleware::Nanoseconds, std::uint64_t> place(const Start& start) {
    return {start.request.at, start.class_index(), start.submitted, start.number};
  }

  std::vector<Start> starts_;
};

}  // namespace pmtwin::emulation
