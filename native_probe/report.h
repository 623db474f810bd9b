// From what the threads did to Google Benchmark's counters and objects.
#pragma once

#include <benchmark/benchmark.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>

#include "native_probe/measure.h"
#include "native_probe/noise.h"

namespace pmtwin::probe {

// A repetition and the threads that have joined it.
struct Turn {
  std::unique_ptr<Repetition> repetition;
  CpuTimes before;
  int joined = 0;
  bool skipped = false;
};

// Sets the counters of a repetition and collects the finished ones as Google Benchmark's JSON has them.
class Report : public benchmark::BenchmarkReporter {
 public:
  Report(const Case& asked, const Isa& isa, const Clock& clock);

  // To be called by every thread of a repetition when all of them have finished. Each adds its own share to the
  // counters that Google Benchmark sums over threads; the first sets the rest.
  void count(benchmark::State& state, const Turn& turn);

  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>& runs) override;

  const nlohmann::json& benchmarks() const { return benchmarks_; }

 private:
  void count_latency(benchmark::State& state, const Repetition& repetition);

  Case asked_;
  Isa isa_;
  const Clock& clock_;
  std::vector<nlohmann::json> histograms_;  // of the repetitions with one, in order
  nlohmann::json benchmarks_ = nlohmann::json::array();
  std::ostringstream nowhere_;  // Google Benchmark's own remarks; ours are in the context
};

}  // namespace pmtwin::probe
