#include "native_probe/files.h"

#include <fstream>
#include <iterator>
#include <sstream>

namespace pmtwin::probe {

std::optional<std::string> read_text(const std::string& path) {
  std::ifstream file(path);
  if (!file) return std::nullopt;
  std::string text{std::istreambuf_iterator<char>(file), {}};
  if (file.bad()) return std::nullopt;
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

std::vector<int> parse_cpu_list(const std::string& text) {
  std::vector<int> cpus;
  std::istringstream parts(text);
  for (std::string part; std::getline(parts, part, ',');) {
    std::istringstream range(part);
    int first = 0;
    if (!(range >> first)) continue;
    int last = first;
    char dash = 0;
    range >> dash >> last;
    for (int cpu = first; cpu <= last; ++cpu) cpus.push_back(cpu);
  }
  return cpus;
}

}  // namespace pmtwin::probe
