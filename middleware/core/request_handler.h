// The way of a request (thesis section 3.2): from its client through the queue of its class to a worker, into the engine
// and back. It holds all that a worker may touch, so that it can be left behind with one that never comes back.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "middleware/core/answer_board.h"
#include "middleware/core/options.h"
#include "middleware/core/request.h"
#include "middleware/core/stopped.h"
#include "middleware/core/worker_desk.h"
#include "middleware/engines/engine.h"
#include "native/common/changes.h"

namespace pmtwin::middleware {

class Monitor;
class RequestHooks;
class WorkerPool;

constexpr std::size_t kWorkers = kModes * kMostWorkers;

class RequestHandler {
 public:
  explicit RequestHandler(const Options& options);  // throws InputError, as Middleware
  ~RequestHandler();  // no worker may be at work

  // -- any thread: as in Middleware
  void submit(Request& request);
  Status wait(Request& request);
  std::uint64_t outstanding() const { return outstanding_.load(std::memory_order_acquire); }
  const Clock& clock() const { return *clock_.load(std::memory_order_acquire); }
  Monitor* monitor() const { return monitor_.get(); }  // of the last run; none before the first
  RequestHooks* hooks() const { return hooks_; }
  bool running() const { return running_; }  // takes requests

  // -- pools, which exist unless clients call the engine themselves; one thread at a time
  void prepare(Pools pools);  // all of a resize that may throw (std::system_error); nothing has changed then
  void resize(Pools pools);   // {0, 0}: nobody begins a request any more
  bool settle(Deadline until);
  std::array<std::uint64_t, kModes> queue_lengths() const;

  // -- the life of an engine in it; one thread at a time
  void open(std::shared_ptr<Engine> engine, std::unique_ptr<Monitor> monitor);
  bool is_open() const { return engine_ != nullptr; }
  void accept() { running_ = true; }       // requests
  void refuse() { running_ = false; }      // requests from now on; those that came before are answered
  // Waits until all are, and the engine is left alone, or until it is closed if so many were closed before it.
  bool drained(Deadline until, std::uint64_t closings);
  std::uint64_t closings() const { return closings_; }
  void answer_unbegun();                   // what waits in queues is refused, and what is held back delivered
  void give_up();                          // the same, and what is in the engine will never be answered
  Stopped remaining() const;
  bool anybody_inside() const;  // of the workers, in the engine
  void close();  // drained, and nobody at work

 private:
  bool serve(Request& request, std::size_t worker, bool woken);
  void take_up(Request& request);
  void begin(Request& request);
  void carry_out(Request& request, bool woken);
  void answer_held(std::size_t worker);
  void refuse(Request& request, Nanoseconds now);
  void deliver(Request& request);
  AnswerBoard& board_of(const Request& request) { return boards_[static_cast<std::size_t>(request.mode)]; }
  void lower(std::atomic<std::uint64_t>& count, std::uint64_t by);

  const bool direct_;
  std::shared_ptr<Engine> engine_;
  std::unique_ptr<Monitor> monitor_;
  RequestHooks* hooks_ = nullptr;
  std::atomic<const Clock*> clock_{&steady_clock()};
  std::array<AnswerBoard, kModes> boards_;
  std::vector<WorkerDesk> desks_;
  // Written by each request, in a line of their own.
  alignas(64) std::atomic<std::uint64_t> outstanding_ = 0;
  std::atomic<std::uint64_t> visitors_ = 0;  // who need the engine besides, until they have gone on
  alignas(64) std::atomic<bool> running_ = false;
  std::atomic<std::uint64_t> closings_ = 0;
  Changes drained_;
  std::array<std::unique_ptr<WorkerPool>, kModes> workers_;  // last: their threads use the rest
};

}  // namespace pmtwin::middleware
