#include "middleware/pools/crew.h"

#include "native_probe/placement.h"
#include "native/common/futex.h"

namespace pmtwin::middleware {
namespace {

std::vector<std::vector<int>> by_worker(std::vector<int> cpus, bool one_cpu_each) {
  std::vector<std::vector<int>> choices;
  if (one_cpu_each) {
    for (const int cpu : cpus) choices.push_back({cpu});
  } else if (!cpus.empty()) {
    choices.push_back(std::move(cpus));
  }
  return choices;
}

}  // namespace

Crew::Crew(std::function<void(std::size_t)> work, std::vector<int> cpus, bool one_cpu_each)
    : work_(std::move(work)), cpus_(by_worker(std::move(cpus), one_cpu_each)) {}

Crew::~Crew() {
  for (Place& place : places_) {
    if (!place.thread.joinable()) continue;
    place.state = kEnd;
    futex_wake(place.state, 1);
    place.thread.join();
  }
}

void Crew::prepare(int workers) {
  for (; threads_ < static_cast<std::size_t>(workers); ++threads_) {
    places_[threads_].thread = std::thread([this, worker = threads_] { live(worker); });
  }
}

void Crew::set_wanted(int workers) {
  prepare(workers);
  wanted_ = workers;
  changes_.tell();
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

bool Crew::settle(Deadline until) const {
  return changes_.await(until, [this] { return inside_ <= wanted_; });
}

void Crew::bring_in() {
  // A worker counts as gone shortly before its place is free.
  for (;; std::this_thread::yield()) {
    for (std::size_t worker = 0; worker < threads_; ++worker) {
      Place& place = places_[worker];
      if (place.state != kOut) continue;
      ++inside_;
      place.state = kIn;
      futex_wake(place.state, 1);
      return;
    }
  }
}

void Crew::live(std::size_t worker) {
  if (!cpus_.empty()) probe::run_on(cpus_[worker % cpus_.size()]);
  std::atomic<std::uint32_t>& state = places_[worker].state;
  for (;;) {
    std::uint32_t now;
    while ((now = state) == kOut) futex_wait(state, kOut);
    if (now == kEnd) return;
    work_(worker);
    state = kOut;
    --inside_;
    changes_.tell();
  }
}

}  // namespace pmtwin::middleware
