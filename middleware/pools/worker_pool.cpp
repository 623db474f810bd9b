#include "middleware/pools/worker_pool.h"

#include "middleware/pools/handoff_queue.h"
#include "middleware/pools/mutex_queue.h"
#include "middleware/pools/queue_pool.h"
#ifdef PMTWIN_HAS_TBB
#include "middleware/pools/tbb_queue.h"
#endif
#include "native/common/errors.h"

namespace pmtwin::middleware {
namespace {

struct Design {
  const char* name;
  std::unique_ptr<WorkerPool> (*make)(PoolTasks);
};

template <class Queue>
std::unique_ptr<WorkerPool> make(PoolTasks tasks) {
  return std::make_unique<QueuePool<Queue>>(std::move(tasks));
}

constexpr Design kDesigns[] = {
    {"handoff", make<HandoffQueue>},
    {"mutex", make<MutexQueue>},
#ifdef PMTWIN_HAS_TBB
    {"tbb", make<TbbQueue>},
#endif
};

}  // namespace

std::vector<std::string> queue_names() {
  std::vector<std::string> names;
  for (const Design& design : kDesigns) names.emplace_back(design.name);
  return names;
}

std::unique_ptr<WorkerPool> make_pool(std::string_view queue, PoolTasks tasks) {
  std::string names;
  for (const Design& design : kDesigns) {
    if (queue == design.name) return design.make(std::move(tasks));
    names += (names.empty() ? "" : ", ") + std::string(design.name);
  }
  throw InputError("queue", std::string(queue), names);
}

}  // namespace pmtwin::middleware
