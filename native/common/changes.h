// Waiting for something to become true that other threads bring about, until a deadline.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

#include "native/common/futex.h"

namespace pmtwin {

using Deadline = std::chrono::steady_clock::time_point;
constexpr Deadline kAtOnce{};  // long past
constexpr Deadline kNoDeadline = Deadline::max();

// For a time that may be negative, or longer than the clock can tell.
inline Deadline deadline_in(std::chrono::nanoseconds time) {
  const Deadline now = std::chrono::steady_clock::now();
  return time.count() < 0 ? now : time < kNoDeadline - now ? now + time : kNoDeadline;
}

// Counts changes of what is waited for: a condition variable whose condition is in atomics.
class Changes {
 public:
  // After the change.
  void tell() {
    count_.fetch_add(1);
    futex_wake(count_, INT32_MAX);
  }

  // Until done(), which is asked again after each change. False: it was not when the deadline had passed.
  template <class Done>
  bool await(Deadline until, Done done) const {
    for (;;) {
      const std::uint32_t seen = count_;
      if (done()) return true;
      if (!futex_wait_until(count_, seen, until)) return done();
    }
  }

 private:
  std::atomic<std::uint32_t> count_ = 0;
};

}  // namespace pmtwin
