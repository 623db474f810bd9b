#include "middleware/pools/worker_threads.h"

#include <cerrno>
#include <system_error>

#include "native/common/futex.h"
#include "native/common/placement.h"

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

WorkerThreads::WorkerThreads(std::function<void(std::size_t)> work, std::vector<int> cpus, bool one_cpu_each)
    : work_(std::move(work)), cpus_(by_worker(std::move(cpus), one_cpu_each)) {}

WorkerThreads::~WorkerThreads() {
  for (Place& place : places_) end(place);
}

void WorkerThreads::end(Place& place) {
  if (!place.thread.joinable()) return;
  place.state = kEnd;
  futex_wake(place.state, 1);
  place.thread.join();
  place.state = kOut;
}

void WorkerThreads::prepare(int workers) {
  for (; threads_ < static_cast<std::size_t>(workers); ++threads_) {
    Place& place = places_[threads_];
    place.thread = std::thread([this, worker = threads_] { live(worker); });
    // The processors were there when the pool was made; one may be offline or taken from this process since.
    if (cpus_.empty() || run_on(cpus_[threads_ % cpus_.size()], place.thread.native_handle())) continue;
    end(place);
    throw std::system_error(EINVAL, std::generic_category(), "a worker's processors cannot be had any more");
  }
}

void WorkerThreads::set_wanted(int workers) {
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

bool WorkerThreads::may_leave() {
  int working = working_.load(std::memory_order_relaxed);
  while (working > wanted_.load(std::memory_order_relaxed)) {
    if (working_.compare_exchange_weak(working, working - 1)) return true;
  }
  return false;
}

bool WorkerThreads::settle(Deadline until) const {
  return changes_.await(until, [this] { return inside_ <= wanted_; });
}

void WorkerThreads::bring_in() {
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

void WorkerThreads::live(std::size_t worker) {
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
