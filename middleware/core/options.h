// Options of a middleware.
#pragma once

#include <array>
#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "middleware/core/pools.h"

namespace pmtwin::middleware {

struct Options {
  std::string queue = "handoff";            // one of queue_names() (pools/worker_pool.h)
  bool direct = false;                      // no middleware: clients call the engine themselves
  std::chrono::nanoseconds window = std::chrono::seconds(1);  // of the monitoring thread; 0: close_window() only
  std::array<std::vector<int>, kModes> cpus{};  // processors of each pool's workers; empty: wherever the kernel puts them
  std::array<std::optional<int>, kModes> nodes{};  // the same by NUMA node: all processors of it that this process may use
  bool one_cpu_each = false;                // worker i of a pool on its processor i % n only, not on any of them
  std::chrono::nanoseconds patience = std::chrono::seconds(10);  // of ~Middleware, while nothing is answered
};

}  // namespace pmtwin::middleware
