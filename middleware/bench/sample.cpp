#include "middleware/bench/sample.h"

#include <time.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "middleware/core/execute.h"
#include "middleware/core/middleware.h"
#include "middleware/engines/registry.h"

namespace pmtwin::middleware {
namespace {

constexpr double kWarmUpShare = 0.25;

double process_cpu_s() {
  timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

void sleep_for(double seconds) { std::this_thread::sleep_for(std::chrono::duration<double>(seconds)); }

}  // namespace

std::vector<NamedEngine> engines_that_keep(Keeps least, const std::string& file, std::uint64_t live_bytes) {
  std::vector<const EngineDesign*> designs;
  for (const auto& [name, design] : Engines::all()) {
    if (design.keeps >= least) designs.push_back(&design);
  }
  std::ranges::stable_sort(designs, {}, &EngineDesign::keeps);
  std::vector<NamedEngine> engines;
  for (const EngineDesign* design : designs) {
    const GivenOptions known{{"path", file + "-" + design->name}, {"live_bytes", live_bytes}};
    GivenOptions given;
    for (const EngineOption& option : design->options) {
      if (const auto value = known.find(option.name); value != known.end()) given.insert(*value);
    }
    engines.push_back({design->name, make_engine(design->name, given)});
  }
  return engines;
}

Sample sample_of(std::shared_ptr<Engine> engine, const std::string& access, int workers,
                 const std::array<ClassLoad, kModes>& loads, int clients_of_both, double seconds) {
  Options options;
  options.window = std::chrono::nanoseconds(0);
  options.direct = access == "direct" || access == "raw";
  if (!options.direct) options.queue = access;
  Middleware middleware(options);
  ClosedLoop::Ask ask;
  if (access == "raw") {
    ask = [&engine](Request& request) { execute(*engine, request); };
  } else {
    middleware.start(engine, std::max(workers, 1), std::max(workers, 1));
    ask = [&middleware](Request& request) {
      middleware.submit(request);
      middleware.wait(request);
    };
  }
  ClosedLoop clients(loads, ask, clients_of_both);
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

}  // namespace pmtwin::middleware
