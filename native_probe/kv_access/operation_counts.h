#pragma once

#include <cstdint>
#include <span>

#include "native_probe/kv_access/persistence_log.h"

namespace pmtwin::probe {

inline constexpr std::uint64_t kCacheLineBytes = 64;
inline constexpr std::uint64_t kMediaLineBytes = 256;  // of Optane: what its media read and write at once

// An address range of the pool.
struct Range {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
  bool holds(std::uintptr_t address) const { return begin <= address && address < end; }
};

// Writes of one key-value operation to the device. Doubles, since means over operations are taken.
struct OperationCounts {
  double flush_calls = 0;      // libpmem calls that flush, copies with a flush included
  double flushed_lines = 0;    // cache lines flushed (clwb)
  double streamed_bytes = 0;   // written with non-temporal stores
  double copied_bytes = 0;     // by libpmem's memcpy, memmove and memset, however they wrote
  double fences = 0;           // drains (sfence)
  double rounds = 0;           // fences with something before them to wait for
  double media_lines = 0;      // distinct 256 B lines written
  double media_line_writes = 0;  // the same, each counted again in every round
  double value_bytes = 0;      // of the copied bytes: into the value itself
  double log_bytes = 0;        // of the copied bytes: elsewhere, to logs and the allocator's records
  double synchronised_bytes = 0;  // msync instead of flushes: the pool was not taken for persistent memory

  OperationCounts& operator+=(const OperationCounts& other);
  OperationCounts operator/(double by) const;
};

// Counts of the calls of one operation whose value lies in `value` afterwards.
OperationCounts count(std::span<const PersistenceCall> calls, Range value);

// Cache lines that [address, address + bytes) touches.
std::uint64_t lines_touched(std::uintptr_t address, std::uint64_t bytes, std::uint64_t line_bytes);

// How libpmem splits a streaming copy: whole lines non-temporally, a head and a tail that do not fill a line with
// stores and a flush; a tail of 4, 8, 16 or 32 B is one non-temporal store.
struct StreamedCopy {
  std::uint64_t streamed_bytes;
  std::uint64_t flushed_lines;
};
StreamedCopy split_streamed(std::uintptr_t address, std::uint64_t bytes);

}  // namespace pmtwin::probe
