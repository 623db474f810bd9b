// A task at regular times.
#pragma once

#include <chrono>
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>

namespace pmtwin::middleware {

// When to run again what was due at `due` and is done now: a period later, but no sooner than in half a period. After a
// pause of the process, or a task that took long, it goes on from there: what was missed is not made up for in a burst.
inline std::chrono::steady_clock::time_point next_due(std::chrono::steady_clock::time_point due,
                                                      std::chrono::steady_clock::time_point now,
                                                      std::chrono::nanoseconds period) {
  return due + period < now + period / 2 ? now + period : due + period;
}

class Periodically {
 public:
  // From now on runs `task` after each `period`, in a thread of its own, until end() or an exception.
  Periodically(std::chrono::nanoseconds period, std::function<void()> task);
  ~Periodically();  // ends, and drops what end() would throw

  // Ends the thread, after the task that it is at, and throws what ended it before, if anything did. One thread at a time.
  void end();

 private:
  void run(std::chrono::nanoseconds period, const std::function<void()>& task);

  std::mutex mutex_;
  std::condition_variable changed_;
  bool ending_ = false;
  std::exception_ptr failure_;
  std::thread thread_;  // last: it uses the rest
};

}  // namespace pmtwin::middleware
