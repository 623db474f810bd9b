#include "native_probe/report.h"

#include <algorithm>

namespace pmtwin::probe {
namespace {

using nlohmann::json;

constexpr double kMib = 1024.0 * 1024.0;

constexpr struct {
  const char* name;
  double quantile;
} kQuantiles[] = {{"latency_min_ns", 0.0},  {"latency_p50_ns", 0.5},    {"latency_p90_ns", 0.9},
                  {"latency_p99_ns", 0.99}, {"latency_p999_ns", 0.999}, {"latency_p9999_ns", 0.9999},
                  {"latency_max_ns", 1.0}};

json raw(const Histogram& histogram, const Clock& clock, double accesses_per_value) {
  json lower = json::array(), upper = json::array(), count = json::array();
  for (const Histogram::Bin& bin : histogram.bins()) {
    lower.push_back(bin.lower);
    upper.push_back(bin.upper);
    count.push_back(bin.count);
  }
  return {{"tick_ns", clock.tick_ns},
          {"accesses_per_value", accesses_per_value},
          {"lower_ticks", lower},
          {"upper_ticks", upper},
          {"count", count}};
}

}  // namespace

Report::Report(const Case& asked, const Isa& isa, const Clock& clock) : asked_(asked), isa_(isa), clock_(clock) {
  SetOutputStream(&nowhere_);
  SetErrorStream(&nowhere_);
}

void Report::count(benchmark::State& state, const Turn& turn) {
  const auto& results = turn.repetition->results();
  const ThreadResult& own = results[static_cast<std::size_t>(state.thread_index())];
  const double seconds = 1e-9 * clock_.ns(static_cast<double>(own.ticks));
  state.counters["accesses"] = static_cast<double>(own.accesses);
  if (asked_.kind == Kind::kBandwidth) {
    state.counters["bandwidth_mib_s"] =
        static_cast<double>(own.accesses) * static_cast<double>(asked_.access_bytes) / seconds / kMib;
  }
  if (state.thread_index() != 0) return;

  double slowest = 1e300, share = 1.0, bytes_per_access = static_cast<double>(asked_.access_bytes);
  bool pinned = true;
  for (const ThreadResult& result : results) {
    const double time_s = 1e-9 * clock_.ns(static_cast<double>(result.ticks));
    slowest = std::min(slowest, static_cast<double>(result.accesses) * bytes_per_access / time_s / kMib);
    share = std::min(share, result.cpu_share);
    pinned = pinned && result.pinned;
  }
  if (asked_.kind == Kind::kBandwidth) {
    state.counters["slowest_thread_mib_s"] = slowest;
  } else {
    count_latency(state, *turn.repetition);
  }
  if (asked_.mixed) state.counters["write_ratio"] = asked_.write_ratio;
  state.counters["access_size_bytes"] = bytes_per_access;
  state.counters["stride_bytes"] = static_cast<double>(asked_.stride_bytes);
  state.counters["fence_interval_bytes"] = static_cast<double>(asked_.fence_interval_bytes);
  state.counters["cpu_share"] = share;
  state.counters["steal_percent"] = steal_percent(turn.before, cpu_times());
  state.counters["pinned"] = pinned ? 1 : 0;
  state.SetLabel(label_of(asked_, isa_));
}

void Report::count_latency(benchmark::State& state, const Repetition& repetition) {
  Histogram all;
  for (const ThreadResult& result : repetition.results()) all.merge(result.latencies);
  const bool chase = asked_.kind == Kind::kChase;
  const double per_value = chase ? static_cast<double>(kHopsPerBatch) : 1.0;
  state.counters["latency_mean_ns"] = clock_.ns(all.mean()) / per_value;
  state.counters["samples"] = static_cast<double>(all.count());
  if (chase) {
    state.counters["latency_batch_p50_ns"] = clock_.ns(all.quantile(0.5)) / per_value;
  } else {
    for (const auto& [name, quantile] : kQuantiles) state.counters[name] = clock_.ns(all.quantile(quantile));
  }
  histograms_.push_back(raw(all, clock_, per_value));
}

void Report::ReportRuns(const std::vector<Run>& runs) {
  for (const Run& run : runs) {
    if (run.run_type != Run::RT_Iteration || run.counters.count("accesses") == 0) continue;  // a summary; interrupted
    json object = {{"name", run.benchmark_name()},
                   {"run_name", run.run_name.str()},
                   {"run_type", "iteration"},
                   {"repetitions", run.repetitions},
                   {"repetition_index", run.repetition_index},
                   {"threads", run.threads},
                   {"iterations", 1},  // of each thread; Google Benchmark has the sum here and divides the time by it
                   {"real_time", asked_.min_time_s * 1e3},
                   {"cpu_time", run.cpu_accumulated_time * 1e3},
                   {"time_unit", "ms"},
                   {"label", run.report_label}};
    for (const auto& [name, counter] : run.counters) object[name] = counter.value;
    if (benchmarks_.size() < histograms_.size()) object["histogram"] = histograms_[benchmarks_.size()];
    benchmarks_.push_back(object);
  }
}

}  // namespace pmtwin::probe
