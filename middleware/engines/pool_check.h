// Check of a pool for damage, by the operations of its user.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

namespace pmtwin::middleware {

// How much a check does at most.
struct CheckBounds {
  std::chrono::milliseconds time;  // what is not looked at then is not
  std::uint64_t changed_bytes;     // values of the records that it changes: a sample by chance, of kMostChanged at most
};

constexpr std::size_t kMostChanged = 10'000;

// What a check tells of its way, often: the records that it has read and those that it has changed so far.
using CheckProgress = std::function<void(std::uint64_t read, std::uint64_t changed)>;

// Opens the pool, reads every record, finds those of a sample by their keys, overwrites each with a longer and a shorter
// value, adds as many others and removes all. Nothing of it reaches the file: the pool is mapped copy-on-write. A pool
// that is nearly full has no room for longer values, and each looks for it everywhere: hence the bounds.
//
// For pmtwin-pool-check: damage kills or hangs its process, and it changes how that opens pools from then on.
// Returns an empty text, or what pmemkv or the walk found wrong. Changes take memory, a few times their bytes.
std::string check_records(const std::string& path, const CheckBounds& bounds, const CheckProgress& progress);

}  // namespace pmtwin::middleware
