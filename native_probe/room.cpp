#include "native_probe/room.h"

#include <sys/statvfs.h>

#include <algorithm>
#include <sstream>
#include <system_error>

#include "native/common/errors.h"
#include "native/common/files.h"
#include "native/common/memory.h"

namespace pmtwin::probe {
namespace {

constexpr std::uint64_t kMib = 1u << 20;
constexpr std::uint64_t kLargestRegion = std::uint64_t{1} << 37;  // 2^31 lines
constexpr std::uint64_t kNoLimit = ~std::uint64_t{0};

std::string mib(std::uint64_t bytes) {
  return std::to_string(bytes / kMib) + " MiB";
}

std::uint64_t usable(const Room& room, bool in_memory) {
  const auto less = [](std::uint64_t free_bytes) {
    return free_bytes - std::min(free_bytes, reserve_bytes(free_bytes));
  };
  return in_memory ? std::min(less(room.file_system_bytes), less(room.memory_bytes)) : less(room.file_system_bytes);
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

std::uint64_t default_region_bytes(std::uint64_t last_level_cache_bytes, const Room& room, bool in_memory) {
  const std::uint64_t wanted = std::max(1024 * kMib, 16 * last_level_cache_bytes);
  const std::uint64_t half =
      (in_memory ? std::min(room.file_system_bytes, room.memory_bytes) : room.file_system_bytes) / 2;
  return std::min({wanted, half, kLargestRegion}) / (2 * kMib) * (2 * kMib);
}

void check_room(std::uint64_t region_bytes, const Room& room, bool in_memory, const std::string& path) {
  if (region_bytes > kLargestRegion) {
    throw InputError("--region-bytes", std::to_string(region_bytes), "at most " + std::to_string(kLargestRegion));
  }
  if (region_bytes <= usable(room, in_memory)) return;
  std::string found = mib(room.file_system_bytes) + " free";
  if (in_memory) found += ", " + mib(room.memory_bytes) + " of memory available";
  throw InputError("--path", path,
                   "a directory with room for " + mib(region_bytes) + " (--region-bytes) and some to spare",
                   "has too little room: " + found);
}

}  // namespace pmtwin::probe
