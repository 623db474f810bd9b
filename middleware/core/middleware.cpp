#include "middleware/core/middleware.h"

#include <algorithm>
#include <cstdio>

#include "middleware/core/monitor.h"
#include "middleware/core/periodically.h"
#include "middleware/core/placement.h"
#include "middleware/core/request_handler.h"
#include "middleware/core/request_hooks.h"
#include "middleware/pools/queue_registry.h"
#include "native/common/left_behind.h"

namespace pmtwin::middleware {
namespace {

constexpr Pools kNobody{0, 0};
constexpr auto kInterruptSlice = std::chrono::milliseconds(50);

Options checked(Options options) {
  Queues::named("queue", options.queue);  // throws
  const auto check = [](const char* field, std::chrono::nanoseconds time) {
    if (time.count() < 0) throw InputError(field, std::to_string(time.count()), "0 or more ns");
  };
  check("window", options.window);
  check("patience", options.patience);
  for (std::size_t mode = 0; mode < kModes; ++mode) {
    placement_of(static_cast<Mode>(mode), options.cpus[mode], options.nodes[mode]);  // throws
  }
  return options;
}

}  // namespace

Middleware::Middleware(Options options)
    : options_(checked(std::move(options))), handler_(std::make_unique<RequestHandler>(options_)) {}

Middleware::~Middleware() {
  handler_->refuse();
  const std::uint64_t run = handler_->closings();
  for (std::uint64_t left = outstanding(); !handler_->drained(deadline_in(options_.patience), run); left = outstanding()) {
    if (left == outstanding()) break;
  }
  if (std::unique_lock life(life_); finish(life, kAtOnce)) {
    if (clients_inside_) leave_behind(std::move(handler_));
    return;
  }
  std::fprintf(stderr, "pmtwin: a middleware has ended before its engine: %s; its threads are left behind\n",
               describe(abandon()).c_str());
  leave_behind(std::move(handler_));
}

// -- system

void Middleware::start(std::shared_ptr<Engine> database, int interactive_threads, int batch_threads) {
  const Pools pools = check_pools({interactive_threads, batch_threads});
  if (database == nullptr) throw InputError("db", "nothing", "an engine");
  std::unique_lock life(life_);
  while (handler_->is_open()) {
    if (handler_->running()) throw InputError("start", "running", "stop() first");
    if (!finish(life, kAtOnce)) throw InputError("start", "stopping", "a stop that is complete first");
  }
  const std::lock_guard lock(control_);
  const Clock& clock = database->clock();
  auto monitor = std::make_unique<Monitor>(kWorkers, clock);
  std::unique_ptr<Periodically> watch;
  if (options_.window.count() > 0) {
    watch = std::make_unique<Periodically>(options_.window, [&clock, of = monitor.get()]() noexcept { of->close_window(clock.now()); });
  }
  prepare(pools, database->hooks());
  // Nothing throws from here on.
  handler_->open(std::move(database), std::move(monitor));
  watch_ = std::move(watch);
  pools_ = pools;
  handler_->resize(pools);
  handler_->accept();
}

void Middleware::stop() { stop_until(kNoDeadline); }

Stopped Middleware::stop(std::chrono::nanoseconds timeout, bool (*interrupted)()) {
  return stop_until(deadline_in(timeout), interrupted);
}

// Other threads may stop it meanwhile, and start it again: what this one should end has ended then.
Stopped Middleware::stop_until(Deadline until, bool (*interrupted)()) {
  std::unique_lock life(life_);
  if (!handler_->is_open()) return {};
  const std::uint64_t run = handler_->closings();
  handler_->refuse();
  life.unlock();
  const auto slice = [&] { return interrupted == nullptr ? until : std::min(until, deadline_in(kInterruptSlice)); };
  while (!handler_->drained(slice(), run)) {
    if (interrupted != nullptr && std::chrono::steady_clock::now() < until && !interrupted()) continue;
    until = kAtOnce;
    break;
  }
  life.lock();
  if (run != handler_->closings() || finish(life, until)) return {};
  {
    const std::lock_guard lock(control_);
    handler_->resize(kNobody);
  }
  handler_->answer_unbegun();
  return finish(life, kAtOnce) ? Stopped() : handler_->remaining();
}

Stopped Middleware::abandon() {
  Stopped stopped = stop_until(kAtOnce);
  const std::lock_guard life(life_);
  clients_inside_ |= options_.direct && !stopped.complete;
  if (!stopped.complete && !handler_->running()) handler_->give_up();
  return stopped;
}

// Once all is answered: lets go of the engine. False if a worker whose request was given up has not come back by then.
bool Middleware::finish(std::unique_lock<std::mutex>& life, Deadline until) {
  if (!handler_->is_open()) return true;
  if (!handler_->drained(kAtOnce, handler_->closings())) return false;
  watch_.reset();
  {
    const std::lock_guard lock(control_);
    handler_->resize(kNobody);
  }
  const std::uint64_t run = handler_->closings();
  const Deadline end = handler_->anybody_inside() ? until : kNoDeadline;
  life.unlock();
  const bool settled = handler_->settle(end);
  life.lock();
  if (run != handler_->closings()) return true;  // another thread was faster
  if (!settled) return false;
  const std::lock_guard lock(control_);
  handler_->monitor()->close_window(clock().now());
  handler_->close();
  return true;
}

// -- requests

void Middleware::submit(Request& request) { handler_->submit(request); }

Status Middleware::wait(Request& request) { return handler_->wait(request); }

// -- the learning agent

WindowStats Middleware::get_stats() const {
  const std::lock_guard lock(control_);
  const Monitor* monitor = handler_->monitor();
  return monitor == nullptr ? WindowStats{} : monitor->stats();
}

State Middleware::get_state() const {
  const std::lock_guard lock(control_);
  const Monitor* monitor = handler_->monitor();
  return monitor == nullptr ? State{} : monitor->state(pools_);
}

Pools Middleware::perform_action(int action, Settling settling) {
  Pools pools;
  {
    const std::lock_guard lock(control_);
    pools = after_action(pools_, action);
    set_pools(pools);
  }
  if (settling == Settling::kWait) settle();
  return pools;
}

void Middleware::resize(Pools pools, Settling settling) {
  {
    const std::lock_guard lock(control_);
    set_pools(check_pools(pools));
  }
  if (settling == Settling::kWait) settle();
}

// Without control_, as it lasts as long as the longest operation: statistics can be had, and the pools changed again.
bool Middleware::settle(std::chrono::nanoseconds timeout) { return handler_->settle(deadline_in(timeout)); }

void Middleware::set_pools(Pools pools) {
  if (!handler_->running()) throw InputError("resize", "not running", "start() first");
  if (pools == pools_) return;
  prepare(pools, handler_->hooks());
  pools_ = pools;
  handler_->resize(pools);
}

// All of a resize that may throw; nothing has changed then.
void Middleware::prepare(Pools pools, RequestHooks* hooks) {
  handler_->prepare(pools);
  if (hooks != nullptr) hooks->resized(pools);
}

WindowStats Middleware::close_window(std::optional<Nanoseconds> end) {
  const std::lock_guard lock(control_);
  Monitor* monitor = handler_->monitor();
  return monitor == nullptr ? WindowStats{} : monitor->close_window(end ? *end : clock().now());
}

// -- what else there is to know

Pools Middleware::pools() const {
  const std::lock_guard lock(control_);
  return pools_;
}

std::array<std::uint64_t, kModes> Middleware::queue_lengths() const {
  const std::lock_guard lock(control_);
  return handler_->queue_lengths();
}

std::uint64_t Middleware::outstanding() const { return handler_->outstanding(); }

const Clock& Middleware::clock() const { return handler_->clock(); }

}  // namespace pmtwin::middleware
