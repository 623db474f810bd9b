// The plainest queue: a deque, a mutex, a condition variable.
#include <condition_variable>
#include <deque>
#include <mutex>

#include "middleware/pools/queue_pool.h"

namespace pmtwin::middleware {
namespace {

class MutexQueue {
 public:
  void push(Request& request) {
    {
      const std::lock_guard lock(mutex_);
      requests_.push_back(&request);
    }
    changed_.notify_one();
  }

  template <Attendant A>
  Taken pop(A& attendant) {
    std::unique_lock lock(mutex_);
    for (bool woken = false;;) {
      if (attendant.leave()) {
        if (!requests_.empty()) changed_.notify_one();  // it may have been woken for a request
        return {nullptr, woken};
      }
      if (!requests_.empty()) return {take_first(), woken};
      if (attendant.holds()) {
        lock.unlock();
        attendant.let_go();
        lock.lock();
        continue;
      }
      attendant.idle();
      changed_.wait(lock);
      woken = true;
    }
  }

  Request* take() {
    const std::lock_guard lock(mutex_);
    return requests_.empty() ? nullptr : take_first();
  }

  void wake(int) {
    const std::lock_guard lock(mutex_);
    changed_.notify_all();
  }

  std::size_t size() const {
    const std::lock_guard lock(mutex_);
    return requests_.size();
  }

 private:
  Request* take_first() {
    Request* request = requests_.front();
    requests_.pop_front();
    return request;
  }

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Request*> requests_;
};

const Queues::Entry mutex_entry{{"mutex", "a deque, a mutex and a condition variable", &make_queue_pool<MutexQueue>}};

}  // namespace
}  // namespace pmtwin::middleware
