// The two pools of worker threads and what can be done to them (thesis Tables 3.2 and 3.3).
#pragma once

#include <algorithm>
#include <array>
#include <string>

#include "native/common/errors.h"

namespace pmtwin::middleware {

// The class of a request: its queue and its pool.
enum class Mode { kInteractive = 0, kBatch = 1 };

constexpr int kModes = 2;
constexpr int kLeastWorkers = 1;
constexpr int kMostWorkers = 32;

struct Pools {
  int interactive_threads;
  int batch_threads;

  int of(Mode mode) const { return mode == Mode::kInteractive ? interactive_threads : batch_threads; }
  bool operator==(const Pools&) const = default;
};

// Table 3.3: change of (interactive, batch) threads by action.
constexpr std::array<Pools, 9> kActions{{{0, 0}, {1, 0}, {-1, 0}, {0, 1}, {0, -1}, {1, 1}, {1, -1}, {-1, 1}, {-1, -1}}};

// Throws InputError unless both are within 1 to 32.
inline Pools check_pools(Pools pools) {
  const auto check = [](const char* field, int threads) {
    if (threads < kLeastWorkers || threads > kMostWorkers) {
      throw InputError(field, std::to_string(threads), "1 to 32 threads");
    }
  };
  check("interactive_threads", pools.interactive_threads);
  check("batch_threads", pools.batch_threads);
  return pools;
}

// The pools after an action, within 1 to 32 threads each. Throws InputError for a number that is no action.
inline Pools after_action(Pools pools, int action) {
  if (action < 0 || action >= static_cast<int>(kActions.size())) {
    throw InputError("action", std::to_string(action), "0 to 8 (Table 3.3)");
  }
  const Pools change = kActions[static_cast<std::size_t>(action)];
  return {std::clamp(pools.interactive_threads + change.interactive_threads, kLeastWorkers, kMostWorkers),
          std::clamp(pools.batch_threads + change.batch_threads, kLeastWorkers, kMostWorkers)};
}

}  // namespace pmtwin::middleware
