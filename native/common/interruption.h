// Long work of a thread that somebody else may want to end: a signal's handler, say. The work asks now and then.
#pragma once

#include <functional>
#include <utility>

namespace pmtwin {

// While it lives, long work of this thread calls `check` now and then, which ends the work by throwing.
class Interruptible {
 public:
  explicit Interruptible(std::function<void()> check) : before_(std::exchange(current(), std::move(check))) {}
  ~Interruptible() { current() = std::move(before_); }
  Interruptible(const Interruptible&) = delete;
  Interruptible& operator=(const Interruptible&) = delete;

  // Of the work: throws if it is to end.
  static void check() {
    if (current()) current()();
  }

 private:
  static std::function<void()>& current() {
    thread_local std::function<void()> check;
    return check;
  }

  std::function<void()> before_;
};

}  // namespace pmtwin
