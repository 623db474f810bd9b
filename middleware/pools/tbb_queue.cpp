// The thesis' queue: the concurrent queue of Threading Building Blocks, which does not lock, with an event count on
// which idle workers sleep.
#include <tbb/concurrent_queue.h>

#include "middleware/pools/event_count.h"
#include "middleware/pools/queue_pool.h"

namespace pmtwin::middleware {
namespace {

class TbbQueue {
 public:
  void push(Request& request) {
    requests_.push(&request);
    filled_.notify_one();
  }

  template <Attendant A>
  Taken pop(A& attendant) {
    for (bool woken = false;; woken = true) {
      Taken taken{nullptr, woken};
      if (attendant.leave() || requests_.try_pop(taken.request)) return pass_on(taken);
      attendant.let_go();
      const std::uint32_t ticket = filled_.prepare();
      if (attendant.leave() || requests_.try_pop(taken.request)) {
        filled_.cancel();
        return pass_on(taken);
      }
      attendant.idle();
      filled_.sleep(ticket);
    }
  }

  Request* take() {
    Request* request = nullptr;
    return requests_.try_pop(request) ? request : nullptr;
  }

  void wake(int) { filled_.notify_all(); }

  std::size_t size() const { return requests_.unsafe_size(); }

 private:
  // A worker that leaves may have been woken for a request.
  Taken pass_on(Taken taken) {
    if (taken.request == nullptr) filled_.notify_one();
    return taken;
  }

  tbb::concurrent_queue<Request*> requests_;
  EventCount filled_;
};

const Queues::Entry tbb_entry{{"tbb", "the thesis' queue: the concurrent queue of Threading Building Blocks", &make_queue_pool<TbbQueue>}};

}  // namespace
}  // namespace pmtwin::middleware
