// A case to measure, as requested in JSON.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "native_probe/kernels.h"

namespace pmtwin::probe {

enum class Kind { kBandwidth, kLatency, kChase };

struct Case {
  Kind kind = Kind::kBandwidth;
  bool mixed = false;
  bool mix_by_accesses = false;                     // each thread reads and writes; else each does one of the two
  Operation operation = Operation::kLoad;           // of a mix: kLoad
  Operation write_operation = Operation::kNtstore;  // of a mix
  bool random = true;
  bool cached = false;  // of a latency: the lines are loaded before the time starts
  std::uint64_t access_bytes = 64;
  std::uint64_t stride_bytes = 0;
  std::uint64_t fence_interval_bytes = 0;
  int threads = 1;
  double write_ratio = 0.0;
  std::string numa = "local";
  int repetitions = 10;
  double min_time_s = 0.1;

  int writing_threads() const;  // of a mix by threads
};

// Reads a case; absent fields have the defaults above, but `kind` and `operation` must be there. Writes of a latency
// are `cached` unless asked for, as FAST'20 (Yang et al., section 3.1) measures them. Throws InputError naming the
// field for an unknown field or name, a value outside its range, or fields that do not go together.
Case parse_case(const nlohmann::json& json);

// `bandwidth/load/random/64B/threads:2`, unique among cases that differ.
std::string name_of(const Case& asked);

// `operation=load pattern=random kind=bandwidth ...`: what the reader of the result goes by.
std::string label_of(const Case& asked, const Isa& isa);

}  // namespace pmtwin::probe
