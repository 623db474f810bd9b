#include "middleware/core/request_handler.h"

#include "middleware/core/answering.h"
#include "middleware/core/execute.h"
#include "middleware/core/monitor.h"
#include "middleware/core/placement.h"
#include "middleware/core/request_hooks.h"
#include "middleware/pools/worker_pool.h"

namespace pmtwin::middleware {

// The pools are made once and not at each start: a client may still be leaving push() when its request is long answered.
RequestHandler::RequestHandler(const Options& options) : direct_(options.direct), desks_(kWorkers) {
  for (std::size_t mode = 0; mode < kModes && !direct_; ++mode) {
    PoolTasks tasks;
    tasks.serve = [this, mode](Request& request, std::size_t worker, bool woken) {
      return serve(request, mode * kMostWorkers + worker, woken);
    };
    tasks.let_go = [this, mode](std::size_t worker) { answer_held(mode * kMostWorkers + worker); };
    tasks.idle = [this, mode] {
      if (hooks_ != nullptr) hooks_->idle(static_cast<Mode>(mode));
    };
    tasks.cpus = placement_of(static_cast<Mode>(mode), options.cpus[mode], options.nodes[mode]);
    tasks.one_cpu_each = options.one_cpu_each;
    workers_[mode] = make_pool(options.queue, std::move(tasks));
  }
}

RequestHandler::~RequestHandler() = default;

void RequestHandler::submit(Request& request) {
  board_of(request).begin(request);
  outstanding_.fetch_add(1);
  Answering* const here = request.on_answer == nullptr ? nullptr : Answering::of(this);
  if (here != nullptr && (direct_ || !running_)) {
    here->keep(request);
  } else {
    take_up(request);
  }
}

void RequestHandler::take_up(Request& request) {
  if (!running_) {
    request.submitted = steady_clock().now();  // the engine and its clock may be gone
    refuse(request, request.submitted);
    return;
  }
  request.submitted = clock().now();
  RequestHooks* const hooks = hooks_;
  if (hooks != nullptr) hooks->submitted(request);
  if (direct_) {
    begin(request);
    carry_out(request, false);
    // Clients share the recorders of the workers that they do without.
    monitor_->record(monitor_->recorder_of_this_thread(), request);
    deliver(request);
    return;
  }
  monitor_->submitted(request);
  WorkerPool& pool = *workers_[static_cast<std::size_t>(request.mode)];
  if (hooks == nullptr) {
    pool.push(request);
    return;
  }
  visitors_.fetch_add(1);  // however soon the answer comes: the engine stays in place for what follows
  pool.push(request);
  hooks->queued();
  lower(visitors_, 1);
}

void RequestHandler::begin(Request& request) {
  if (!direct_) clock().learn(request.submitted);  // its client's stamp, not one of this thread
  request.started = clock().now();
}

void RequestHandler::carry_out(Request& request, bool woken) {
  if (hooks_ != nullptr) hooks_->dispatched(request, woken);
  execute(*engine_, request);
  if (hooks_ != nullptr) hooks_->completed(request);
  request.completed = clock().now();
}

bool RequestHandler::serve(Request& request, std::size_t worker, bool woken) {
  WorkerDesk& desk = desks_[worker];
  desk.enter();
  begin(request);
  monitor_->started(worker, request);
  carry_out(request, woken);
  const WorkerDesk::Back back = desk.leave();
  if (back.given_up) return back.holds;
  if (hooks_ != nullptr || request.on_answer != nullptr) {  // time is not real, or nobody sleeps
    monitor_->record(worker, request);
    deliver(request);
    return back.holds;
  }
  if (!desk.hold(request, request.completed)) return true;
  answer_held(worker);
  return false;
}

void RequestHandler::answer_held(std::size_t worker) {
  Request* request = desks_[worker].take_held();
  if (request == nullptr) return;
  const Nanoseconds now = clock().now();
  std::uint64_t count = 0;
  {
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

void RequestHandler::deliver(Request& request) {
  if (request.on_answer == nullptr) {
    AnswerBoard::Delivery(board_of(request)).add(request);
    lower(outstanding_, 1);
  } else if (Answering::of(this) != nullptr) {  // who is further out on the stack takes up what is kept
    request.on_answer(request, request.context);
    lower(outstanding_, 1);
  } else {
    Answering answering(this);
    request.on_answer(request, request.context);
    lower(outstanding_, 1);
    while (Request* kept = answering.take()) take_up(*kept);
  }
}

void RequestHandler::refuse(Request& request, Nanoseconds now) {
  request.status = Status::kStopped;
  request.bytes = 0;
  request.started = request.completed = now;
  deliver(request);
}

void RequestHandler::lower(std::atomic<std::uint64_t>& count, std::uint64_t by) {
  if (count.fetch_sub(by) == by && !running_) drained_.tell();
}

Status RequestHandler::wait(Request& request) {
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

}  // namespace pmtwin::middleware
