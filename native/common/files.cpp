#include "native/common/files.h"

#include <fstream>
#include <sstream>

namespace pmtwin {

std::optional<std::string> read_text(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream all;
  std::string text;
  try {
    if (file.peek() != std::ifstream::traits_type::eof()) all << file.rdbuf();
    text = all.str();
  } catch (const std::ios_base::failure&) {  // a folder can be opened, but not read
    return std::nullopt;
  }
  if (!file.is_open() || file.bad()) return std::nullopt;
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

}  // namespace pmtwin
