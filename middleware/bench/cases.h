// Cases of pmtwin-middleware-bench.
#pragma once

#include <string>
#include <vector>

#include "middleware/bench/sample.h"
#include "middleware/load/stream.h"
#include "native/common/scratch_folder.h"

namespace pmtwin::middleware {

// The engines that are there, with the records of both classes in them.
class Bench {
 public:
  // Engines' files are made in a folder of their own in `directory`, which goes with this or with the process. Throws
  // InputError for a directory that will not do. Values as in phase 1 of the thesis: 50 bytes, a fifth of
  // the requests puts; 8 KiB, half of them puts.
  explicit Bench(const std::string& directory);

  std::vector<std::string> engines() const;

  // As `sample_of`.
  Sample run(const Case& one, double seconds);

 private:
  const ScratchFolder scratch_;
  std::vector<Records> records_;
  std::vector<Stream> streams_;
  std::vector<NamedEngine> engines_;
};

// All cases, for these engines.
std::vector<Case> all_cases(const std::vector<std::string>& engines);

}  // namespace pmtwin::middleware
