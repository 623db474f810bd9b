// Policy on the two pools, without Python: written by `pmtwin export`, run window after window.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <variant>

#include "middleware/core/pools.h"
#include "middleware/core/window.h"

namespace pmtwin::policy {

using middleware::Pools;
using middleware::State;
using middleware::WindowStats;

// The state as numbers, in the order of Table 3.2.
using Numbers = std::array<double, 8>;
inline Numbers numbers_of(const State& s) {
  return {static_cast<double>(s.interactive_threads), static_cast<double>(s.batch_threads),
          s.interactive_queue_size, s.batch_queue_size, s.interactive_block_size, s.batch_block_size,
          s.interactive_write_ratio, s.batch_write_ratio};
}

// Actions of Table 3.3; the first changes nothing.
inline constexpr int kActions = static_cast<int>(middleware::kActions.size());
inline constexpr int kKeep = 0;

// Sizes that a pool can have.
inline constexpr int kPoolSizes = middleware::kMostWorkers - middleware::kLeastWorkers + 1;

// Choice of a policy: an action, or the pools to jump to.
using Choice = std::variant<int, Pools>;

// Not safe for use from several threads at once.
class Policy {
 public:
  virtual ~Policy() = default;

  // Begins a run, forgetting earlier ones. Returns the pools to begin with, or nothing to leave those that are set.
  virtual std::optional<Pools> start() = 0;

  // What is to hold in the next window. `last`: what the last window showed, of which policies look at p99_us and rates
  // alone; nothing before the first window has passed.
  virtual Choice act(const State& state, const std::optional<WindowStats>& last) = 0;

  // True: clients access the memory themselves and actions have no effect.
  virtual bool direct() const { return false; }
};

}  // namespace pmtwin::policy
