// A worker's notes on the requests that it answered, until the monitor collects them.
#pragma once

#include <array>
#include <cstdint>
#include <mutex>
#include <utility>

#include "middleware/core/request.h"
#include "native/common/histogram.h"

namespace pmtwin::middleware {

// Requests of one class.
struct Recorded {
  Histogram latency_ns;  // from submission to answer
  std::uint64_t writes = 0;
  std::uint64_t failed = 0;
  double value_bytes = 0;  // summed

  void add(const Request& request) {
    latency_ns.record(static_cast<std::uint64_t>(request.completed - request.submitted));
    writes += request.operation != Operation::kGet;
    failed += is_failure(request.status);
    value_bytes += static_cast<double>(request.value_bytes());
  }
  void merge(const Recorded& other) {
    latency_ns.merge(other.latency_ns);
    writes += other.writes;
    failed += other.failed;
    value_bytes += other.value_bytes;
  }
  void clear() {
    latency_ns.clear();
    writes = failed = 0;
    value_bytes = 0;
  }
};

// Written by one thread nearly always, so its mutex is nearly always free.
class alignas(64) Recorder {
 public:
  void record(const Request& request) {
    const std::lock_guard lock(mutex_);
    now_[static_cast<std::size_t>(request.mode)].add(request);
  }

  // Adds what was recorded since the last call to `to` and forgets it. One thread at a time.
  void move_to(std::array<Recorded, kModes>& to) {
    {
      const std::lock_guard lock(mutex_);
      std::swap(now_, spare_);
    }
    for (std::size_t mode = 0; mode < kModes; ++mode) {
      if (spare_[mode].latency_ns.count() == 0) continue;
      to[mode].merge(spare_[mode]);
      spare_[mode].clear();
    }
  }

 private:
  std::mutex mutex_;
  std::array<Recorded, kModes> now_, spare_;
};

}  // namespace pmtwin::middleware
