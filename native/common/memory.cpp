#include "native/common/memory.h"

#include <algorithm>
#include <sstream>

#include "native/common/files.h"

namespace pmtwin {
namespace {

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

}  // namespace pmtwin
