// State of a worker that others read, and take over if it does not return from the engine.
#pragma once

#include <atomic>
#include <chrono>
#include <mutex>
#include <optional>
#include <utility>

#include "middleware/core/held_answers.h"

namespace pmtwin::middleware {

// Its mutex is the worker's own nearly always, so it is nearly always free.
class alignas(64) WorkerDesk {
 public:
  struct Back {
    bool given_up;  // nothing may be done with the request any more
    bool holds;     // answers are held back
  };

  // By the worker: it goes into the engine now, and has come back.
  void enter() { entered_.store(steady_clock().now(), std::memory_order_relaxed); }
  Back leave() {
    const std::lock_guard lock(mutex_);
    entered_.store(kOutside, std::memory_order_relaxed);
    return {std::exchange(given_up_, false), !held_.empty()};
  }

  // Likewise: an answer to be held back; whether all should be delivered now.
  bool hold(Request& request, Nanoseconds now) {
    const std::lock_guard lock(mutex_);
    return held_.add(request, now);
  }

  // The answers held back, as HeldAnswers::take(). Any thread.
  Request* take_held() {
    const std::lock_guard lock(mutex_);
    return held_.take();
  }

  // Time of the worker in the engine so far, if it is there. Any thread.
  std::optional<std::chrono::nanoseconds> inside_for() const {
    const Nanoseconds entered = entered_.load(std::memory_order_relaxed);
    if (entered == kOutside) return std::nullopt;
    return std::chrono::nanoseconds(steady_clock().now() - entered);
  }

  // The request that the worker is at will never be answered. Whether there is one.
  bool give_up() {
    const std::lock_guard lock(mutex_);
    const bool inside = entered_.load(std::memory_order_relaxed) != kOutside;
    return inside && !std::exchange(given_up_, true);
  }

 private:
  static constexpr Nanoseconds kOutside = -1;

  std::mutex mutex_;
  HeldAnswers held_;
  std::atomic<Nanoseconds> entered_ = kOutside;
  bool given_up_ = false;
};

}  // namespace pmtwin::middleware
