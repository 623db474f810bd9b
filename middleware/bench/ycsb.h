// YCSB's core workloads (Cooper et al., "Benchmarking Cloud Serving Systems with YCSB", SoCC 2010) through the middleware
// and by calls of the store itself.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "middleware/bench/sample.h"
#include "middleware/load/stream.h"
#include "native/common/scratch_folder.h"

namespace pmtwin::middleware {

class YcsbBench {
 public:
  // `letters`: of `ycsb_mix`, each once; their cases are groups "ycsb-a" and so on. Engines' files are made as those of
  // `Bench`. Throws InputError for other letters and for a directory that will not do.
  YcsbBench(const std::string& letters, const std::string& directory);

  // Cases of each mix and store: raw, and through the middleware with its default queue.
  std::vector<Case> cases() const;

  // As `sample_of`. What an earlier sample inserted is taken out before.
  Sample run(const Case& one, double seconds);

 private:
  const ScratchFolder scratch_;
  std::map<std::string, Stream> streams_;  // by group
  std::vector<Records> records_;
  std::vector<NamedEngine> engines_;
};

}  // namespace pmtwin::middleware
