#include "middleware/numa_load/far_access.h"

#include <ctime>

namespace pmtwin::middleware {

FarAccess::FarAccess(const std::vector<int>& far, std::array<double, kOperations> factors, CpuClock clock,
                     double least_spin_ns)
    : factors_(factors), clock_(clock), least_spin_ns_(least_spin_ns) {
  for (const int cpu : far) {
    const auto place = static_cast<std::size_t>(cpu);
    if (place >= far_.size()) far_.resize(place + 1);
    far_[place] = true;
  }
}

void FarAccess::finish(Progress& progress, bool far, Operation operation) const {
  const auto elapsed = [&] {
    const std::uint64_t before = progress.last;
    progress.last = clock_();
    return static_cast<double>(progress.last - before);
  };
  const double took = elapsed();
  if (!far) return;
  progress.owed_ns += (factors_[operation == Operation::kPut ? 1 : 0] - 1.0) * took;
  if (progress.owed_ns < least_spin_ns_) return;
  while (progress.owed_ns > 0.0) progress.owed_ns -= elapsed();
}

std::uint64_t thread_cpu_ns() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000u + static_cast<std::uint64_t>(time.tv_nsec);
}

}  // namespace pmtwin::middleware
