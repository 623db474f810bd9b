// How large a persistent pool must be; known also where there is no engine that keeps one.
#pragma once

#include <cstdint>

namespace pmtwin::middleware {

// libpmemobj's least pool. A shorter file is what a kill during creation leaves, and opening it ends in SIGBUS.
constexpr std::uint64_t kLeastPoolBytes = std::uint64_t{8} << 20;

// Overwriting values of mixed sizes fragments a pool: it was full with 35 % of it in use. So it must have room for
// this many times the live data.
constexpr std::uint64_t kPoolPerLiveByte = 5;

// A size for `records` values, whole and with room to be overwritten: kPoolPerLiveByte times keys, values and what the
// store keeps for each, in whole huge pages of 2 MiB.
std::uint64_t pool_bytes_for(std::uint64_t records, std::uint64_t key_bytes, std::uint64_t value_bytes);

}  // namespace pmtwin::middleware
