// Processors of a pool's workers.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "middleware/core/pools.h"

namespace pmtwin::middleware {

// The processors of a pool's workers, as its user names them: one by one, or all of a NUMA node; empty: any. Those of a
// node come in the order in which each core gets a worker before any gets two.
// Throws InputError, which names the pool, for a processor that this process may not use, for a node that does not exist
// or has no such processor, and if both are given. `root` is where sys is, for tests.
std::vector<int> placement_of(Mode pool, const std::vector<int>& cpus, std::optional<int> node, const std::string& root = "");

}  // namespace pmtwin::middleware
