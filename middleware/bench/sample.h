// A sample of pmtwin-middleware-bench: clients, their calls, and the time.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "middleware/engines/registry.h"
#include "middleware/load/closed_loop.h"

namespace pmtwin::middleware {

struct Case {
  std::string group;    // purpose: hand-off, workers, round trip, or a mix of YCSB
  std::string engine;   // by name
  std::string access;   // raw (the engine itself), direct (no middleware mode), or a queue
  int workers = 0;      // of each pool
  int clients = 1;
  // Each client asks for requests of both classes in turn, so that every case has the same mix however fast each class
  // is answered; otherwise of interactive ones alone.
  bool both_classes = true;
};

struct Sample {
  std::uint64_t requests = 0, batch = 0;  // of both classes, and of the batch class alone
  double wall_s = 0;
  double cpu_s = 0;
  double p50_us = 0, p99_us = 0, mean_us = 0;  // of the interactive class, as its clients saw it
};

struct NamedEngine {
  std::string name;
  std::shared_ptr<Engine> engine;
};

// All engines of this build that keep at least this, those that keep most last; their files are called `file` and more.
std::vector<NamedEngine> engines_that_keep(Keeps least, const std::string& file, std::uint64_t live_bytes);

// Runs the clients for `seconds` after they have been warmed up, which counts nowhere; `access` and `workers` as of a
// case, `clients_of_both` as of ClosedLoop. Throws EngineError if a request failed.
Sample sample_of(std::shared_ptr<Engine> engine, const std::string& access, int workers,
                 const std::array<ClassLoad, kModes>& loads, int clients_of_both, double seconds);

}  // namespace pmtwin::middleware
