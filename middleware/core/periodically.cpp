#include "middleware/core/periodically.h"

#include <utility>

namespace pmtwin::middleware {

Periodically::Periodically(std::chrono::nanoseconds period, std::function<void()> task)
    : thread_([this, period, task = std::move(task)] { run(period, task); }) {}

Periodically::~Periodically() {
  try {
    end();
  } catch (...) {
  }
}

void Periodically::end() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_one();
  thread_.join();
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

void Periodically::run(std::chrono::nanoseconds period, const std::function<void()>& task) {
  auto due = std::chrono::steady_clock::now() + period;
  std::unique_lock lock(mutex_);
  while (!changed_.wait_until(lock, due, [this] { return ending_; })) {
    lock.unlock();
    try {
      task();
    } catch (...) {
      failure_ = std::current_exception();  // read by end(), after the join
      return;
    }
    due = next_due(due, std::chrono::steady_clock::now(), period);
    lock.lock();
  }
}

}  // namespace pmtwin::middleware
