#include "native_probe/room.h"

#include <sys/statvfs.h>

#include <algorithm>
#include <sstream>
#include <system_error>

#include "native/common/errors.h"
#include "native/common/files.h"
#include "native/common/memory.h"
#include "native_probe/access.h"

namespace pmtwin::probe {
namespace {

constexpr std::uint64_t kMib = 1u << 20;
constexpr std::uint64_t kLargestRegion = std::uint64_t{1} << 37;  // 2^31 lines
constexpr std::uint64_t kOrderBytes = sizeof(std::uint32_t);  // of a line, in link_lines
constexpr std::uint64_t kNoLimit = ~std::uint64_t{0};

std::string mib(std::uint64_t bytes) {
  return std::to_string(bytes / kMib) + " MiB";
}

bool has_room(std::uint64_t region_bytes, const Room& room, bool in_memory) {
  const auto less = [](std::uint64_t free_bytes) {
    return free_bytes - std::min(free_bytes, reserve_bytes(free_bytes));
  };
  const std::uint64_t of_memory = region_bytes / kLineBytes * kOrderBytes + (in_memory ? region_bytes : 0);
  return region_bytes <= less(room.file_system_bytes) && of_memory <= less(room.memory_bytes);
}

}  // namespace

Room room_at(int folder_fd) {
  struct statvfs system {};
  if (fstatvfs(folder_fd, &system) != 0) throw std::system_error(errno, std::generic_category(), "statvfs");
  return {static_cast<std::uint64_t>(system.f_bavail) * system.f_frsize, available_memory_bytes()};
}

Room room_on(int node, const std::string& root) {
  const std::string folder = root + "/sys/devices/system/node/node" + std::to_string(node);
  std::istringstream lines(read_text(folder + "/meminfo").value_or(""));
  std::uint64_t free_bytes = kNoLimit;  // a kernel without NUMA has no such file
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);  // Node 0 MemFree:  1234 kB
    std::string word, name;
    std::uint64_t kib = 0;
    if (words >> word >> word >> name >> kib && name == "MemFree:") free_bytes = kib * 1024;
  }
  const std::uint64_t available = available_memory_bytes(root);
  return {std::min(free_bytes, available), available};
}

std::uint64_t reserve_bytes(std::uint64_t free_bytes) {
  return std::min(free_bytes / 10, 512 * kMib);
}

std::uint64_t default_region_bytes(std::uint64_t last_level_cache_bytes, std::uint64_t cache_multiple, const Room& room,
                                   bool in_memory) {
  const std::uint64_t wanted = std::max(1024 * kMib, cache_multiple * last_level_cache_bytes);
  const std::uint64_t half =
      (in_memory ? std::min(room.file_system_bytes, room.memory_bytes) : room.file_system_bytes) / 2;
  return std::min({wanted, half, kLargestRegion}) / (2 * kMib) * (2 * kMib);
}

void check_room(std::uint64_t region_bytes, const Room& room, bool in_memory, const std::string& path) {
  if (region_bytes > kLargestRegion) {
    throw InputError("--region-bytes", std::to_string(region_bytes), "at most " + std::to_string(kLargestRegion));
  }
  if (has_room(region_bytes, room, in_memory)) return;
  std::string found = mib(room.file_system_bytes) + " free";
  found += ", " + mib(room.memory_bytes) + " of memory available";
  throw InputError("--path", path,
                   "a directory with room for " + mib(region_bytes) + " (--region-bytes), memory for the order of its lines (a sixteenth) and some to spare",
                   "has too little room: " + found);
}

}  // namespace pmtwin::probe
