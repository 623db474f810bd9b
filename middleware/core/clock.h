// The time in which requests are stamped, windows are cut and traces are paced.
#pragma once

#include <chrono>
#include <cstdint>
#include <thread>

namespace pmtwin::middleware {

using Nanoseconds = std::int64_t;

// Time as threads see it. For a clock of logical (virtual) time, each thread has a time of its own: that of the last
// event which it took part in or learned of, so that late wake-ups of the real machine leave no trace in the stamps.
class Clock {
 public:
  virtual ~Clock() = default;

  virtual Nanoseconds now() const = 0;

  // The calling thread has learned of something that happened at `stamp`; its own time is no earlier from now on
  // (Lamport's rule). Nothing for a clock of real time.
  virtual void learn(Nanoseconds stamp) const { (void)stamp; }

  // Lets the calling thread sleep until `stamp`, which may have passed.
  virtual void sleep_until(Nanoseconds stamp) const = 0;
};

// CLOCK_MONOTONIC.
class SteadyClock final : public Clock {
 public:
  Nanoseconds now() const override {
    return std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count();
  }
  void sleep_until(Nanoseconds stamp) const override {
    std::this_thread::sleep_until(std::chrono::steady_clock::time_point(std::chrono::nanoseconds(stamp)));
  }
};

inline const Clock& steady_clock() {
  static const SteadyClock clock;
  return clock;
}

}  // namespace pmtwin::middleware
