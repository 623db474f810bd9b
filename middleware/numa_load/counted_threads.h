// What each client thread of a load has done, near the data and far from them; another thread reads it at any time.
#pragma once

#include <sys/types.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "middleware/engines/engine.h"
#include "middleware/numa_load/far_access.h"
#include "native/common/histogram.h"

namespace pmtwin::middleware {

class CountedThreads {
 public:
  static constexpr int kDistances = 2;  // near and far

  struct Thread {
    pid_t id;
    std::uint64_t cpu_ns;  // of the thread's clock, when the last of these operations ended
    // operations: by distance, then get and put
    std::array<std::array<std::uint64_t, FarAccess::kOperations>, kDistances> done;
  };

  CountedThreads(Engine& engine, FarAccess far) : engine_(engine), far_(std::move(far)) {}

  // Carries out a request of the calling thread, which is counted from its first one on.
  void ask(Request& request);

  // Threads so far, in the order in which they came.
  std::vector<Thread> threads() const;

  // The times of the operations since the last call, of all threads, in ns of the steady clock.
  Histogram take_latency_ns();

 private:
  struct alignas(64) Counters {
    pid_t id = 0;
    FarAccess::Progress progress{};
    std::atomic<std::uint64_t> cpu_ns = 0;
    std::array<std::array<std::atomic<std::uint64_t>, FarAccess::kOperations>, kDistances> done{};
    std::mutex mutex;  // of the times
    Histogram latency_ns;
  };

  Counters& mine();

  static inline std::atomic<std::uint64_t> made_ = 0;
  const std::uint64_t number_ = ++made_;  // an address would come again
  Engine& engine_;
  const FarAccess far_;
  mutable std::mutex mutex_;  // of the list
  std::vector<std::unique_ptr<Counters>> counters_;
};

}  // namespace pmtwin::middleware
