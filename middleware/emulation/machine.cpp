#include "middleware/emulation/machine.h"

#include <sys/prctl.h>

#include <algorithm>
#include <atomic>
#include <cmath>

#include "native/common/errors.h"
#include "native/common/futex.h"

namespace pmtwin::emulation {

using middleware::Nanoseconds;
using Real = std::chrono::steady_clock;

namespace {

std::atomic<std::uint64_t> machines = 0;

double checked_dilation(double dilation) {
  if (!(dilation >= 1 && dilation <= 1e6)) throw InputError("dilation", std::to_string(dilation), "1 to 1,000,000");
  return dilation;
}

double seconds(Real::duration duration) { return std::chrono::duration<double>(duration).count(); }

}  // namespace

struct Machine::Thread {
  std::uint64_t machine = 0;
  double time = 0;           // of the last event that it knows of
  bool acting = false;       // virtual time waits for it
  bool acts_as_worker = false;
  bool worker = false;       // it has a request, or looks for its next one
  bool own = false;          // the machine's own
  bool busy = false;         // the stations know that it is
  int class_index = 0;       // of its request
  Nanoseconds submitted = 0;
  std::uint64_t number = 0;
  std::uint64_t waits = 0;   // answers that it will wait for
};

struct Machine::Waiter {
  Thread* thread;
  bool will_act;
  double start = 0;
  double at = 0;
  std::atomic<std::uint32_t> done = 0;

  void wait() {
    while (done.load(std::memory_order_acquire) == 0) futex_wait(done, 0);
  }
};

Machine::Machine(ServiceTable table, MachineOptions options)
    : table_(std::move(table)),
      options_(options),
      clock_(*this),
      id_(++machines),
      stations_(table_, {0, 0}),
      pace_(checked_dilation(options.dilation), options.slack, Real::now()) {
  reported_.real = Real::now();
  reported_.cpu_s = cpu_seconds();
  thread_ = std::thread([this] { run(); });
}

Machine::~Machine() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

Machine::Thread& Machine::self() {
  static thread_local Thread thread;
  if (thread.machine != id_) {
    thread = {};
    thread.machine = id_;
  }
  return thread;
}

double Machine::next_event() const {
  return std::min(stations_.next_event(), timers_.empty() ? kNever : timers_.begin()->first);
}

double Machine::present() const {
  if (acting_.any()) return now_;
  return std::max(now_, std::min(pace_.virtual_at(Real::now()), next_event()));
}

// -- threads

void Machine::begins_to_act(Thread& thread) {
  if (thread.acting) return;
  thread.acting = true;
  thread.acts_as_worker = thread.worker;
  acting_.begins(thread.worker);
}

void Machine::acts_no_more(Thread& thread) {
  if (!thread.acting) return;
  thread.acting = false;
  acting_.ends(thread.acts_as_worker);
}

// Whether the machine's own thread has to look again.
bool Machine::must_tell() const { return holding_ ? !acting_.workers() : next_event() < awaited_; }

void Machine::tell(std::unique_lock<std::mutex>& lock) {
  start_together();
  const bool tell = must_tell();
  lock.unlock();
  if (tell) changed_.notify_all();
}

void Machine::pause() {
  const std::lock_guard lock(mutex_);
  acting_.pause();
  pace_.pause(Real::now());
}

void Machine::resume() {
  std::unique_lock lock(mutex_);
  acting_.resume();
  if (!acting_.paused()) pace_.resume(Real::now());
  tell(lock);
}

void Machine::leave() {
  std::unique_lock lock(mutex_);
  acts_no_more(self());
  tell(lock);
}

void Machine::settle() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return !acting_.workers(); });
}

double Machine::now() {
  const std::lock_guard lock(mutex_);
  return now_;
}

void Machine::let_go(Waiter& waiter, double at) {
  waiter.at = at;
  if (waiter.will_act) begins_to_act(*waiter.thread);
  ++report_.events;
  std::atomic<std::uint32_t>& word = waiter.done;
  word.store(1, std::memory_order_release);  // the waiter may be gone from here on
  futex_wake(word, 1);
}

std::uint32_t Machine::ticket_of(Waiter& waiter) {
  if (free_tickets_.empty()) {
    free_tickets_.push_back(static_cast<std::uint32_t>(waiters_.size()));
    waiters_.push_back(nullptr);
  }
  const std::uint32_t ticket = free_tickets_.back();
  free_tickets_.pop_back();
  waiters_[ticket] = &waiter;
  return ticket;
}

// -- clock

Nanoseconds Machine::OwnClock::now() const {
  Thread& thread = machine_.self();
  if (!thread.own && !thread.acting) {
    const std::lock_guard lock(machine_.mutex_);
    thread.time = std::max(thread.time, machine_.present());
  }
  return std::llround(thread.time);
}

void Machine::OwnClock::learn(Nanoseconds stamp) const {
  Thread& thread = machine_.self();
  thread.time = std::max(thread.time, static_cast<double>(stamp));
  if (thread.waits == 0) return;
  --thread.waits;
  const std::lock_guard lock(machine_.mutex_);
  machine_.acting_.heard();
  machine_.begins_to_act(thread);
}

