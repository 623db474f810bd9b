// Limits of the probe's space: in the file system, and in memory where the file lives in it.
#pragma once

#include <cstdint>
#include <string>

namespace pmtwin::probe {

struct Room {
  std::uint64_t file_system_bytes = 0;  // free to this user
  std::uint64_t memory_bytes = 0;       // available, the limits of control groups included
};

Room room_at(int folder_fd);

// Free memory of a NUMA node, in place of a file system's. `root` holds proc and sys, for tests.
Room room_on(int node, const std::string& root = "");

// Left to everybody else, of the file system and of memory alike.
std::uint64_t reserve_bytes(std::uint64_t free_bytes);

// What to measure if the user does not say: so many times the last-level cache and at least 1 GiB, so that few accesses
// are a hit, but at most half of what is free.
std::uint64_t default_region_bytes(std::uint64_t last_level_cache_bytes, std::uint64_t cache_multiple, const Room& room,
                                   bool in_memory);

// Throws InputError if the region is larger than what is free less the reserve, or than half of 2^38. Memory has to hold
// the order of its lines as well, which a random chase is linked by.
void check_room(std::uint64_t region_bytes, const Room& room, bool in_memory, const std::string& path);

}  // namespace pmtwin::probe
