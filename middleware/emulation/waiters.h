#pragma once
// Real threads as the emulated machine knows them, and those that wait for a virtual time.

#include <atomic>
#include <cstdint>
#include <vector>

#include "middleware/core/clock.h"
#include "native/common/futex.h"

namespace pmtwin::emulation {

struct KnownThread {
  std::uint64_t machine = 0;  // that knows it
  double time = 0;            // of the last event that it knows of
  bool acting = false;        // virtual time waits for it
  bool acts_as_worker = false;
  bool worker = false;        // it has a request, or looks for its next one
  bool own = false;           // the machine's own
  bool busy = false;          // the stations know that it is
  int class_index = 0;        // of its request
  middleware::Nanoseconds submitted = 0;
  std::uint64_t number = 0;
  std::uint64_t waits = 0;    // answers that it will wait for
};

struct Waiter {
  KnownThread* thread;
  bool will_act;
  double start = 0;
  double at = 0;
  std::atomic<std::uint32_t> done = 0;

  void wait() {
    while (done.load(std::memory_order_acquire) == 0) futex_wait(done, 0);
  }
  // The waiter may be gone when this returns.
  void let_go() {
    std::atomic<std::uint32_t>& word = done;
    word.store(1, std::memory_order_release);
    futex_wake(word, 1);
  }
};

// Numbers for those that wait for the end of a request at the stations, used again and again.
class Tickets {
 public:
  std::uint32_t take(Waiter& waiter) {
    if (free_.empty()) {
      free_.push_back(static_cast<std::uint32_t>(waiters_.size()));
      waiters_.push_back(nullptr);
    }
    const std::uint32_t ticket = free_.back();
    free_.pop_back();
    waiters_[ticket] = &waiter;
    return ticket;
  }
  Waiter& give_back(std::uint32_t ticket) {
    free_.push_back(ticket);
    return *waiters_[ticket];
  }

 private:
  std::vector<Waiter*> waiters_;  // by ticket
  std::vector<std::uint32_t> free_;
};

}  // namespace pmtwin::emulation
