// Other load of this machine: it limits how far repetitions can agree.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "native_probe/clock.h"

namespace pmtwin::probe {

// Jiffies of all processors since the machine started.
struct CpuTimes {
  std::uint64_t total = 0;
  std::uint64_t idle = 0;
  std::uint64_t stolen = 0;  // taken by the hypervisor for other guests
};

// From the first line of /proc/stat; zeros if it cannot be read. `root` is for tests.
CpuTimes cpu_times(const std::string& root = "");

// Share of the time between two readings that was stolen, in %; 0 if none passed.
double steal_percent(const CpuTimes& before, const CpuTimes& after);

struct Noise {
  double spin_cv_percent = 0;     // coefficient of variation of one and the same millisecond of arithmetic
  double spin_worst_percent = 0;  // by how much the slowest of them exceeded the median
  double steal_percent = 0;
  double others_cpus = 0;  // processors' worth of work of other processes meanwhile

  bool noisy() const;
  std::vector<std::string> advice(int cpus) const;  // how noisy and what to do about it; empty if it is quiet
};

// From the times of spins that all did the same (two or more) and the processors' times before and after them, of which
// one processor spun.
Noise noise_of(std::vector<double> spins, const CpuTimes& before, const CpuTimes& after, int cpus);

// Takes about 0.3 s.
Noise measure_noise(const Clock& clock, int cpus);

}  // namespace pmtwin::probe
