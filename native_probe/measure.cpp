#include "native_probe/measure.h"

#include <time.h>

#include <algorithm>

#include "native/common/errors.h"
#include "native/common/placement.h"
#include "native_probe/access.h"
#include "native_probe/chase.h"
#include "native_probe/interrupt.h"

namespace pmtwin::probe {
namespace {

constexpr std::uint64_t kChunkBytes = 32 * 1024;
constexpr double kLookEveryS = 50e-6;  // at the clock, which waits for the loads under way: a tenth of a microsecond
constexpr std::uint64_t kTimedPerChunk = 32;
constexpr double kWarmUpShare = 0.1;  // of the interval, before it
constexpr double kLeastWarmUpS = 0.002, kMostWarmUpS = 0.1;
constexpr std::uint64_t kLeastBlocks = 16;  // of a thread: fewer would be a test of the cache

double thread_cpu_s() {
  timespec used{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return static_cast<double>(used.tv_sec) + 1e-9 * static_cast<double>(used.tv_nsec);
}

}  // namespace

std::uint64_t StartLine::wait(std::uint64_t delay_ticks) {
  std::unique_lock lock(mutex_);
  if (--missing_ == 0) {
    begin_ = ticks_now() + delay_ticks;
    all_here_.notify_all();
  } else {
    all_here_.wait(lock, [this] { return missing_ == 0; });
  }
  return begin_;
}

void check_fits(const Case& asked, std::uint64_t region_bytes, std::size_t cpus) {
  if (static_cast<std::size_t>(asked.threads) > cpus) {
    throw InputError("threads", std::to_string(asked.threads),
                     "1 to " + std::to_string(cpus) + ": a hardware thread for each (numa: " + asked.numa + ")");
  }
  const std::uint64_t step = std::max(asked.stride_bytes, asked.access_bytes);
  const std::uint64_t part = asked.random ? region_bytes : region_bytes / static_cast<std::uint64_t>(asked.threads);
  if (step * kLeastBlocks > part) {
    throw InputError(asked.stride_bytes > asked.access_bytes ? "stride_bytes" : "access_size_bytes",
                     std::to_string(step),
                     "at most " + std::to_string(part / kLeastBlocks) + " B: a region of " +
                         std::to_string(region_bytes) + " B has too few blocks (--region-bytes)");
  }
}

Repetition::Repetition(const Case& asked, const Isa& isa, const Clock& clock, char* region, std::uint64_t region_bytes,
                       const std::vector<int>& cpus, std::uint64_t seed)
    : asked_(asked),
      isa_(isa),
      clock_(clock),
      region_(region),
      region_bytes_(region_bytes),
      cpus_(cpus),
      seed_(seed),
      start_(asked.threads),
      results_(static_cast<std::size_t>(asked.threads)) {}

void Repetition::run(int thread) {
  auto& result = results_[static_cast<std::size_t>(thread)];
  result.pinned = run_on({cpus_[static_cast<std::size_t>(thread)]});
  switch (asked_.kind) {
    case Kind::kBandwidth:
      run_accesses(thread);
      break;
    case Kind::kLatency:
      run_timed(thread);
      break;
    case Kind::kChase:
      run_chase(thread);
      break;
  }
}

// `chunk(latencies)` does some accesses and returns how many; the latencies of the warm-up are dropped.
template <class Chunk>
void Repetition::time(int thread, Chunk chunk) {
  ThreadResult& result = results_[static_cast<std::size_t>(thread)];
  Histogram warm_up;
  const double warm_up_s = std::clamp(kWarmUpShare * asked_.min_time_s, kLeastWarmUpS, kMostWarmUpS);
  const std::uint64_t begin = start_.wait(clock_.ticks(warm_up_s));
  const std::uint64_t came = ticks_now();
  std::uint64_t chunks = 0;
  do {
    chunk(warm_up);
    ++chunks;
  } while (ticks_now() < begin);
  const std::uint64_t chunks_a_look =
      std::max<std::uint64_t>(1, chunks * clock_.ticks(kLookEveryS) / std::max<std::uint64_t>(1, ticks_now() - came));
  const double cpu_before_s = thread_cpu_s();
  const std::uint64_t first = stamp_begin();
  const std::uint64_t deadline = first + clock_.ticks(asked_.min_time_s);
  std::uint64_t accesses = 0;
  do {
    for (std::uint64_t i = 0; i < chunks_a_look; ++i) accesses += chunk(result.latencies);
    if (interrupt_signal() != 0) {
      cut_short_.store(true, std::memory_order_relaxed);
      break;
    }
  } while (ticks_now() < deadline);
  full_fence();
  result.ticks = stamp_end() - first;
  // Against the time since the common start: a thread that was kept from it has missed a part of the interval.
  result.cpu_share = (thread_cpu_s() - cpu_before_s) / (1e-9 * clock_.ns(static_cast<double>(first + result.ticks - begin)));
  result.accesses = accesses;
}

// Random accesses go anywhere, as those of all threads of a store do; sequential ones have a part of the region for
// each thread, as in LATTester: threads that followed one another would find lines in the shared cache.
Walk Repetition::walk(int thread) const {
  Walk walk{.first_byte = 0,
            .bytes = region_bytes_,
            .access_bytes = asked_.access_bytes,
            .stride_bytes = asked_.stride_bytes,
            .random = asked_.random,
            .seed = seed_ * 4096 + static_cast<std::uint64_t>(thread)};
  if (!asked_.random) {
    walk.bytes = region_bytes_ / static_cast<std::uint64_t>(asked_.threads) / kLineBytes * kLineBytes;
    walk.first_byte = walk.bytes * static_cast<std::uint64_t>(thread);
  }
  return walk;
}

void Repetition::run_accesses(int thread) {
  const bool by_threads = asked_.mixed && !asked_.mix_by_accesses;
  const bool write = by_threads && thread < asked_.writing_threads();
  Accesses accesses{.operation = write ? asked_.write_operation : asked_.operation,
                    .write_operation = asked_.write_operation,
                    .write_ratio = asked_.write_ratio,
                    .access_bytes = asked_.access_bytes,
                    .fence_interval_bytes = asked_.fence_interval_bytes};
  const bool mix = asked_.mixed && asked_.mix_by_accesses;
  const Kernel kernel = kernel_of(mix ? asked_.write_operation : accesses.operation, isa_, mix);
  const std::uint64_t count = std::max<std::uint64_t>(1, kChunkBytes / asked_.access_bytes);
  Offsets offsets(walk(thread));
  Progress progress;
  time(thread, [&](Histogram&) {
    kernel(region_, offsets, accesses, count, progress);
    return count;
  });
}

void Repetition::run_timed(int thread) {
  const TimedKernel kernel = timed_kernel_of(asked_.operation, isa_);
  const Timing timing{writes(asked_.operation) ? clock_.fenced_overhead_ticks : clock_.overhead_ticks, asked_.cached};
  const std::uint64_t count = std::clamp<std::uint64_t>(kChunkBytes / asked_.access_bytes, 1, kTimedPerChunk);
  Offsets offsets(walk(thread));
  time(thread, [&](Histogram& latencies) {
    kernel(region_, offsets, asked_.access_bytes, count, timing, latencies);
    return count;
  });
}

void Repetition::run_chase(int thread) {
  // Threads start in different parts; on a cycle through all lines they meet no sooner than anywhere else.
  Offsets offsets({.first_byte = 0,
                   .bytes = region_bytes_,
                   .random = true,
                   .seed = seed_ * 4096 + static_cast<std::uint64_t>(thread)});
  const char* line = region_ + offsets.next();
  time(thread, [&](Histogram& latencies) {
    const std::uint64_t begin = stamp_begin();
    line = follow(line, kHopsPerBatch);
    const std::uint64_t ticks = stamp_end() - begin;
    latencies.record(ticks > clock_.overhead_ticks ? ticks - clock_.overhead_ticks : 0);
    return kHopsPerBatch;
  });
}

}  // namespace pmtwin::probe
