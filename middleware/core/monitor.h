// The monitoring module: what was answered, window by window (thesis section 3.2).
#pragma once

#include <array>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "middleware/core/recorder.h"
#include "middleware/core/window.h"

namespace pmtwin::middleware {

class Monitor {
 public:
  // `recorders`: at least one; threads that record at the same time should use different ones.
  Monitor(std::size_t recorders, const Clock& clock);

  void record(std::size_t recorder, const Request& request) { recorders_[recorder].record(request); }

  // Ends the window at `end` and begins the next. Any thread.
  WindowStats close_window(Nanoseconds end);

  WindowStats stats() const;  // of the last window
  State state(Pools pools) const;

 private:
  const Clock& clock_;
  std::vector<Recorder> recorders_;
  mutable std::mutex mutex_;  // of what follows
  std::array<Records, kModes> window_;
  Nanoseconds begin_;
  WindowStats stats_;
  State state_;
};

// Closes windows at regular times, in a thread of its own. It ends with the object.
class Periodically {
 public:
  Periodically(std::chrono::nanoseconds period, std::function<void()> task);
  ~Periodically();

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool ended_ = false;
  std::thread thread_;
};

}  // namespace pmtwin::middleware
