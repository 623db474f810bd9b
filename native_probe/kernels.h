// The inner loops: a number of accesses of one kind along a walk.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "native/common/histogram.h"
#include "native_probe/isa.h"
#include "native_probe/offsets.h"

namespace pmtwin::probe {

enum class Operation { kLoad, kNtstore, kStoreClwb, kStore };

std::string name_of(Operation operation);

inline bool writes(Operation operation) {
  return operation != Operation::kLoad;
}

// Work of a thread. Sizes are multiples of 64 bytes.
struct Accesses {
  Operation operation = Operation::kLoad;
  Operation write_operation = Operation::kNtstore;  // the writes of a mix by accesses
  double write_ratio = 0;  // share of the accesses that write instead of loading; of a mix by accesses
  std::uint64_t access_bytes = 64;
  std::uint64_t fence_interval_bytes = 0;  // a store fence after this many written bytes; 0: none
};

// State of a thread between chunks.
struct Progress {
  std::uint64_t unfenced_bytes = 0;
  std::uint32_t write_phase = 0;  // which accesses of a mix write: evenly spread, without drawing lots
};

// Performs `count` accesses on `region` at `offsets`.
using Kernel = void (*)(char* region, Offsets& offsets, const Accesses& accesses, std::uint64_t count,
                        Progress& progress);

// The kernel for an operation (`mixed`: loads, with write_ratio of them replaced by the operation).
Kernel kernel_of(Operation operation, const Isa& isa, bool mixed);

// Times `count` accesses one by one into `latencies`, in ticks, the overhead taken off; before each, its lines are
// loaded if `cached`. A write counts until a full fence after it is through.
struct Timing {
  std::uint64_t overhead_ticks;
  bool cached;
};
using TimedKernel = void (*)(char* region, Offsets& offsets, std::uint64_t access_bytes, std::uint64_t count,
                             const Timing& timing, Histogram& latencies);

TimedKernel timed_kernel_of(Operation operation, const Isa& isa);

}  // namespace pmtwin::probe
