#include "middleware/pools/crew.h"

#include "native_probe/placement.h"
#include "native/common/futex.h"

namespace pmtwin::middleware {

Crew::Crew(std::function<void(std::size_t)> work, std::vector<int> cpus, bool one_cpu_each)
    : work_(std::move(work)), cpus_(std::move(cpus)), one_cpu_each_(one_cpu_each) {}

Crew::~Crew() {
  for (Place& place : places_) {
    if (!place.thread.joinable()) continue;
    place.state = kEnd;
    futex_wake(place.state, 1);
    place.thread.join();
  }
}

void Crew::set_wanted(int workers) {
  wanted_ = workers;
  for (int working = working_; working < workers;) {
    if (working_.compare_exchange_weak(working, working + 1)) {
      bring_in();
      working = working_;
    }
  }
}

bool Crew::may_leave() {
  int working = working_.load(std::memory_order_relaxed);
  while (working > wanted_.load(std::memory_order_relaxed)) {
    if (working_.compare_exchange_weak(working, working - 1)) return true;
  }
  return false;
}

void Crew::settle() const {
  for (int inside = inside_; inside > wanted_; inside = inside_) inside_.wait(inside);
}

void Crew::bring_in() {
  // A worker counts as gone shortly before its place is free.
  for (;; std::this_thread::yield()) {
    for (std::size_t worker = 0; worker < places_.size(); ++worker) {
      Place& place = places_[worker];
      if (place.state != kOut) continue;
      ++inside_;
      place.state = kIn;
      if (place.thread.joinable()) {
        futex_wake(place.state, 1);
      } else {
        place.thread = std::thread([this, worker] { live(worker); });
      }
      return;
    }
  }
}

void Crew::live(std::size_t worker) {
  if (!cpus_.empty()) probe::run_on(one_cpu_each_ ? std::vector<int>{cpus_[worker % cpus_.size()]} : cpus_);
  std::atomic<std::uint32_t>& state = places_[worker].state;
  for (;;) {
    std::uint32_t now;
    while ((now = state) == kOut) futex_wait(state, kOut);
    if (now == kEnd) return;
    work_(worker);
    state = kOut;
    --inside_;
    inside_.notify_all();
  }
}

}  // namespace pmtwin::middleware
