#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "native_probe/kv_access/operation_counts.h"

namespace pmtwin::probe {

// An access to the pool, in the order of the program. A store that reads its line first counts as a store.
struct PoolAccess {
  enum class Kind : std::uint8_t { load, store, stream };
  std::uintptr_t address;
  Kind kind;
};

// Accesses of `operation` to `pool`, one entry per instruction and page: while it runs the pool cannot be touched without a
// fault, and the handler writes the fault's address down, lets the one instruction pass and closes the page again. What an
// instruction does several times in a row in one cache line is one entry.
// The width of an access is not seen. Throws std::runtime_error if there were more than kMostAccesses.
std::vector<PoolAccess> trace_pool(Range pool, const std::function<void()>& operation);
inline constexpr std::size_t kMostAccesses = std::size_t{1} << 20;

// What an operation reads of the device: lines that it loads, and those that it stores to, which have to be read first
// (streaming stores do not). Lines that more than a quarter of the operations touch (root, log of the
// thread, allocator's state) are in the caches of a busy store: they are `shared`, the rest is cold.
struct LoadCounts {
  double shared_lines = 0;       // 64 B lines of the pool
  double cold_lines = 0;         // 64 B, outside the value
  double cold_media_lines = 0;   // 256 B, outside the value
  double value_lines = 0;        // 64 B lines of the value that was there before
  double dependent_reads = 0;    // media lines of the longest chain in which each holds the pointer to the next,
                                 // the first line of the value included
};

// Means over operations. `values[i]` is where operation i's value lay before it. A line that points to another is known by
// the content of the pool, which is mapped at `pool`: words that are offsets from its beginning.
LoadCounts analyse_loads(const std::vector<std::vector<PoolAccess>>& operations, const std::vector<Range>& values,
                         Range pool);

}  // namespace pmtwin::probe
