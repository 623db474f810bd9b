// One sample of pmtwin-middleware-bench: clients, what they call, and how long it took.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "middleware/engines/engine.h"
#include "middleware/load/closed_loop.h"

namespace pmtwin::middleware {

struct Case {
  std::string group;    // what it is there for: hand-off, workers, round trip, or a mix of YCSB
  std::string engine;   // null, map, pmemkv
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

NamedEngine null_engine();

// Those that keep what they are given: in memory, and pmemkv in a new pool of this name, if it was built in.
std::vector<NamedEngine> stores(const std::string& pool, std::size_t live_bytes);

// Runs the clients for `seconds` after they have been warmed up, which counts nowhere; `access` and `workers` as of a
// case, `clients_of_both` as of ClosedLoop. Throws EngineError if a request failed.
Sample sample_of(std::shared_ptr<Engine> engine, const std::string& access, int workers,
                 const std::array<ClassLoad, kModes>& loads, int clients_of_both, double seconds);

}  // namespace pmtwin::middleware
