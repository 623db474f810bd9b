#include "middleware/pools/worker_pool.h"

#include "middleware/pools/queue_registry.h"

namespace pmtwin::middleware {

std::vector<std::string> queue_names() {
  std::vector<std::string> names;
  for (const auto& [name, design] : Queues::all()) names.push_back(name);
  return names;
}

std::unique_ptr<WorkerPool> make_pool(std::string_view queue, PoolTasks tasks) {
  return Queues::named("queue", queue).make(std::move(tasks));
}

}  // namespace pmtwin::middleware
