// What pmtwin-middleware-bench measures.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "middleware/engines/engine.h"
#include "middleware/load/closed_loop.h"
#include "native/common/scratch_folder.h"

namespace pmtwin::middleware {

struct Case {
  std::string group;    // what it is there for: hand-off, workers, round trip
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

// The engines that are there, with the records of both classes in them.
class Bench {
 public:
  // pmemkv's pool is made in a folder of its own in `directory`, which goes with this or with the process. Throws
  // UserError for a directory that will not do. Values as in phase 1 of the thesis: 50 bytes, a fifth of
  // the requests puts; 8 KiB, half of them puts.
  explicit Bench(const std::string& directory);

  std::vector<std::string> engines() const;

  // Runs the clients for `seconds` after they have been warmed up, which counts nowhere. Throws EngineError if a
  // request failed.
  Sample run(const Case& one, double seconds);

 private:
  struct Named {
    std::string name;
    std::shared_ptr<Engine> engine;
  };

  const ScratchFolder scratch_;
  std::vector<Records> records_;
  std::vector<Stream> streams_;
  std::vector<Named> engines_;
};

// All cases, for these engines.
std::vector<Case> all_cases(const std::vector<std::string>& engines);

}  // namespace pmtwin::middleware
