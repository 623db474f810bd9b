#include "middleware/pools/handoff_queue.h"

#include "middleware/pools/queue_pool.h"

namespace pmtwin::middleware {
namespace {

const Queues::Entry handoff_entry{
    {"handoff", "a list under a mutex; a request is handed to a sleeping worker", &make_queue_pool<HandoffQueue>}};

}  // namespace
}  // namespace pmtwin::middleware
