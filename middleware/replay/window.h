// Load offered to a middleware, and the measures of its window.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "middleware/core/pools.h"
#include "middleware/core/window.h"

namespace pmtwin::replay {

// A request of a trace: its gap after the one before, the size of its value, and whether it writes.
struct Offered {
  double gap_ns;
  std::uint32_t bytes;
  bool is_write;
};

// A window, request by request in the order of the answers.
struct Window {
  std::vector<double> latency_ns;  // from submission to answer
  std::vector<std::uint8_t> classes;
  double start = 0, end = 0;       // ns on the engine's clock
  std::array<double, middleware::kModes> waited_ns{};  // in queue, summed
  double counted = 0, stamped = 0;  // requests in the system on average, see Occupancy
  middleware::WindowStats stats;    // by the middleware's own monitor, when the window was fetched
  middleware::State state;
  std::uint64_t failed = 0;                            // answered with anything but ok
  bool paused = false;                                 // began after a pause, with an empty system
};

}  // namespace pmtwin::replay