void Machine::OwnClock::sleep_until(Nanoseconds stamp) const {
  Thread& thread = machine_.self();
  Waiter waiter{&thread, true};
  {
    std::unique_lock lock(machine_.mutex_);
    const double at = std::max(static_cast<double>(stamp), machine_.now_);
    machine_.timers_.emplace(at, Timer{&waiter, {}});
    machine_.acts_no_more(thread);
    machine_.tell(lock);
  }
  waiter.wait();
  thread.time = std::max(thread.time, waiter.at);
}

void Machine::call_at(double at, std::function<void()> action) {
  std::unique_lock lock(mutex_);
  timers_.emplace(std::max(at, now_), Timer{nullptr, std::move(action)});
  tell(lock);
}

// -- what the middleware tells

void Machine::resized(std::array<int, kClasses> pools) {
  for (int c = 0; c < kClasses; ++c) {
    const int most = table_.speeds.most_workers(c);
    if (pools[c] > most && most < table_.host.hardware_threads) {
      throw InputError("pool of class " + std::to_string(c), std::to_string(pools[c]),
                       "at most " + std::to_string(most) + ", for which the service table was made");
    }
  }
  std::unique_lock lock(mutex_);
  resized_at_ = present();
  stations_.resize(pools, resized_at_);
  for (int c = 0; c < kClasses; ++c) acting_.pool_is(c, pools[c]);
  tell(lock);
}

void Machine::submitted(int c, bool client_waits) {
  Thread& thread = self();
  if (table_.host.shared) return;  // the client does it itself, and goes on to act
  if (client_waits) ++thread.waits;
  const std::lock_guard lock(mutex_);
  acting_.queued(c);
  begins_to_act(thread);  // until the request has its place in the queue: no later one may come before it
}

void Machine::queued() {
  Thread& thread = self();
  if (thread.worker) return;
  std::unique_lock lock(mutex_);
  acts_no_more(thread);
  tell(lock);
}

void Machine::dispatched(int c, Nanoseconds submitted, std::uint64_t number) {
  Thread& thread = self();
  const std::lock_guard lock(mutex_);
  const auto asked = static_cast<double>(submitted);
  thread.time = std::max({thread.time, asked, thread.worker ? 0.0 : resized_at_});
  thread.class_index = c;
  thread.submitted = submitted;
  thread.number = number;
  if (!table_.host.shared) acting_.taken(c);
  if (!thread.worker) {
    thread.worker = true;
    acting_.worker_comes(c);
  }
  begins_to_act(thread);
}

void Machine::rests(Thread& thread, int c) {
  thread.worker = false;
  acting_.worker_rests(c);
  if (std::exchange(thread.busy, false)) stations_.idle(c, thread.time);
}

void Machine::completed(int c, bool client_waits) {
  if (table_.host.shared) {  // the client has done it itself, and goes on to act
    Thread& thread = self();
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
  Thread& thread = self();
  if (!thread.worker) return;
  std::unique_lock lock(mutex_);
  rests(thread, c);
  acts_no_more(thread);
  tell(lock);
}

bool Machine::knows(bool is_write) {
  const Thread& thread = self();
  return table_.kinds[2 * (thread.worker ? thread.class_index : 0) + is_write].used;
}

bool Machine::serve(bool is_write, double size_bytes, std::chrono::nanoseconds real) {
  Thread& thread = self();
  const bool told = thread.worker;  // the middleware tells of this thread
  const int c = told ? thread.class_index : 0;
  const int kind = 2 * c + is_write;
  const Demand& demand = table_.demand(kind, size_bytes);
  Waiter waiter{&thread, told};
  {
    std::unique_lock lock(mutex_);
    if (!told) {
      if (untold_ >= std::min(table_.speeds.most_workers(c), table_.host.hardware_threads)) return false;
      ++untold_;
      thread.time = std::max(thread.time, present());
    }
    waiter.start = thread.time;
    const bool woken = told && thread.time - static_cast<double>(thread.submitted) < 1.0;
    const bool comes = !(told && std::exchange(thread.busy, true));
    starts_.add({{kind, thread.time, woken, &demand, {}, ticket_of(waiter)}, thread.submitted, thread.number, comes});
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
    request.draws = draw(table_, request.kind, *request.demand, options_.keys[c], started_[c]++);
    stations_.start(request);
  }
}

// -- the machine's own thread

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
    Waiter& waiter = *waiters_[finished->ticket];
    free_tickets_.push_back(finished->ticket);
    ++report_.requests;
    report_.service_ns += finished->at - waiter.start;
    let_go(waiter, finished->at);
    return;
  }
  const Timer timer = std::move(timers_.begin()->second);
  timers_.erase(timers_.begin());
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

MachineReport Machine::report() {
  const std::lock_guard lock(mutex_);
  const auto real = Real::now();
  const double cpu = cpu_seconds(), slipped = seconds(pace_.slipped());
  MachineReport report = std::exchange(report_, {});
  report.dilation = options_.dilation;
  report.virtual_s = 1e-9 * (now_ - reported_.virtual_ns);
  report.real_s = seconds(real - reported_.real);
  report.service_ns = report.requests > 0 ? report.service_ns / static_cast<double>(report.requests) : 0;
  report.slipped_real_s = slipped - reported_.slipped_s;
  report.most_lag_real_s = seconds(pace_.take_most_lag());
  report.late = stations_.late().count - reported_.late;
  report.cpu_share = (cpu - reported_.cpu_s) / (report.real_s * usable_processors());
  reported_ = {now_, cpu, slipped, stations_.late().count, real};
  return report;
}

}  // namespace pmtwin::emulation
