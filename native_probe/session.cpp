#include "native_probe/session.h"

#include <benchmark/benchmark.h>

#include <memory>
#include <mutex>

#include "native/common/errors.h"
#include "native_probe/chase.h"
#include "native_probe/context.h"
#include "native_probe/interrupt.h"
#include "native_probe/measure.h"
#include "native_probe/noise.h"
#include "native_probe/report.h"
#include "native_probe/room.h"

namespace pmtwin::probe {
namespace {

constexpr std::uint64_t kGranule = 2u << 20;
constexpr std::uint64_t kLeastRegion = 16u << 20;
constexpr std::uint64_t kChaseSeed = 1;

std::uint64_t region_bytes(const SessionOptions& options, const Folder& folder) {
  const Room room = folder.node() ? room_on(*folder.node()) : room_at(folder.fd());
  const bool in_memory = folder.lives_in_memory();
  std::uint64_t bytes = 0;
  if (options.region_bytes) {
    if (*options.region_bytes < kLeastRegion || *options.region_bytes % kGranule != 0) {
      throw InputError("--region-bytes", std::to_string(*options.region_bytes), kRegionAllowed);
    }
    bytes = *options.region_bytes;
  } else {
    bytes = std::max(kLeastRegion, default_region_bytes(last_level_cache_bytes(), options.cache_multiple, room, in_memory));
  }
  check_room(bytes, room, in_memory, folder.path());
  return bytes;
}

// Memory from one node where there are several; otherwise its placement would be a matter of luck.
std::optional<int> node_to_bind(const SessionOptions& options, const std::vector<Node>& nodes) {
  if (options.node) return options.node;
  if (options.memory_node) {
    check_memory_node(*options.memory_node, "");
    return options.memory_node;
  }
  if (nodes.size() < 2) return std::nullopt;
  return nodes.front().id;
}

Folder folder_of(const SessionOptions& options) {
  if (options.node) return Folder(*options.node);
  return Folder(options.path);
}

}  // namespace

Session::Session(const SessionOptions& options)
    : folder_(folder_of(options)), isa_(options.isa.value_or(best_isa())), clock_(measure_clock()) {
  const std::vector<int> cpus = allowed_cpus();
  const std::vector<Node> nodes = usable_nodes("", cpus);
  const Noise noise = measure_noise(clock_, benchmark::CPUInfo::Get().num_cpus);
  region_.emplace(folder_, region_bytes(options, folder_), node_to_bind(options, nodes), check_interrupt);
  const Device device = examine_device(folder_, *region_);
  placement_.emplace(nodes, folder_.lives_in_memory() || !device.node ? region_->node() : device.node);
  context_ = context_of(folder_, *region_, device, *placement_, clock_, noise, isa_);
}

void Session::link_for(const Case& asked) {
  if (asked.kind != Kind::kChase) {
    if (asked.mixed || writes(asked.operation)) linked_random_.reset();  // the case writes over the links
    return;
  }
  if (linked_random_ == asked.random) return;
  linked_random_.reset();
  link_lines(region_->data(), region_->bytes(), asked.random, kChaseSeed, check_interrupt);
  linked_random_ = asked.random;
}

void Session::check(const Case& asked) const {
  check_fits(asked, region_->bytes(), placement_->cpus(asked.numa).size());
}

nlohmann::json Session::run(const Case& asked) {
  check(asked);
  const std::vector<int>& cpus = placement_->cpus(asked.numa);
  link_for(asked);

  // Google Benchmark calls the function once on each thread of each repetition: the first thread to come makes the
  // repetition, the others join it.
  std::mutex mutex;
  std::shared_ptr<Turn> current;
  Report report(asked, isa_, clock_);
  const auto join = [&] {
    const std::lock_guard lock(mutex);
    if (!current || current->joined == asked.threads) {
      current = std::make_shared<Turn>();
      current->skipped = interrupt_signal() != 0;
      current->before = cpu_times();
      current->repetition = std::make_unique<Repetition>(asked, isa_, clock_, region_->data(), region_->bytes(), cpus,
                                                         ++repetitions_run_);
    }
    ++current->joined;
    return current;
  };
  const std::vector<int> allowed = allowed_cpus();
  benchmark::ClearRegisteredBenchmarks();
  benchmark::RegisterBenchmark(name_of(asked).c_str(),
                               [&](benchmark::State& state) {
                                 const std::shared_ptr<Turn> turn = join();
                                 if (turn->skipped) {
                                   state.SkipWithError("interrupted");
                                   return;
                                 }
                                 for (auto _ : state) {
                                   turn->repetition->run(state.thread_index());
                                   state.SetIterationTime(asked.min_time_s);
                                 }
                                 if (turn->repetition->cut_short()) {
                                   state.SkipWithError("interrupted");
                                 } else {
                                   report.count(state, *turn);
                                 }
                                 run_on(allowed);  // one of the threads is the main thread
                               })
      ->Threads(asked.threads)
      ->Iterations(1)
      ->Repetitions(asked.repetitions)
      ->UseManualTime()
      ->Unit(benchmark::kMillisecond);
  benchmark::RunSpecifiedBenchmarks(&report, ".");
  benchmark::ClearRegisteredBenchmarks();
  if (report.benchmarks().empty()) check_interrupt();
  return report.benchmarks();
}

}  // namespace pmtwin::probe
