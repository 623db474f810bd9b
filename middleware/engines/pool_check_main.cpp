// pmtwin-pool-check FILE PATIENCE_MS TIME_MS CHANGED_BYTES: looks through a pool for damage, and may die of it.
// PmemkvEngine starts it before it opens a pool that it has not made. What takes longer than a second, or all its time, is
// told on standard error.
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

#include "middleware/engines/child_report.h"
#include "middleware/engines/pool_check.h"

namespace {

using Steady = std::chrono::steady_clock;

bool read(std::string_view text, std::uint64_t& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

// Says how far the check is: after a second, and then every five.
class Teller {
 public:
  Teller(std::string path, std::uint64_t time_ms) : path_(std::move(path)), time_ms_(time_ms) {}

  void at(std::uint64_t read, std::uint64_t changed) {
    read_ = read, changed_ = changed;
    const auto now = Steady::now();
    if (now < next_) return;
    next_ = now + std::chrono::seconds(5);
    tell(now, ", for " + std::to_string(time_ms_ / 1000) + " s at most");
  }

  void end() {
    const auto now = Steady::now();
    const bool all = now - begin_ >= std::chrono::milliseconds(time_ms_);
    if (all || now - begin_ >= std::chrono::seconds(1)) tell(now, all ? ", which is all its time" : ", done");
  }

 private:
  void tell(Steady::time_point now, const std::string& end) const {
    std::fprintf(stderr, "check of the pool %s: %llu records read, %llu changed on a copy, %.0f s%s\n", path_.c_str(),
                 static_cast<unsigned long long>(read_), static_cast<unsigned long long>(changed_),
                 std::chrono::duration<double>(now - begin_).count(), end.c_str());
  }

  const std::string path_;
  const std::uint64_t time_ms_;
  const Steady::time_point begin_ = Steady::now();
  Steady::time_point next_ = begin_ + std::chrono::seconds(1);
  std::uint64_t read_ = 0, changed_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  std::uint64_t patience_ms = 0, time_ms = 0, changed_bytes = 0;
  if (argc != 5 || !read(argv[2], patience_ms) || !read(argv[3], time_ms) || !read(argv[4], changed_bytes)) {
    std::fputs("usage: pmtwin-pool-check FILE PATIENCE_MS TIME_MS CHANGED_BYTES (the middleware starts it by itself)\n",
               stderr);
    return 2;
  }
  using std::chrono::milliseconds;
  pmtwin::middleware::ChildReport report{milliseconds(patience_ms)};
  Teller teller(argv[1], time_ms);
  const std::string found =
      pmtwin::middleware::check_records(argv[1], {milliseconds(time_ms), changed_bytes}, [&](auto read, auto changed) {
        report.progress();
        teller.at(read, changed);
      });
  teller.end();
  report.answer(found);
}
