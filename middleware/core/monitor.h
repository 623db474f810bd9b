// The monitoring module: what waited and what was answered, window by window (thesis section 3.2).
#pragma once

#include <array>
#include <mutex>
#include <vector>

#include "middleware/core/queue_length.h"
#include "middleware/core/recorder.h"
#include "middleware/core/window.h"

namespace pmtwin::middleware {

class Monitor {
 public:
  // `recorders`: at least one; workers that note at the same time should use different ones.
  Monitor(std::size_t recorders, const Clock& clock);

  // A request waits from its stamp `submitted` to its stamp `started`, both of which are told at once.
  void submitted(const Request& request) {
    queue_length_.submitted(recorders_.size() + recorder_of_this_thread(), request.mode, request.submitted);
  }
  void started(std::size_t recorder, const Request& request) {
    queue_length_.started(recorder, request.mode, request.started);
  }
  // The request is answered.
  void record(std::size_t recorder, const Request& request) { recorders_[recorder].record(request); }

  // Recorder of a client, who shares it with others.
  std::size_t recorder_of_this_thread() const;

  // Ends the window at `end` and begins the next. Any thread.
  WindowStats close_window(Nanoseconds end);

  WindowStats stats() const;  // of the last window
  State state(Pools pools) const;

 private:
  const Clock& clock_;
  QueueLength queue_length_;  // a shard of each recorder, then as many of clients
  std::vector<Recorder> recorders_;
  mutable std::mutex mutex_;  // of what follows
  std::array<Recorded, kModes> window_;
  Nanoseconds begin_;
  std::array<std::uint64_t, kModes> waited_{};  // of queue_length_, until then
  WindowStats stats_;
  State state_;
};

}  // namespace pmtwin::middleware
