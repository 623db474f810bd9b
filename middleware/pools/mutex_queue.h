// The plainest queue: a deque, a mutex, a condition variable.
#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>

#include "middleware/pools/queue.h"

namespace pmtwin::middleware {

class MutexQueue {
 public:
  void push(Request& request) {
    {
      const std::lock_guard lock(mutex_);
      requests_.push_back(&request);
    }
    changed_.notify_one();
  }

  template <class Leave, class Idle>
  Taken pop(Leave leave, Idle idle) {
    std::unique_lock lock(mutex_);
    bool woken = false;
    for (;;) {
      if (leave()) {
        if (!requests_.empty()) changed_.notify_one();  // it may have been woken for a request
        return {nullptr, woken};
      }
      if (!requests_.empty()) break;
      idle();
      changed_.wait(lock);
      woken = true;
    }
    Request* request = requests_.front();
    requests_.pop_front();
    return {request, woken};
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
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Request*> requests_;
};

}  // namespace pmtwin::middleware
