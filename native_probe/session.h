// A probe at work: the region and all that was found out about the machine, and the cases run on it.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "native/common/placement.h"
#include "native_probe/case.h"
#include "native_probe/clock.h"
#include "native_probe/device.h"
#include "native_probe/region.h"

namespace pmtwin::probe {

inline constexpr const char* kRegionAllowed = "a multiple of 2 MiB (2097152 bytes), at least 16 MiB";

struct SessionOptions {
  std::string path;         // a directory, or
  std::optional<int> node;  // a NUMA node
  std::optional<std::uint64_t> region_bytes;
  std::uint64_t cache_multiple = 16;  // of the default region
  std::optional<int> memory_node;
  std::optional<Isa> isa;
};

class Session {
 public:
  // Makes the region; takes seconds. Throws InputError or Interrupted.
  explicit Session(const SessionOptions& options);

  const nlohmann::json& context() const { return context_; }

  // Throws InputError if the case does not fit this machine or region.
  void check(const Case& asked) const;

  // Runs a case through Google Benchmark. The objects that its own JSON reporter would write, one for each repetition
  // that was finished (fewer than asked for only if a signal arrived), with the raw histogram beside the counters.
  // Throws what `check` throws; Interrupted if not one repetition was finished.
  nlohmann::json run(const Case& asked);

 private:
  void link_for(const Case& asked);

  Folder folder_;
  Isa isa_;
  Clock clock_;
  std::optional<Region> region_;
  std::optional<Placement> placement_;
  nlohmann::json context_;
  std::optional<bool> linked_random_;  // how the lines are linked now, if they are
  std::uint64_t repetitions_run_ = 0;  // each has another seed
};

}  // namespace pmtwin::probe
