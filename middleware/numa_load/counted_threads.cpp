#include "middleware/numa_load/counted_threads.h"

#include <sched.h>
#include <unistd.h>

#include "middleware/core/clock.h"
#include "middleware/core/execute.h"

namespace pmtwin::middleware {

void CountedThreads::ask(Request& request) {
  Counters& counters = mine();
  const bool far = far_.is_far(sched_getcpu());
  const Nanoseconds begin = steady_clock().now();
  execute(engine_, request);
  far_.finish(counters.progress, far, request.operation);
  const auto latency = static_cast<std::uint64_t>(steady_clock().now() - begin);
  {
    const std::lock_guard lock(counters.mutex);
    counters.latency_ns.record(latency);
  }
  counters.cpu_ns.store(counters.progress.last, std::memory_order_relaxed);
  counters.done[far ? 1 : 0][request.operation == Operation::kPut ? 1 : 0].fetch_add(1, std::memory_order_relaxed);
}

std::vector<CountedThreads::Thread> CountedThreads::threads() const {
  const std::lock_guard lock(mutex_);
  std::vector<Thread> threads;
  for (const auto& counters : counters_) {
    Thread& thread = threads.emplace_back(Thread{counters->id, counters->cpu_ns.load(std::memory_order_relaxed), {}});
    for (std::size_t distance = 0; distance < kDistances; ++distance) {
      for (std::size_t operation = 0; operation < FarAccess::kOperations; ++operation) {
        thread.done[distance][operation] = counters->done[distance][operation].load(std::memory_order_relaxed);
      }
    }
  }
  return threads;
}

Histogram CountedThreads::take_latency_ns() {
  const std::lock_guard lock(mutex_);
  Histogram merged;
  for (const auto& counters : counters_) {
    const std::lock_guard times(counters->mutex);
    merged.merge(counters->latency_ns);
    counters->latency_ns.clear();
  }
  return merged;
}

CountedThreads::Counters& CountedThreads::mine() {
  thread_local std::uint64_t counted_by = 0;
  thread_local Counters* counters = nullptr;
  if (counted_by == number_) return *counters;
  auto made = std::make_unique<Counters>();
  made->id = gettid();
  made->progress = far_.begin();
  counted_by = number_;
  counters = made.get();
  const std::lock_guard lock(mutex_);
  counters_.push_back(std::move(made));
  return *counters;
}

}  // namespace pmtwin::middleware
