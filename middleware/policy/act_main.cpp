// pmtwin-act: asks an exported policy, line by line; to look at one, and to hold it against Python's.

#include <climits>
#include <cmath>
#include <cstdio>
#include <iostream>
#include <sstream>
#include <string>

#include "middleware/policy/policy_file.h"

namespace {

constexpr const char* kUsage = R"(usage: pmtwin-act FILE

FILE is a policy that pmtwin export wrote. On standard input, a line for each window: the eight numbers of the
state (Table 3.2) and, once a window has passed, its p99 of interactive requests (us), its throughput, and that of the
interactive and of the batch class alone (operations/s). On standard output, for each line the action of Table 3.3
(0 to 8), or the pools to jump to as 10,12. The line `start` begins a new run: it is answered
by the pools to begin with, or by a dash.

exit codes: 0 ok, 2 bad input
)";

constexpr int kBadInput = 2;

using namespace pmtwin::policy;

void print(const Pools& pools) { std::printf("%d,%d\n", pools.interactive_threads, pools.batch_threads); }

void begin(Policy& policy) {
  if (const auto pools = policy.start()) {
    print(*pools);
  } else {
    std::puts("-");
  }
}

// A number of threads, which may be written as 4.0.
bool whole(std::istringstream& words, int& number) {
  double value;
  if (!(words >> value) || !(value >= INT_MIN && value <= INT_MAX) || value != std::floor(value)) return false;
  number = static_cast<int>(value);
  return true;
}

bool answer(Policy& policy, const std::string& line) {
  std::istringstream words(line);
  State state;
  if (!whole(words, state.interactive_threads) || !whole(words, state.batch_threads)) return false;
  words >> state.interactive_queue_size >> state.batch_queue_size >> state.interactive_block_size >>
      state.batch_block_size >> state.interactive_write_ratio >> state.batch_write_ratio;
  if (!words) return false;
  std::optional<WindowStats> last;
  WindowStats found;
  if (words >> found.p99_us) {
    if (!(words >> found.throughput_ops >> found.interactive_ops >> found.batch_ops)) return false;
    last = found;
  } else {
    words.clear();
  }
  std::string rest;
  if (words >> rest) return false;
  const Choice choice = policy.act(state, last);
  if (const auto* pools = std::get_if<Pools>(&choice)) {
    print(*pools);
  } else {
    std::printf("%d\n", std::get<int>(choice));
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2 && (std::string(argv[1]) == "--help" || std::string(argv[1]) == "-h")) {
    std::fputs(kUsage, stdout);
    return 0;
  }
  if (argc != 2) {
    std::fputs(kUsage, stderr);
    return kBadInput;
  }
  try {
    const auto policy = load_policy(argv[1]);
    policy->start();
    int number = 0;
    for (std::string line; std::getline(std::cin, line);) {
      ++number;
      if (line == "start") {
        begin(*policy);
      } else if (!answer(*policy, line)) {
        std::fprintf(stderr, "pmtwin-act: line %d: '%s' is not accepted; allowed: start, or 8 or 12 numbers, the first"
                     " two whole\n", number,
                     line.c_str());
        return kBadInput;
      }
      std::fflush(stdout);
    }
    return 0;
  } catch (const PolicyFileError& error) {
    std::fprintf(stderr, "pmtwin-act: %s\n", error.what());
    return kBadInput;
  }
}
