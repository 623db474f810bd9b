// A list through the requests themselves, under a mutex, with the sleeping workers beside it: a request that finds one
// is handed to it directly. Compared with a queue and a condition variable, nothing is allocated, the worker that is
// woken finds its request without taking the mutex again, and it is the one that slept least, whose stack and tables
// are still in the caches.
#pragma once

#include <mutex>

#include "middleware/pools/queue.h"
#include "native/common/futex.h"

namespace pmtwin::middleware {

class HandoffQueue {
 public:
  void push(Request& request) {
    request.next = nullptr;
    Sleeper* sleeper;
    {
      const std::lock_guard lock(mutex_);
      sleeper = take_sleeper();
      if (sleeper == nullptr) {
        *last_ = &request;
        last_ = &request.next;
        ++size_;
        return;
      }
    }
    sleeper->wake_with(&request);
  }

  template <Attendant A>
  Taken pop(A& attendant) {
    for (bool woken = false;;) {
      Sleeper sleeper;
      if (attendant.holds()) {
        const std::lock_guard lock(mutex_);
        if (attendant.leave()) return {nullptr, woken};
        if (first_ != nullptr) return {take_first(), woken};
      }
      attendant.let_go();
      {
        const std::lock_guard lock(mutex_);
        if (attendant.leave()) return {nullptr, woken};
        if (first_ != nullptr) return {take_first(), woken};
        attendant.idle();
        sleeper.below = sleepers_;
        sleepers_ = &sleeper;
      }
      woken = true;
      if (Request* request = sleeper.sleep()) return {request, true};
    }
  }

  Request* take() {
    const std::lock_guard lock(mutex_);
    return first_ == nullptr ? nullptr : take_first();
  }

  void wake(int workers) {
    for (; workers > 0; --workers) {
      Sleeper* sleeper;
      {
        const std::lock_guard lock(mutex_);
        sleeper = take_sleeper();
      }
      if (sleeper == nullptr) return;
      sleeper->wake_with(nullptr);
    }
  }

  std::size_t size() const {
    const std::lock_guard lock(mutex_);
    return size_;
  }

 private:
  // On the stack of the worker that sleeps; gone as soon as it is told to wake.
  struct Sleeper {
    Sleeper* below = nullptr;
    Request* request = nullptr;
    std::atomic<std::uint32_t> told = 0;

    void wake_with(Request* given) {
      request = given;
      std::atomic<std::uint32_t>& word = told;
      word.store(1, std::memory_order_release);
      futex_wake(word, 1);
    }
    Request* sleep() {
      while (told.load(std::memory_order_acquire) == 0) futex_wait(told, 0);
      return request;
    }
  };

  Sleeper* take_sleeper() {
    Sleeper* sleeper = sleepers_;
    if (sleeper != nullptr) sleepers_ = sleeper->below;
    return sleeper;
  }

  Request* take_first() {
    Request* request = first_;
    first_ = request->next;
    if (first_ == nullptr) last_ = &first_;
    --size_;
    return request;
  }

  mutable std::mutex mutex_;
  Request* first_ = nullptr;
  Request** last_ = &first_;
  std::size_t size_ = 0;
  Sleeper* sleepers_ = nullptr;
};

}  // namespace pmtwin::middleware
