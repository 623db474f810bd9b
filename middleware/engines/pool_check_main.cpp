// pmtwin-pool-check FILE MOST_BYTES PATIENCE_MS: looks through a pool for damage, and may die of it. PmemkvEngine
// starts it before it opens a pool; in pools of up to MOST_BYTES it also changes every record, in its own memory.
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "middleware/engines/child_report.h"
#include "middleware/engines/pool_check.h"

namespace {

bool read(std::string_view text, std::uint64_t& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

}  // namespace

int main(int argc, char** argv) {
  std::uint64_t most_bytes = 0, patience_ms = 0;
  if (argc != 4 || !read(argv[2], most_bytes) || !read(argv[3], patience_ms)) {
    std::fputs("usage: pmtwin-pool-check FILE MOST_BYTES PATIENCE_MS (the middleware starts it by itself)\n", stderr);
    return 2;
  }
  pmtwin::middleware::ChildReport report{std::chrono::milliseconds(patience_ms)};
  std::error_code error;  // whether there is such a file is pmemkv's to say
  const bool with_changes = std::filesystem::file_size(argv[1], error) <= most_bytes;
  report.answer(pmtwin::middleware::check_records(argv[1], with_changes, [&] { report.progress(); }));
}
