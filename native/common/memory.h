#pragma once

#include <cstdint>
#include <string>

namespace pmtwin {

// Memory available to this process: MemAvailable, or less where a control group (version 1 or 2) or one above it sets a
// limit. `root` is where proc and sys are, for tests.
std::uint64_t available_memory_bytes(const std::string& root = "");

}  // namespace pmtwin
