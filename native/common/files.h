// The kernel's own text files.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace pmtwin {

// The text without its last newline; nothing if the file is absent or may not be read.
std::optional<std::string> read_text(const std::string& path);

// The numbers of a list such as `0-3,8`.
std::vector<int> parse_cpu_list(const std::string& text);

}  // namespace pmtwin
