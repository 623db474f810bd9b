// Time as the threads of an emulated machine see it.
#include <algorithm>
#include <cmath>

#include "middleware/emulation/machine.h"

namespace pmtwin::emulation {

using middleware::Nanoseconds;

Nanoseconds Machine::OwnClock::now() const {
  KnownThread& thread = machine_.self();
  if (!thread.own && !thread.acting) {
    const std::lock_guard lock(machine_.mutex_);
    thread.time = std::max(thread.time, machine_.present());
  }
  return std::llround(thread.time);
}

void Machine::OwnClock::learn(Nanoseconds stamp) const {
  KnownThread& thread = machine_.self();
  thread.time = std::max(thread.time, static_cast<double>(stamp));
  if (thread.waits == 0) return;
  --thread.waits;
  const std::lock_guard lock(machine_.mutex_);
  machine_.acting_.heard();
  machine_.begins_to_act(thread);
}

void Machine::OwnClock::sleep_until(Nanoseconds stamp) const {
  KnownThread& thread = machine_.self();
  Waiter waiter{&thread, true};
  {
    std::unique_lock lock(machine_.mutex_);
    const double at = std::max(static_cast<double>(stamp), machine_.now_);
    machine_.timers_.add(at, {&waiter, {}});
    machine_.acts_no_more(thread);
    machine_.tell(lock);
  }
  waiter.wait();
  thread.time = std::max(thread.time, waiter.at);
}

}  // namespace pmtwin::emulation
