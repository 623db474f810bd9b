// Number of waiting requests, integrated over time.
#pragma once

#include <array>
#include <cstdint>
#include <mutex>
#include <vector>

#include "middleware/core/clock.h"
#include "middleware/core/pools.h"

namespace pmtwin::middleware {

// A request that waits from `a` to `b` adds T - a to the integral up to T, and takes off T - b if b came before T. So two
// sums tell it at any T: how many wait, and their stamps added up, those of starts taken off. They are taken modulo 2^64,
// which is exact as long as what passes between two looks is less than 2^63 ns of waiting.
class QueueLength {
 public:
  // `shards`: at least one; threads that note at the same time should use different ones.
  explicit QueueLength(std::size_t shards) : shards_(shards) {}

  void submitted(std::size_t shard, Mode mode, Nanoseconds at) { shards_[shard].add(mode, 1, at); }
  void started(std::size_t shard, Mode mode, Nanoseconds at) { shards_[shard].add(mode, -1, at); }

  // Integral of each class' length from the beginning to `end` in ns, modulo 2^64. What was noted with a later stamp is
  // counted as if it had run backwards from there; the next look takes that off again.
  std::array<std::uint64_t, kModes> until(Nanoseconds end) {
    std::array<std::uint64_t, kModes> integrals{};
    for (Shard& shard : shards_) {
      const std::lock_guard lock(shard.mutex);
      for (std::size_t mode = 0; mode < kModes; ++mode) {
        integrals[mode] += shard.waiting[mode] * static_cast<std::uint64_t>(end) - shard.stamps[mode];
      }
    }
    return integrals;
  }

 private:
  // Its mutex is nearly always free, and keeps the two sums of a request together.
  struct alignas(64) Shard {
    void add(Mode mode, std::int64_t sign, Nanoseconds at) {
      const std::lock_guard lock(mutex);
      waiting[static_cast<std::size_t>(mode)] += static_cast<std::uint64_t>(sign);
      stamps[static_cast<std::size_t>(mode)] += static_cast<std::uint64_t>(sign * at);
    }
    std::mutex mutex;
    std::array<std::uint64_t, kModes> waiting{}, stamps{};
  };

  std::vector<Shard> shards_;
};

}  // namespace pmtwin::middleware
