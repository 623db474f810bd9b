#include "middleware/emulation/replay_clients.h"

#include <algorithm>
#include <cmath>
#include <thread>
#include <utility>

#include "native/common/left_behind.h"

namespace pmtwin::emulation {
namespace {

constexpr std::int64_t kUnlimited = std::int64_t{1} << 60;

}  // namespace

ReplayClients::ReplayClients(middleware::Middleware& middleware, Machine& machine)
    : middleware_(middleware), machine_(machine), here_(std::make_shared<Here>()) {
  here_->clients = this;
  if (middleware.options().direct) {
    threads_ = std::make_unique<middleware::ClientThreads>(
        [this](middleware::Request& request, bool) { middleware_.submit(request); }, [this] { machine_.leave(); });
  }
  begin_phase();
}

void ReplayClients::begin_phase() {
  const std::lock_guard lock(mutex_);
  const ServiceTable& table = machine_.table();
  const std::size_t most = std::max(most_bytes(table, 0), most_bytes(table, 1));
  if (values_.empty() || values_.back().size() < most) values_.emplace_back(most, 'v');
  for (int c = 0; c < kClasses; ++c) {
    Class& load = classes_[c];
    load.budget = 0;
    load.next_arrival_ns = machine_.now();
    ++load.scheduled;
    const int change = table.classes[c].clients - std::exchange(load.clients, table.classes[c].clients);
    change >= 0 ? join(c, change) : leave(c, -change);
  }
  if (threads_ != nullptr) {
    const auto clients = static_cast<int>(classes_[0].all.size() + classes_[1].all.size());
    threads_->grow_to(std::min(table.host.limit, clients));
  }
}

void ReplayClients::set_pace(const std::array<double, kClasses>& pace) {
  const std::lock_guard lock(mutex_);
  for (int c = 0; c < kClasses; ++c) classes_[c].gap_factor = 1.0 / pace[c];
}

void ReplayClients::join(int c, int count) {
  Class& load = classes_[c];
  const int stay = std::min(count, load.retiring_clients);
  load.retiring_clients -= stay;
  for (int i = stay; i < count; ++i) {
    if (load.gone.empty()) load.gone.push_back(&load.all.emplace_back());
    Client& client = *load.gone.back();
    load.gone.pop_back();
    client.owner = this;
    client.class_index = c;
    client.ready = machine_.now();
    load.ready.push_back(&client);
  }
}

// Those longest ready first.
void ReplayClients::leave(int c, int count) {
  Class& load = classes_[c];
  const int idle = std::min<int>(count, static_cast<int>(load.ready.size()));
  load.gone.insert(load.gone.end(), load.ready.begin(), load.ready.begin() + idle);
  load.ready.erase(load.ready.begin(), load.ready.begin() + idle);
  load.retiring_clients += count - idle;
}

ReplayClients::~ReplayClients() {
  {
    const std::lock_guard lock(here_->mutex);
    here_->clients = nullptr;  // no timer submits any more
  }
  std::unique_lock lock(mutex_);
  closing_ = true;
  if (!open_) machine_.resume();
  const middleware::Patience patience{
      std::chrono::duration_cast<std::chrono::milliseconds>(middleware_.options().patience)};
  bool answered = true;
  try {
    await(lock, patience, [this] { return outstanding_ == 0; });
  } catch (const middleware::Stalled&) {
    answered = false;
  }
  lock.unlock();
  if (!answered) {
    middleware_.abandon();
    leave_behind(std::make_shared<decltype(classes_)>(std::move(classes_)));
    leave_behind(std::make_shared<decltype(values_)>(std::move(values_)));
  }
  while (middleware_.outstanding() > 0) std::this_thread::yield();
  machine_.pause();
}

// Until done(), with the lock. False if interrupted. Throws Stalled.
template <class Done>
bool ReplayClients::await(std::unique_lock<std::mutex>& lock, const middleware::Patience& patience, Done done) {
  // Until the next event virtual time may have long to go, which is no stall.
  const auto progress = [this, looks = 0u]() mutable {
    looks += machine_.awaits_event();
    return std::pair(answers_, looks);
  };
  const auto stalled = [this, &patience] {
    return "no request was answered for " + std::to_string(patience.most.count()) + " ms; " +
           std::to_string(outstanding_) + " are in the middleware";
  };
  return patience.wait(lock, changed_, done, progress, stalled);
}

std::optional<WindowResult> ReplayClients::run_window(const WindowPlan& plan, const middleware::Patience& patience) {
  std::unique_lock lock(mutex_);
  open(plan);
  lock.unlock();
  machine_.resume();
  lock.lock();
  std::optional<WindowResult> result;
  try {
    if (await(lock, patience, [this] { return !open_; })) result = std::move(window_);
  } catch (const middleware::Stalled&) {
    close();
    throw;
  }
  close();
  lock.unlock();
  machine_.settle();
  return result;
}

// With the lock held: ends the window that is open, and virtual time stands still.
void ReplayClients::close() {
  if (!open_) return;
  open_ = false;
  machine_.pause();
}

// Releases a window's requests: the trace goes on from now, with what is left of earlier windows first.
void ReplayClients::open(const WindowPlan& plan) {
  const ServiceTable& table = machine_.table();
  const double now = machine_.now();
  window_ = {};
  window_.start_ns = now;
  occupancy_.begin(std::llround(now));
  left_ = plan.completions;
  open_ = true;
  for (int c = 0; c < kClasses; ++c) {
    Class& load = classes_[c];
    if (table.classes[c].closed) {
      load.budget = kUnlimited;
      load.next_arrival_ns = now;
    } else {
      load.budget = std::min(load.budget + plan.release[c], kUnlimited);
      if (load.next_arrival_ns <= now) {  // behind its schedule
        load.next_arrival_ns = now + paced_gap(c);
      }
    }
    load.waiting = false;
    schedule(c);
  }
}

}  // namespace pmtwin::emulation
