// Requests of the middleware on an emulated machine, and their costs.
#include <algorithm>

#include "middleware/emulation/machine.h"
#include "native/common/errors.h"

namespace pmtwin::emulation {

using middleware::Nanoseconds;

void Machine::resized(std::array<int, kClasses> pools) {
  for (int c = 0; c < kClasses; ++c) {
    const int most = table().speeds.most_workers(c);
    if (pools[c] > most && most < table().host.hardware_threads) {
      throw InputError("pool of class " + std::to_string(c), std::to_string(pools[c]),
                       "at most " + std::to_string(most) + ", for which the service table was made");
    }
  }
  std::unique_lock lock(mutex_);
  resized_at_ = present();
  stations_.resize(pools, resized_at_);
  if (const Host& host = table().host; host.shared) pools = {host.limit, 0};
  for (int c = 0; c < kClasses; ++c) acting_.pool_is(c, pools[c]);
  tell(lock);
}

void Machine::submitted(int c, bool client_waits) {
  KnownThread& thread = self();
  if (client_waits) ++thread.waits;
  const std::lock_guard lock(mutex_);
  acting_.queued(pool_of(c));
  begins_to_act(thread);  // until the request has its place in the queue: no later one may come before it
}

void Machine::queued() {
  KnownThread& thread = self();
  if (thread.worker) return;
  std::unique_lock lock(mutex_);
  acts_no_more(thread);
  tell(lock);
}

void Machine::withdrawn(int c, bool client_waits) {
  std::unique_lock lock(mutex_);
  acting_.taken(pool_of(c));
  if (client_waits) acting_.answered();
  tell(lock);
}

void Machine::dispatched(int c, Nanoseconds submitted, std::uint64_t number) {
  KnownThread& thread = self();
  const std::lock_guard lock(mutex_);
  const auto asked = static_cast<double>(submitted);
  if (!table().host.shared) thread.time = std::max({thread.time, asked, thread.worker ? 0.0 : resized_at_});
  thread.class_index = c;
  thread.submitted = submitted;
  thread.number = number;
  acting_.taken(pool_of(c));
  if (!thread.worker) {
    thread.worker = true;
    acting_.worker_comes(pool_of(c));
  }
  begins_to_act(thread);
}

void Machine::rests(KnownThread& thread, int c) {
  thread.worker = false;
  acting_.worker_rests(pool_of(c));
  if (std::exchange(thread.busy, false)) stations_.idle(c, thread.time);
}

void Machine::completed(int c, bool client_waits) {
  if (table().host.shared) {  // the client has done it itself, and goes on to act
    KnownThread& thread = self();
    const std::lock_guard lock(mutex_);
    acts_no_more(thread);
    rests(thread, c);
    begins_to_act(thread);
  } else if (client_waits) {
    const std::lock_guard lock(mutex_);
    acting_.answered();
  }
}

void Machine::idle(int c) {
  KnownThread& thread = self();
  if (!thread.worker) return;
  std::unique_lock lock(mutex_);
  rests(thread, c);
  acts_no_more(thread);
  tell(lock);
}

bool Machine::knows(bool is_write) {
  const KnownThread& thread = self();
  const int kind = 2 * (thread.worker ? thread.class_index : 0) + is_write;
  return std::any_of(tables_.begin(), tables_.end(), [kind](const auto& table) { return table->kinds[kind].used; });
}

// Of the last table that has the size; the nearest size of the present one if none has.
const Demand& Machine::demand_of(int kind, double size_bytes) const {
  for (auto table = tables_.rbegin(); table != tables_.rend(); ++table) {
    if (!(*table)->kinds[kind].used) continue;
    const Demand& found = (*table)->demand(kind, size_bytes);
    if (found.size_bytes == size_bytes) return found;
  }
  return table().demand(kind, size_bytes);
}

bool Machine::serve(bool is_write, double size_bytes, std::chrono::nanoseconds real) {
  KnownThread& thread = self();
  const bool told = thread.worker;  // the middleware tells of this thread
  const int c = told ? thread.class_index : 0;
  const int kind = 2 * c + is_write;
  const Demand& demand = demand_of(kind, size_bytes);
  Waiter waiter{&thread, told};
  {
    std::unique_lock lock(mutex_);
    if (!told) {
      if (untold_ >= std::min(table().speeds.most_workers(c), table().host.hardware_threads)) return false;
      ++untold_;
      thread.time = std::max(thread.time, present());
    }
    waiter.start = thread.time;
    const bool woken = told && thread.time - static_cast<double>(thread.submitted) < 1.0;
    const bool comes = !(told && std::exchange(thread.busy, true));
    starts_.add({{kind, thread.time, woken, &demand, {}, tickets_.take(waiter)}, thread.submitted, thread.number, comes});
    acts_no_more(thread);
    tell(lock);
  }
  waiter.wait();
  thread.time = waiter.at;
  const bool overrun = static_cast<double>(real.count()) > options_.dilation * (waiter.at - waiter.start);
  if (told && !overrun) return true;
  const std::lock_guard lock(mutex_);
  report_.overruns += overrun;
  if (!told) {
    --untold_;
    stations_.idle(c, thread.time);
  }
  return true;
}

// Once no worker acts, all that starts at this instant is known.
void Machine::start_together() {
  if (starts_.empty() || acting_.workers()) return;
  for (Start& start : starts_.take()) {
    const int c = start.class_index();
    Started& request = start.request;
    if (start.comes) stations_.busy(c, request.at);
    request.draws = draw(table(), request.kind, *request.demand, options_.keys[c], started_[c]++);
    stations_.start(request);
  }
}

}  // namespace pmtwin::emulation
