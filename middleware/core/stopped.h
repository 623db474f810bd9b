// Requests that a stop with a deadline left undone.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "middleware/core/pools.h"

namespace pmtwin::middleware {

struct BusyWorker {
  Mode mode;
  int worker;                           // 0 to 31
  std::chrono::nanoseconds inside_for;  // in one operation of the engine
};

struct Stopped {
  bool complete = true;          // all was answered, and the engine let go
  std::uint64_t unanswered = 0;  // requests in the engine
  std::vector<BusyWorker> busy;  // who carry them out; in direct mode nobody: there it is the clients themselves
};

// For people: "2 requests in the engine: interactive worker 3 since 12.3 s, batch worker 0 since 11.9 s".
std::string describe(const Stopped& stopped);

}  // namespace pmtwin::middleware
