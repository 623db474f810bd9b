#include "middleware/core/monitor.h"

#include <algorithm>

namespace pmtwin::middleware {

Monitor::Monitor(std::size_t recorders, const Clock& clock)
    : clock_(clock), recorders_(recorders), begin_(clock_.now()) {}

WindowStats Monitor::close_window(Nanoseconds end) {
  const std::lock_guard lock(mutex_);
  for (Records& records : window_) records.clear();
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

  state_.interactive_queue_size = window_[0].waited_ns / duration_ns;
  state_.batch_queue_size = window_[1].waited_ns / duration_ns;
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

Periodically::Periodically(std::chrono::nanoseconds period, std::function<void()> task)
    : thread_([this, period, task = std::move(task)] {
        auto next = std::chrono::steady_clock::now() + period;
        std::unique_lock lock(mutex_);
        while (!changed_.wait_until(lock, next, [this] { return ended_; })) {
          task();
          next += period;
        }
      }) {}

Periodically::~Periodically() {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

}  // namespace pmtwin::middleware
