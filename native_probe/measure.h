// A repetition of a case: the work of one thread, and the measurement of all.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <vector>

#include "native/common/histogram.h"
#include "native_probe/case.h"
#include "native_probe/clock.h"
#include "native_probe/isa.h"

namespace pmtwin::probe {

inline constexpr std::uint64_t kHopsPerBatch = 64;  // hops of a chase are timed together: a stamp costs half a hop

// Accesses of one thread in the common interval.
struct ThreadResult {
  std::uint64_t accesses = 0;
  std::uint64_t ticks = 0;  // from its first access to after its last, a fence included
  double cpu_share = 0;     // processor time over time since the common start: below 1 it did not run all the time
  bool pinned = false;
  Histogram latencies;  // ticks: of single accesses, or of the hops of a chase in batches
};

// Waits until all threads have come; the last one sets the time at which all of them begin.
class StartLine {
 public:
  explicit StartLine(int threads) : missing_(threads) {}

  // The tick at which the measured interval begins, which is `delay_ticks` after the last thread came.
  std::uint64_t wait(std::uint64_t delay_ticks);

 private:
  std::mutex mutex_;
  std::condition_variable all_here_;
  int missing_;
  std::uint64_t begin_ = 0;
};

class Repetition {
 public:
  // `region` has the lines linked already if the case is a chase. `cpus` has one processor for each thread.
  Repetition(const Case& asked, const Isa& isa, const Clock& clock, char* region, std::uint64_t region_bytes,
             const std::vector<int>& cpus, std::uint64_t seed);

  // To be called by each of the case's threads at once, with its number. All of them work from before the common
  // interval begins until after it ended, so that none of them ever has the memory for itself.
  void run(int thread);

  const std::vector<ThreadResult>& results() const { return results_; }

  // A signal ended it before its time: the results say nothing. To be asked when all threads have come back.
  bool cut_short() const { return cut_short_.load(std::memory_order_relaxed); }

 private:
  template <class Chunk>
  void time(int thread, Chunk chunk);
  void run_accesses(int thread);
  void run_timed(int thread);
  void run_chase(int thread);
  Walk walk(int thread) const;

  Case asked_;
  Isa isa_;
  const Clock& clock_;
  char* region_;
  std::uint64_t region_bytes_;
  std::vector<int> cpus_;
  std::uint64_t seed_;
  StartLine start_;
  std::vector<ThreadResult> results_;
  std::atomic<bool> cut_short_{false};
};

// Throws InputError if the region is too small for the case or it has more threads than processors.
void check_fits(const Case& asked, std::uint64_t region_bytes, std::size_t cpus);

}  // namespace pmtwin::probe
