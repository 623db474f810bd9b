// State of a pool after kill -9: values whose put was acknowledged must be there and whole, and keys whose removal was
// acknowledged must be absent. (The page cache survives a kill, so this says nothing of a loss of power.)
#pragma once

#include <cstdint>
#include <functional>
#include <random>
#include <string>

namespace pmtwin::middleware {

struct LoadKills {
  int rounds = 0;
  double seconds = 0;                // under load and resizes, over all rounds
  std::uint64_t puts = 0;            // acknowledged
  std::uint64_t removals = 0;        // acknowledged
  std::uint64_t resizes = 0;         // of the pools, in these seconds
  std::uint64_t checked = 0;         // keys read after the reopenings
  std::uint64_t lost = 0;            // a put was acknowledged, and an older value or none is there
  std::uint64_t returned = 0;        // a removal was acknowledged, and an older value is there
  std::uint64_t torn = 0;            // neither the old value nor the new one
  std::uint64_t unacknowledged = 0;  // there without having been acknowledged, which is allowed
  double slowest_reopening_ms = 0;
};

struct CreationKills {
  int rounds = 0;
  int absent = 0;    // killed before the pool had its name
  int whole = 0;     // there, and it opens
  int unusable = 0;  // there, and it does not open
  int leftovers = 0;  // files that the next creation did not remove
};

using Progress = std::function<void()>;  // after each round

// Rounds of: a child process with 16 clients that put and remove over a middleware over a pool at `folder`, its pools
// resized on a schedule of a millisecond without waiting for workers that leave; killed at a random moment; reopened
// here, every key held against what was acknowledged. Throws EngineError if the pool cannot be created or reopened.
LoadKills kill_under_load(const std::string& folder, int rounds, std::uint64_t seed, const Progress& progress);

// Rounds of: a child process that creates a pool, killed at a random moment.
CreationKills kill_during_creation(const std::string& folder, int rounds, std::uint64_t seed, const Progress& progress);

}  // namespace pmtwin::middleware
