// The emulated machine's own thread, which lets events happen.
#include <sys/prctl.h>

#include <algorithm>

#include "middleware/emulation/machine.h"

namespace pmtwin::emulation {

using Real = std::chrono::steady_clock;

void Machine::run() {
  prctl(PR_SET_TIMERSLACK, 1);
  self().own = true;
  std::unique_lock lock(mutex_);
  while (!ending_) {
    wait_for_threads(lock);
    if (ending_) return;
    start_together();  // those with whom threads act that were given up
    awaited_ = next_event();
    if (awaited_ == kNever) {
      changed_.wait(lock);
    } else if (const auto due = pace_.due(awaited_); Real::now() < due) {
      changed_.wait_until(lock, due);
    } else if (!acting_.any()) {
      happen(awaited_, lock);
    }
  }
}

void Machine::wait_for_threads(std::unique_lock<std::mutex>& lock) {
  if (!acting_.any()) return;
  const auto begin = pace_.unpaused(Real::now());
  auto looked = begin;
  holding_ = true;
  while (!changed_.wait_for(lock, options_.client_patience, [this] { return ending_ || !acting_.any(); })) {
    const auto now = pace_.unpaused(Real::now());
    if (now - looked < options_.client_patience) continue;  // there was a pause, which tries no patience
    looked = now;
    if (!acting_.workers()) {
      acting_.give_up_clients();
      ++report_.unheard;
    } else if (now - begin > options_.patience) {
      acting_.give_up_workers();
      ++report_.gave_up;
    }
  }
  holding_ = false;
  report_.waited_real_s += seconds(pace_.unpaused(Real::now()) - begin);
}

void Machine::happen(double at, std::unique_lock<std::mutex>& lock) {
  now_ = std::max(now_, at);
  pace_.happened(now_, Real::now());
  if (stations_.next_event() <= at) {
    const auto finished = stations_.step();
    if (!finished) return;
    Waiter& waiter = tickets_.give_back(finished->ticket);
    ++report_.requests;
    report_.service_ns += finished->at - waiter.start;
    let_go(waiter, finished->at);
    return;
  }
  const Timer timer = timers_.take();
  if (timer.waiter != nullptr) {
    let_go(*timer.waiter, at);
    return;
  }
  ++report_.events;
  self().time = at;
  lock.unlock();
  timer.action();
  lock.lock();
}

void Machine::let_go(Waiter& waiter, double at) {
  waiter.at = at;
  if (waiter.will_act) begins_to_act(*waiter.thread);
  ++report_.events;
  waiter.let_go();
}

}  // namespace pmtwin::emulation
