#include "middleware/bench/ycsb.h"

#include <algorithm>

#include "middleware/core/options.h"
#include "native/common/errors.h"

namespace pmtwin::middleware {
namespace {

constexpr std::uint32_t kRecords = 10'000;
constexpr std::size_t kValueBytes = 1000;  // YCSB's ten fields of 100 bytes, as one
constexpr std::uint64_t kRequests = 1 << 18;
constexpr std::uint64_t kSeed = 1;
constexpr int kWorkers = 5, kClients = 200;  // as the hand-off is measured

Mix asked_mix(char letter) try {
  return ycsb_mix(letter);
} catch (const InputError& error) {
  throw error.within("--ycsb");
}

}  // namespace

YcsbBench::YcsbBench(const std::string& letters, const std::string& directory) : scratch_(directory, 0) {
  std::uint32_t most = kRecords;
  for (const char letter : letters) {
    const Stream stream = draw_stream(asked_mix(letter), kRecords, kRequests, kSeed);
    most = std::max(most, stream.records());
    if (!streams_.emplace(std::string("ycsb-") + letter, stream).second) {
      throw InputError("--ycsb", letters, "each mix once");
    }
  }
  if (streams_.empty()) throw InputError("--ycsb", letters, "letters of mixes");
  records_.emplace_back(Mode::kInteractive, most, kValueBytes);
  engines_ = engines_that_keep(Keeps::kInMemory, scratch_.pool_path(), records_.front().live_bytes());
}

std::vector<Case> YcsbBench::cases() const {
  std::vector<Case> cases;
  for (const auto& [group, stream] : streams_) {
    for (const NamedEngine& named : engines_) {
      cases.push_back({group, named.name, "raw", 0, kClients, false});
      cases.push_back({group, named.name, Options{}.queue, kWorkers, kClients, false});
    }
  }
  return cases;
}

Sample YcsbBench::run(const Case& one, double seconds) {
  const auto named = std::find_if(engines_.begin(), engines_.end(), [&](const NamedEngine& e) { return e.name == one.engine; });
  records_.front().fill(*named->engine, kRecords);
  const ClassLoad load{one.clients, &streams_.at(one.group), &records_.front()};
  return sample_of(named->engine, one.access, one.workers, {load, ClassLoad{}}, 0, seconds);
}

}  // namespace pmtwin::middleware
