// Accesses from processors that are far from the data, emulated: they take longer than the machine takes for them.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "middleware/core/request.h"

namespace pmtwin::middleware {

// Operations from the far processors take `factor` times their time on a processor. CPU time, not time by the clock:
// a thread that had to wait for a processor would otherwise spin for that too.
class FarAccess {
 public:
  static constexpr int kOperations = 2;  // get and put
  using CpuClock = std::uint64_t (*)();  // ns of the calling thread

  // `far`: processors. `factors`: of a get and a put, at least 1. `least_spin_ns`: that is spun at a time.
  FarAccess(const std::vector<int>& far, std::array<double, kOperations> factors, CpuClock clock,
            double least_spin_ns = 20'000.0);

  bool is_far(int cpu) const {
    const auto place = static_cast<std::size_t>(cpu);  // of none: beyond all
    return place < far_.size() && far_[place];
  }

  // Of one thread. A look at the clock takes as long as a short operation, and what spins between two of them disturbs
  // both: short operations spin together, and what was spun too long is left out later.
  struct Progress {
    std::uint64_t last;    // look at the clock
    double owed_ns = 0.0;  // that it has to spin; below 0: that it spun too long
  };

  // Of the calling thread.
  Progress begin() const { return {clock_()}; }

  // After an operation of the calling thread, which began when the one before ended.
  void finish(Progress& progress, bool far, Operation operation) const;

 private:
  std::vector<bool> far_;
  std::array<double, kOperations> factors_;
  CpuClock clock_;
  double least_spin_ns_;
};

// CLOCK_THREAD_CPUTIME_ID.
std::uint64_t thread_cpu_ns();

}  // namespace pmtwin::middleware
