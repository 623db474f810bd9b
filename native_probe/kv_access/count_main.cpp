// pmtwin-kv-count: what one get, put or insert of pmemkv's cmap asks of the memory, counted. JSON on standard output.

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <string>

#include "native_probe/kv_access/count_operations.h"
#include "native_probe/kv_access/restart.h"
#include "native/common/errors.h"
#include "native/common/program.h"
#include "native/common/program_options.h"
#include "native/common/scratch_folder.h"

namespace {

using namespace pmtwin;
using namespace pmtwin::probe;

constexpr std::uint64_t kMostValueBytes = 16ull << 20;

// Each access of a traced operation and each instruction of a stepped one costs tens of microseconds: few of the large.
constexpr std::uint64_t kMostSteppedBytes = 8192;
constexpr std::uint64_t kTracedInFullBytes = 16384;
constexpr std::uint64_t kLeastTraced = 4;

std::uint64_t traced_of(std::uint64_t wanted, std::uint64_t value_bytes) {
  if (value_bytes <= kTracedInFullBytes) return wanted;
  return std::min(wanted, std::max(kLeastTraced, wanted * kTracedInFullBytes / value_bytes));
}

// The counts are the software's; this says where one may ask if they ever differ.
Json counted_on(const std::string& directory) {
  std::string cpu = "unknown";
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    if (!line.starts_with("model name")) continue;
    cpu = line.substr(std::min(line.size(), line.find(": ") + 2));
    break;
  }
  return {{"cpu", cpu}, {"pool", is_memory_file_system(directory) ? "memory file system" : "persistent memory"}};
}

int run(int argc, char** argv) {
  const ProgramOptions options(argc, argv,
                        {{"path", "/dev/shm"}, {"values", "0,8,64,128,256,512,1024,2048,4096,8192,16384,32768,65536,131072,262144,1048576"},
                         {"keys", "16"}, {"repeats", "64"}, {"steps", "1"}, {"traced", "32"}});
  restart_as_persistent(argv, options.text("path"));
  Json cases = Json::array();
  for (const std::uint64_t key_bytes : options.numbers("keys", 8, 4096)) {
    for (const std::uint64_t value_bytes : options.numbers("values", 0, kMostValueBytes)) {
      std::fprintf(stderr, "counting: keys of %llu B, values of %llu B\n", static_cast<unsigned long long>(key_bytes),
                   static_cast<unsigned long long>(value_bytes));
      const std::uint64_t steps = value_bytes <= kMostSteppedBytes ? options.number("steps", 0, 1000) : 0;
      const std::uint64_t traced = traced_of(options.number("traced", 0, 1000), value_bytes);
      cases.push_back(count_operations({options.text("path"), key_bytes, value_bytes, options.number("repeats", 1, 10000),
                                       steps, traced}));
    }
  }
  const Json report = {{"schema_version", 1},
                       {"store", "pmemkv cmap"},
                       {"pmemkv_version", PMTWIN_PMEMKV_VERSION},
                       {"counted_on", counted_on(options.text("path"))},
                       {"cases", cases}};
  std::cout << report.dump(1) << '\n';
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return exit_code_of("pmtwin-kv-count", [&] { return run(argc, argv); });
}
