#include "middleware/core/monitor.h"

#include <algorithm>
#include <functional>
#include <thread>

namespace pmtwin::middleware {

Monitor::Monitor(std::size_t recorders, const Clock& clock)
    : clock_(clock), queue_length_(2 * recorders), recorders_(recorders), begin_(clock_.now()) {}

std::size_t Monitor::recorder_of_this_thread() const {
  static thread_local const std::size_t hash = std::hash<std::thread::id>{}(std::this_thread::get_id());
  return hash % recorders_.size();
}

WindowStats Monitor::close_window(Nanoseconds end) {
  const std::lock_guard lock(mutex_);
  for (Recorded& records : window_) records.clear();
  for (Recorder& recorder : recorders_) recorder.move_to(window_);
  const double duration_ns = static_cast<double>(std::max<Nanoseconds>(end - begin_, 1));
  begin_ = end;

  const auto count = [&](int mode) { return static_cast<double>(window_[mode].latency_ns.count()); };
  WindowStats stats;
  stats.p99_us = 1e-3 * window_[0].latency_ns.quantile(0.99);
  stats.p99_batch_us = 1e-3 * window_[1].latency_ns.quantile(0.99);
  stats.mean_us = 1e-3 * window_[0].latency_ns.mean();
  stats.mean_batch_us = 1e-3 * window_[1].latency_ns.mean();
  stats.duration_s = 1e-9 * duration_ns;
  stats.interactive_ops = count(0) / stats.duration_s;
  stats.batch_ops = count(1) / stats.duration_s;
  stats.throughput_ops = stats.interactive_ops + stats.batch_ops;
  stats.completed = window_[0].latency_ns.count() + window_[1].latency_ns.count();
  stats.failed = window_[0].failed + window_[1].failed;
  stats_ = stats;

  const auto waited = queue_length_.until(end);
  const auto mean_length = [&](int mode) {
    const auto integral = static_cast<std::int64_t>(waited[mode] - waited_[mode]);
    return std::max(0.0, static_cast<double>(integral) / duration_ns);
  };
  state_.interactive_queue_size = mean_length(0);
  state_.batch_queue_size = mean_length(1);
  waited_ = waited;
  if (count(0) > 0) {
    state_.interactive_block_size = window_[0].value_bytes / count(0);
    state_.interactive_write_ratio = static_cast<double>(window_[0].writes) / count(0);
  }
  if (count(1) > 0) {
    state_.batch_block_size = window_[1].value_bytes / count(1);
    state_.batch_write_ratio = static_cast<double>(window_[1].writes) / count(1);
  }
  return stats;
}

WindowStats Monitor::stats() const {
  const std::lock_guard lock(mutex_);
  return stats_;
}

State Monitor::state(Pools pools) const {
  const std::lock_guard lock(mutex_);
  State state = state_;
  state.interactive_threads = pools.interactive_threads;
  state.batch_threads = pools.batch_threads;
  return state;
}

}  // namespace pmtwin::middleware
