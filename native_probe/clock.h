// The processor's time-stamp counter: fenced stamps, what a tick is in ns, and what taking stamps costs.
#pragma once

#include <x86intrin.h>

#include <cstdint>

namespace pmtwin::probe {

// Unfenced, for deadlines.
inline std::uint64_t ticks_now() {
  return __rdtsc();
}

// Before what is timed: nothing of it starts before the stamp, and nothing earlier is still under way.
inline std::uint64_t stamp_begin() {
  _mm_lfence();
  const std::uint64_t ticks = __rdtsc();
  _mm_lfence();
  return ticks;
}

// After it: all loads have completed. Stores and flushes need a full fence before this one.
inline std::uint64_t stamp_end() {
  return stamp_begin();
}

struct Clock {
  double tick_ns = 0;                       // length of a tick
  std::uint64_t overhead_ticks = 0;         // median of begin and end with nothing between them
  std::uint64_t fenced_overhead_ticks = 0;  // the same with a full fence that has nothing to wait for
  double offset_cost_ns = 0;                // of the choice of a random offset
  bool steady = false;                      // the counter ticks at one rate in all states of the processor

  double ns(double ticks) const { return ticks * tick_ns; }
  std::uint64_t ticks(double seconds) const { return static_cast<std::uint64_t>(seconds * 1e9 / tick_ns); }
};

// Measures all of it; takes about 0.1 s.
Clock measure_clock();

}  // namespace pmtwin::probe
