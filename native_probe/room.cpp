#include "native_probe/room.h"

#include <sys/statvfs.h>

#include <algorithm>
#include <sstream>
#include <system_error>

#include "native/common/errors.h"
#include "native/common/files.h"

namespace pmtwin::probe {
namespace {

constexpr std::uint64_t kMib = 1u << 20;
constexpr std::uint64_t kLargestRegion = std::uint64_t{1} << 37;  // 2^31 lines
constexpr std::uint64_t kNoLimit = ~std::uint64_t{0};

std::uint64_t number_in(const std::string& path, std::uint64_t otherwise) {
  const auto text = read_text(path);
  std::uint64_t value = 0;
  return text && std::istringstream(*text) >> value ? value : otherwise;
}

std::uint64_t below_limit(const std::string& folder, const char* limit_file, const char* usage_file) {
  const std::uint64_t limit = number_in(folder + limit_file, kNoLimit);  // "max" is no number
  const std::uint64_t usage = number_in(folder + usage_file, 0);
  return limit == kNoLimit ? kNoLimit : limit - std::min(limit, usage);
}

// The group of this process and all groups around it: each limit holds.
std::uint64_t group_memory_bytes(const std::string& root) {
  std::uint64_t least = kNoLimit;
  std::istringstream groups(read_text(root + "/proc/self/cgroup").value_or(""));
  for (std::string line; std::getline(groups, line);) {
    const auto first = line.find(':');
    const auto second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const bool version_2 = controllers.empty();
    if (!version_2 && controllers.find("memory") == std::string::npos) continue;
    std::string group = line.substr(second + 1);
    for (bool at_root = false; !at_root;) {
      at_root = group.empty() || group == "/";
      const std::string folder = root + (version_2 ? "/sys/fs/cgroup" : "/sys/fs/cgroup/memory") + group + "/";
      least = std::min(least, version_2 ? below_limit(folder, "memory.max", "memory.current")
                                        : below_limit(folder, "memory.limit_in_bytes", "memory.usage_in_bytes"));
      if (!at_root) group.resize(group.rfind('/'));
    }
  }
  return least;
}

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

std::uint64_t available_memory_bytes(const std::string& root) {
  std::uint64_t available = kNoLimit;
  std::istringstream lines(read_text(root + "/proc/meminfo").value_or(""));
  for (std::string name; lines >> name;) {
    std::uint64_t kib = 0;
    if (name == "MemAvailable:" && lines >> kib) available = kib * 1024;
    lines.ignore(256, '\n');
  }
  return std::min(available, group_memory_bytes(root));
}

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
