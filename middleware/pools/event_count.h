// Sleep and wake beside a queue that has neither: who finds it empty announces that it will sleep, looks again, and
// sleeps only if nothing happened since. Who fills it pays for a system call only if somebody sleeps.
#pragma once

#include <atomic>
#include <cstdint>

#include "native/common/futex.h"

namespace pmtwin::middleware {

class EventCount {
 public:
  // Announces a sleep; the ticket for sleep(). Look at the queue again between the two; cancel() if it is not empty.
  std::uint32_t prepare() {
    sleepers_.fetch_add(1);
    return epoch_.load();
  }
  void cancel() { sleepers_.fetch_sub(1); }
  void sleep(std::uint32_t ticket) {
    while (epoch_.load() == ticket) futex_wait(epoch_, ticket);
    sleepers_.fetch_sub(1);
  }

  // After the queue was filled: wakes one, or all. Adding 0 orders it after the change of the queue, as a fence would;
  // ThreadSanitizer understands it.
  void notify_one() { notify(1); }
  void notify_all() { notify(INT32_MAX); }

 private:
  void notify(int sleepers) {
    if (sleepers_.fetch_add(0) == 0) return;
    epoch_.fetch_add(1);
    futex_wake(epoch_, sleepers);
  }

  std::atomic<std::uint32_t> epoch_ = 0;
  std::atomic<std::uint32_t> sleepers_ = 0;
};

}  // namespace pmtwin::middleware
