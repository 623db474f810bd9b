#include "middleware/emulation/machine.h"

#include <algorithm>
#include <atomic>

#include "native/common/errors.h"

namespace pmtwin::emulation {

using Real = std::chrono::steady_clock;

namespace {

std::atomic<std::uint64_t> machines = 0;

double checked_dilation(double dilation) {
  if (!(dilation >= 1 && dilation <= 1e6)) throw InputError("dilation", std::to_string(dilation), "1 to 1,000,000");
  return dilation;
}

}  // namespace

Machine::Machine(ServiceTable table, MachineOptions options)
    : Machine(std::make_shared<const ServiceTable>(std::move(table)), options) {}

Machine::Machine(std::shared_ptr<const ServiceTable> table, MachineOptions options)
    : tables_{std::move(table)},
      options_(options),
      clock_(*this),
      id_(++machines),
      stations_(Machine::table(), {0, 0}),
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

KnownThread& Machine::self() {
  static thread_local KnownThread thread;
  if (thread.machine != id_) {
    thread = {};
    thread.machine = id_;
  }
  return thread;
}

double Machine::next_event() const { return std::min(stations_.next_event(), timers_.next()); }

double Machine::present() const {
  if (acting_.any()) return now_;
  return std::max(now_, std::min(pace_.virtual_at(Real::now()), next_event()));
}

// -- threads

void Machine::begins_to_act(KnownThread& thread) {
  if (thread.acting) return;
  thread.acting = true;
  thread.acts_as_worker = thread.worker;
  acting_.begins(thread.worker);
}

void Machine::acts_no_more(KnownThread& thread) {
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

void Machine::use(std::shared_ptr<const ServiceTable> table, double dilation) {
  checked_dilation(dilation);
  const std::lock_guard lock(mutex_);
  tables_.erase(std::remove(tables_.begin(), tables_.end(), table), tables_.end());
  tables_.push_back(std::move(table));
  options_.dilation = dilation;
  stations_.use(Machine::table(), now_);
  pace_.dilate(dilation, now_, Real::now());
}

void Machine::settle() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return !acting_.workers(); });
}

double Machine::now() {
  const std::lock_guard lock(mutex_);
  return now_;
}

bool Machine::awaits_event() {
  const std::lock_guard lock(mutex_);
  return next_event() != kNever;
}

void Machine::call_at(double at, std::function<void()> action) {
  std::unique_lock lock(mutex_);
  timers_.add(std::max(at, now_), {nullptr, std::move(action)});
  tell(lock);
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
