#include "middleware/core/middleware.h"

#include <algorithm>
#include <functional>
#include <thread>

#include "middleware/core/execute.h"
#include "middleware/core/held_answers.h"
#include "middleware/core/monitor.h"
#include "middleware/core/placement.h"
#include "middleware/core/request_hooks.h"
#include "middleware/pools/worker_pool.h"

namespace pmtwin::middleware {
namespace {

constexpr std::size_t kRecorders = kModes * kMostWorkers;

// Clients that carry out their requests themselves share the recorders of the workers that they do without.
std::size_t recorder_of_this_thread() {
  static thread_local const std::size_t hash = std::hash<std::thread::id>{}(std::this_thread::get_id());
  return hash % kRecorders;
}

void check(const Options& options) {
  const auto names = queue_names();
  if (std::find(names.begin(), names.end(), options.queue) == names.end()) make_pool(options.queue, {});  // throws
  if (options.window.count() < 0) throw InputError("window", std::to_string(options.window.count()), "0 or more ns");
  for (std::size_t mode = 0; mode < kModes; ++mode) placement_of(options.cpus[mode], options.nodes[mode]);  // throws
}

}  // namespace

// The pools are made once and not at each start: a client may still be leaving push() when its request is long answered.
Middleware::Middleware(Options options) : options_(std::move(options)), held_(kRecorders) {
  check(options_);
  for (std::size_t mode = 0; mode < kModes && !options_.direct; ++mode) {
    PoolTasks tasks;
    tasks.serve = [this, mode](Request& request, std::size_t worker, bool woken) {
      return serve(request, mode * kMostWorkers + worker, woken);
    };
    tasks.let_go = [this, mode](std::size_t worker) { answer_held(mode * kMostWorkers + worker); };
    tasks.idle = [this, mode] {
      if (hooks_ != nullptr) hooks_->idle(static_cast<Mode>(mode));
    };
    tasks.cpus = placement_of(options_.cpus[mode], options_.nodes[mode]);
    tasks.one_cpu_each = options_.one_cpu_each;
    workers_[mode] = make_pool(options_.queue, std::move(tasks));
  }
}

Middleware::~Middleware() { stop(); }

void Middleware::start(std::shared_ptr<Engine> database, int interactive_threads, int batch_threads) {
  const Pools pools = check_pools({interactive_threads, batch_threads});
  if (database == nullptr) throw InputError("db", "nothing", "an engine");
  if (running_) throw InputError("start", "running", "stop() first");
  const std::lock_guard lock(control_);
  const Clock& clock = database->clock();
  auto monitor = std::make_unique<Monitor>(kRecorders, clock);
  std::unique_ptr<Periodically> watch;
  if (options_.window.count() > 0) {
    watch = std::make_unique<Periodically>(options_.window, [&clock, of = monitor.get()] { of->close_window(clock.now()); });
  }
  prepare(pools, database->hooks());
  // Nothing throws from here on.
  engine_ = std::move(database);
  hooks_ = engine_->hooks();
  clock_ = &clock;
  monitor_ = std::move(monitor);
  watch_ = std::move(watch);
  size_pools(pools);
  running_ = true;
}

void Middleware::stop() {
  if (!running_.exchange(false)) return;
  // A request that came before is answered; one that comes now is refused, as it sees that this does not run.
  for (const auto* count : {&outstanding_, &visitors_}) {
    for (std::uint64_t left = *count; left != 0; left = *count) count->wait(left);
  }
  watch_.reset();
  {
    const std::lock_guard lock(control_);
    for (std::size_t mode = 0; mode < kModes && !options_.direct; ++mode) workers_[mode]->resize(0);
  }
  settle(Settling::kWait);
  const std::lock_guard lock(control_);
  monitor_->close_window(clock().now());
  clock_ = &steady_clock();
  hooks_ = nullptr;
  engine_.reset();
}

// -- requests

void Middleware::submit(Request& request) {
  board_of(request).begin(request);
  outstanding_.fetch_add(1);
  if (!running_) {
    refuse(request);
    return;
  }
  request.submitted = clock().now();
  RequestHooks* const hooks = hooks_;
  if (hooks != nullptr) hooks->submitted(request);
  if (options_.direct) {
    serve(request, recorder_of_this_thread(), false);
    return;
  }
  WorkerPool& pool = *workers_[static_cast<std::size_t>(request.mode)];
  if (hooks == nullptr) {
    pool.push(request);
    return;
  }
  visitors_.fetch_add(1);  // however soon the answer comes: stop() leaves the engine in place for what follows
  pool.push(request);
  hooks->queued();
  lower(visitors_, 1);
}

bool Middleware::serve(Request& request, std::size_t worker, bool woken) {
  const Clock& clock = this->clock();
  clock.learn(request.submitted);
  request.started = clock.now();
  if (hooks_ != nullptr) hooks_->dispatched(request, woken);
  execute(*engine_, request);
  if (hooks_ != nullptr) hooks_->completed(request);
  request.completed = clock.now();
  HeldAnswers& held = held_[worker];
  if (hooks_ != nullptr || options_.direct || request.on_answer != nullptr) {  // nobody sleeps, or time is not real
    monitor_->record(worker, request);
    deliver(request);
  } else if (held.add(request, request.completed)) {
    answer_held(worker);
  }
  return !held.empty();
}

void Middleware::answer_held(std::size_t worker) {
  const Nanoseconds now = clock().now();
  std::uint64_t count = 0;
  {
    Request* request = held_[worker].take();
    AnswerBoard::Delivery delivery(board_of(*request));
    for (; request != nullptr; ++count) {
      Request* next = request->next;  // once it is answered, the request is its client's
      request->completed = now;
      monitor_->record(worker, *request);
      delivery.add(*request);
      request = next;
    }
  }
  lower(outstanding_, count);
}

void Middleware::deliver(Request& request) {
  if (request.on_answer != nullptr) {
    request.on_answer(request, request.context);
  } else {
    AnswerBoard::Delivery(board_of(request)).add(request);
  }
  lower(outstanding_, 1);
}

void Middleware::refuse(Request& request) {
  request.status = Status::kStopped;
  request.bytes = 0;
  request.submitted = request.started = request.completed = steady_clock().now();
  deliver(request);
}

void Middleware::lower(std::atomic<std::uint64_t>& count, std::uint64_t by) {
  if (count.fetch_sub(by) == by && !running_) count.notify_all();
}

Status Middleware::wait(Request& request) {
  const AnswerBoard& board = board_of(request);
  if (clock_ == &steady_clock()) {  // of which nobody learns, and which does not go
    board.await(request);
    return request.status;
  }
  visitors_.fetch_add(1);  // as in submit(): the answer no longer keeps the engine and its clock in place
  const bool here = running_;
  board.await(request);
  if (here) clock().learn(request.completed);
  lower(visitors_, 1);
  return request.status;
}

// -- the learning agent

WindowStats Middleware::get_stats() const {
  const std::lock_guard lock(control_);
  return monitor_ == nullptr ? WindowStats{} : monitor_->stats();
}

State Middleware::get_state() const {
  const std::lock_guard lock(control_);
  return monitor_ == nullptr ? State{} : monitor_->state(pools_);
}

Pools Middleware::perform_action(int action, Settling settling) {
  Pools pools;
  {
    const std::lock_guard lock(control_);
    pools = after_action(pools_, action);
    set_pools(pools);
  }
  settle(settling);
  return pools;
}

void Middleware::resize(Pools pools, Settling settling) {
  {
    const std::lock_guard lock(control_);
    set_pools(check_pools(pools));
  }
  settle(settling);
}

void Middleware::set_pools(Pools pools) {
  if (!running_) throw InputError("resize", "not running", "start() first");
  if (pools == pools_) return;
  prepare(pools, hooks_);
  size_pools(pools);
}

// All of a resize that may throw; nothing has changed then.
void Middleware::prepare(Pools pools, RequestHooks* hooks) {
  for (std::size_t mode = 0; mode < kModes && !options_.direct; ++mode) {
    workers_[mode]->prepare(pools.of(static_cast<Mode>(mode)));
  }
  if (hooks != nullptr) hooks->resized(pools);
}

void Middleware::size_pools(Pools pools) {
  pools_ = pools;
  for (std::size_t mode = 0; mode < kModes && !options_.direct; ++mode) {
    workers_[mode]->resize(pools.of(static_cast<Mode>(mode)));
  }
}

// Without control_, as it lasts as long as the longest operation: statistics can be had, and the pools changed again.
void Middleware::settle(Settling settling) {
  if (settling == Settling::kGoOn || options_.direct) return;
  for (auto& pool : workers_) pool->settle();
}

WindowStats Middleware::close_window() {
  const std::lock_guard lock(control_);
  return monitor_ == nullptr ? WindowStats{} : monitor_->close_window(clock().now());
}

WindowStats Middleware::close_window(Nanoseconds end) {
  const std::lock_guard lock(control_);
  return monitor_ == nullptr ? WindowStats{} : monitor_->close_window(end);
}

Pools Middleware::pools() const {
  const std::lock_guard lock(control_);
  return pools_;
}

std::array<std::uint64_t, kModes> Middleware::queue_lengths() const {
  const std::lock_guard lock(control_);
  std::array<std::uint64_t, kModes> lengths{};
  for (std::size_t mode = 0; mode < kModes; ++mode) {
    if (!options_.direct) lengths[mode] = workers_[mode]->queue_length();
  }
  return lengths;
}

}  // namespace pmtwin::middleware
