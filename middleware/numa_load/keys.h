// Which keys the threads of a load get and put.
#pragma once

#include <cstdint>

#include "middleware/load/stream.h"

namespace pmtwin::middleware {

struct KeyChoice {
  std::uint32_t records = 1;
  std::uint32_t threads = 1;
  double reads = 0.0;       // share; the rest are puts
  bool sequential = false;  // one key after the other instead of any
  bool own_keys = false;    // no two threads ask for the same key, where there are enough
  std::uint64_t seed = 0;
};

// Requests for a `ClosedLoop` of so many threads. With `own_keys` thread t of n asks for records t, t + n, t + 2n, ...
// alone: what its processor has written lies in no other's cache.
Stream draw_keys(const KeyChoice& choice);

}  // namespace pmtwin::middleware
