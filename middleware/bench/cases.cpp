#include "middleware/bench/cases.h"

#include <time.h>

#include <chrono>
#include <thread>

#include "middleware/core/execute.h"
#include "middleware/core/middleware.h"
#include "middleware/engines/map_engine.h"
#include "middleware/engines/null_engine.h"
#include "middleware/pools/worker_pool.h"
#ifdef PMTWIN_HAS_PMEMKV
#include "middleware/engines/pmemkv_engine.h"
#endif

namespace pmtwin::middleware {
namespace {

constexpr std::uint32_t kRecords = 5'000;
constexpr std::uint64_t kRequests = 1 << 16;
constexpr double kWarmUpShare = 0.25;
constexpr std::uint64_t kSeed = 1;

double process_cpu_s() {
  timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

void sleep_for(double seconds) { std::this_thread::sleep_for(std::chrono::duration<double>(seconds)); }

}  // namespace

Bench::Bench(const std::string& directory) : scratch_(directory, 0) {
  records_.emplace_back(Mode::kInteractive, kRecords, 50);
  records_.emplace_back(Mode::kBatch, kRecords, 8192);
  streams_.push_back(draw_stream({0.2, 0.0}, kRecords, kRequests, kSeed));
  streams_.push_back(draw_stream({0.5, 0.0}, kRecords, kRequests, kSeed + 1));
  engines_.push_back({"null", std::make_shared<NullEngine>()});
  engines_.push_back({"map", std::make_shared<MapEngine>()});
#ifdef PMTWIN_HAS_PMEMKV
  PmemkvOptions options;
  options.path = scratch_.pool_path();
  options.opening = PmemkvOptions::Opening::kCreate;
  options.live_bytes = records_[0].live_bytes() + records_[1].live_bytes();
  engines_.push_back({"pmemkv", std::make_shared<PmemkvEngine>(options)});
#endif
  for (const Named& named : engines_) {
    for (const Records& records : records_) records.fill(*named.engine);
  }
}

std::vector<std::string> Bench::engines() const {
  std::vector<std::string> names;
  for (const Named& named : engines_) names.push_back(named.name);
  return names;
}

Sample Bench::run(const Case& one, double seconds) {
  std::shared_ptr<Engine> engine;
  for (const Named& named : engines_) {
    if (named.name == one.engine) engine = named.engine;
  }
  Options options;
  options.window = std::chrono::nanoseconds(0);
  options.direct = one.access == "direct" || one.access == "raw";
  if (!options.direct) options.queue = one.access;
  Middleware middleware(options);
  ClosedLoop::Ask ask;
  if (one.access == "raw") {
    ask = [&engine](Request& request) { execute(*engine, request); };
  } else {
    middleware.start(engine, std::max(one.workers, 1), std::max(one.workers, 1));
    ask = [&middleware](Request& request) {
      middleware.submit(request);
      middleware.wait(request);
    };
  }
  const ClassLoad interactive{one.both_classes ? 0 : one.clients, &streams_[0], &records_[0]};
  const ClassLoad batch{0, &streams_[1], &records_[1]};
  ClosedLoop clients({interactive, batch}, ask, one.both_classes ? one.clients : 0);
  sleep_for(kWarmUpShare * seconds);

  Sample sample;
  const Nanoseconds begin = steady_clock().now();
  const double cpu = process_cpu_s();
  const std::uint64_t answered = clients.answered(), of_batch = clients.answered(Mode::kBatch);
  clients.forget_latency();
  sleep_for(seconds);
  sample.requests = clients.answered() - answered;
  sample.batch = clients.answered(Mode::kBatch) - of_batch;
  sample.cpu_s = process_cpu_s() - cpu;
  sample.wall_s = 1e-9 * static_cast<double>(steady_clock().now() - begin);
  clients.stop();
  if (clients.failed() > 0) throw EngineError(engine->describe() + ": " + std::to_string(clients.failed()) + " requests failed");
  const Histogram latency = clients.latency_ns(Mode::kInteractive);
  sample.p50_us = 1e-3 * latency.quantile(0.5);
  sample.p99_us = 1e-3 * latency.quantile(0.99);
  sample.mean_us = 1e-3 * latency.mean();
  return sample;
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
