#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

namespace pmtwin::probe {

// Settings of the count of operations on values of one size.
struct CountPlan {
  std::string directory;
  std::uint64_t key_bytes;
  std::uint64_t value_bytes;
  std::uint64_t repeats;  // operations of each kind, over which means are taken
  std::uint64_t steps;    // of which so many are single-stepped as well; 0: none
  std::uint64_t traced;   // operations whose accesses to the pool are traced; 0: none
};

using Json = nlohmann::ordered_json;

// An object with the counts of get, put (an overwrite with a value of the same size) and insert.
Json count_operations(const CountPlan& plan);

}  // namespace pmtwin::probe
