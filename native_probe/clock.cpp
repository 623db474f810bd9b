#include "native_probe/clock.h"

#include <cpuid.h>
#include <time.h>

#include "native/common/histogram.h"
#include "native_probe/access.h"
#include "native_probe/offsets.h"

namespace pmtwin::probe {
namespace {

constexpr int kPairs = 20'000;
constexpr int kOffsets = 1 << 20;
constexpr double kCalibrationNs = 5e7;

double monotonic_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

struct Reading {
  std::uint64_t ticks;
  double ns;
};

// Both clocks at the same moment: of several readings that with the least time between its ends, since a pause of the
// thread in between would shift one against the other.
Reading both_clocks() {
  Reading best{};
  std::uint64_t least = ~std::uint64_t{0};
  for (int i = 0; i < 20; ++i) {
    const std::uint64_t before = stamp_begin();
    const double ns = monotonic_ns();
    const std::uint64_t after = stamp_end();
    if (after - before < least) {
      least = after - before;
      best = {before + (after - before) / 2, ns};
    }
  }
  return best;
}

double length_of_tick() {
  const Reading first = both_clocks();
  while (monotonic_ns() - first.ns < kCalibrationNs) {
  }
  const Reading last = both_clocks();
  return (last.ns - first.ns) / static_cast<double>(last.ticks - first.ticks);
}

template <class Between>
std::uint64_t median_pair(Between between) {
  Histogram pairs;
  for (int i = 0; i < kPairs; ++i) {
    const std::uint64_t begin = stamp_begin();
    between();
    pairs.record(stamp_end() - begin);
  }
  return static_cast<std::uint64_t>(pairs.quantile(0.5));
}

double cost_of_offset(double tick_ns) {
  Offsets offsets({.first_byte = 0, .bytes = 1u << 30, .access_bytes = 64, .random = true, .seed = 1});
  std::uint64_t all = 0;
  const std::uint64_t begin = stamp_begin();
  for (int i = 0; i < kOffsets; ++i) all ^= offsets.next();
  const std::uint64_t end = stamp_end();
  asm volatile("" : : "r"(all));
  return static_cast<double>(end - begin) * tick_ns / kOffsets;
}

bool counter_is_steady() {
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  return __get_cpuid(0x80000007, &eax, &ebx, &ecx, &edx) != 0 && (edx & (1u << 8)) != 0;  // invariant TSC
}

}  // namespace

Clock measure_clock() {
  Clock clock;
  clock.tick_ns = length_of_tick();
  clock.overhead_ticks = median_pair([] {});
  clock.fenced_overhead_ticks = median_pair([] { full_fence(); });
  clock.offset_cost_ns = cost_of_offset(clock.tick_ns);
  clock.steady = counter_is_steady();
  return clock;
}

}  // namespace pmtwin::probe
