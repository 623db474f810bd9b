#include "middleware/bench/cases.h"

#include "middleware/pools/worker_pool.h"

namespace pmtwin::middleware {
namespace {

constexpr std::uint32_t kRecords = 5'000;
constexpr std::uint64_t kRequests = 1 << 16;
constexpr std::uint64_t kSeed = 1;

}  // namespace

Bench::Bench(const std::string& directory) : scratch_(directory, 0) {
  records_.emplace_back(Mode::kInteractive, kRecords, 50);
  records_.emplace_back(Mode::kBatch, kRecords, 8192);
  streams_.push_back(draw_stream({0.2, 0.0}, kRecords, kRequests, kSeed));
  streams_.push_back(draw_stream({0.5, 0.0}, kRecords, kRequests, kSeed + 1));
  const std::uint64_t live_bytes = records_[0].live_bytes() + records_[1].live_bytes();
  engines_ = engines_that_keep(Keeps::kNothing, scratch_.pool_path(), live_bytes);
  for (const NamedEngine& named : engines_) {
    for (const Records& records : records_) records.fill(*named.engine);
  }
}

std::vector<std::string> Bench::engines() const {
  std::vector<std::string> names;
  for (const NamedEngine& named : engines_) names.push_back(named.name);
  return names;
}

Sample Bench::run(const Case& one, double seconds) {
  std::shared_ptr<Engine> engine;
  for (const NamedEngine& named : engines_) {
    if (named.name == one.engine) engine = named.engine;
  }
  const ClassLoad interactive{one.both_classes ? 0 : one.clients, &streams_[0], &records_[0]};
  const ClassLoad batch{0, &streams_[1], &records_[1]};
  return sample_of(engine, one.access, one.workers, {interactive, batch}, one.both_classes ? one.clients : 0, seconds);
}

std::vector<Case> all_cases(const std::vector<std::string>& engines) {
  std::vector<Case> cases;
  const std::vector<std::string> queues = queue_names();
  for (const std::string& engine : engines) {
    cases.push_back({"hand-off", engine, "raw", 0, 200});
    cases.push_back({"hand-off", engine, "direct", 0, 200});
    for (const std::string& queue : queues) cases.push_back({"hand-off", engine, queue, 5, 200});
  }
  for (const std::string& engine : engines) {
    cases.push_back({"round trip", engine, "raw", 0, 1, false});
    for (const std::string& queue : queues) cases.push_back({"round trip", engine, queue, 1, 1, false});
  }
  for (const int workers : {1, 2, 4, 8, 16, 32}) {
    cases.push_back({"workers", engines.back(), "raw", workers, 2 * workers});  // as many threads, without a hand-off
    for (const std::string& queue : queues) cases.push_back({"workers", engines.back(), queue, workers, 200});
  }
  return cases;
}

}  // namespace pmtwin::middleware
