// Waiting for answers of which one may never come, by someone who may lose interest.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <stdexcept>

namespace pmtwin::middleware {

// No request was answered for long, though some should have been.
class Stalled : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct Patience {
  std::chrono::milliseconds most;   // without progress
  bool (*interrupted)() = nullptr;  // asked now and then, without the lock

  // Waits on `changed` until done(). False if interrupted. Throws Stalled, with stalled() as its text, once `most` has
  // passed in which progress(), any value, was the same at each look.
  template <class Done, class Progress, class Text>
  bool wait(std::unique_lock<std::mutex>& lock, std::condition_variable& changed, Done done, Progress progress,
            Text stalled) const {
    constexpr auto kSlice = std::chrono::milliseconds(50);
    auto seen = progress();
    for (auto quiet = std::chrono::milliseconds(0); !changed.wait_for(lock, kSlice, done);) {
      const auto now = progress();
      quiet = now == seen ? quiet + kSlice : std::chrono::milliseconds(0);
      seen = now;
      if (quiet >= most) throw Stalled(stalled());
      if (interrupted == nullptr) continue;
      lock.unlock();
      const bool stop = interrupted();
      lock.lock();
      if (stop) return false;
    }
    return true;
  }
};

}  // namespace pmtwin::middleware
