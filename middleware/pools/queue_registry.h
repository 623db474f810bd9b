// The queues that a pool can have in this build, by name. Each registers itself in its own file.
#pragma once

#include <memory>
#include <string>

#include "middleware/pools/worker_pool.h"
#include "native/common/registry.h"

namespace pmtwin::middleware {

struct QueueDesign {
  std::string name;
  std::string description;  // one line, for those who choose one
  std::unique_ptr<WorkerPool> (*make)(PoolTasks);
};

using Queues = Registry<QueueDesign>;

}  // namespace pmtwin::middleware
