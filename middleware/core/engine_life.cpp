// From the opening of an engine to its end, also one that does not answer.
#include <algorithm>
#include <thread>

#include "middleware/core/monitor.h"
#include "middleware/core/request_handler.h"
#include "middleware/core/request_hooks.h"
#include "middleware/pools/worker_pool.h"

namespace pmtwin::middleware {

void RequestHandler::open(std::shared_ptr<Engine> engine, std::unique_ptr<Monitor> monitor) {
  engine_ = std::move(engine);
  monitor_ = std::move(monitor);
  hooks_ = engine_->hooks();
  clock_ = &engine_->clock();
}

bool RequestHandler::drained(Deadline until, std::uint64_t closings) {
  return drained_.await(until, [&] { return (outstanding_ == 0 && visitors_ == 0) || closings_ != closings; });
}

void RequestHandler::answer_unbegun() {
  for (auto& pool : workers_) {
    while (Request* request = pool == nullptr ? nullptr : pool->withdraw()) {
      if (hooks_ != nullptr) hooks_->withdrawn(*request);
      request->started = clock().now();
      monitor_->started(0, *request);  // it waits no longer
      refuse(*request, request->started);
    }
  }
  for (std::size_t worker = 0; worker < kWorkers; ++worker) answer_held(worker);
}

void RequestHandler::give_up() {
  const Deadline until = deadline_in(std::chrono::seconds(1));
  do {  // again for those that are on their way into a queue, or from there into the engine
    answer_unbegun();
    for (WorkerDesk& desk : desks_) {
      if (desk.give_up()) lower(outstanding_, 1);
    }
    std::this_thread::yield();
  } while (!direct_ && outstanding_ > 0 && std::chrono::steady_clock::now() < until);
}

void RequestHandler::prepare(Pools pools) {
  for (std::size_t mode = 0; mode < kModes && !direct_; ++mode) {
    workers_[mode]->prepare(pools.of(static_cast<Mode>(mode)));
  }
}

void RequestHandler::resize(Pools pools) {
  for (std::size_t mode = 0; mode < kModes && !direct_; ++mode) {
    workers_[mode]->resize(pools.of(static_cast<Mode>(mode)));
  }
}

bool RequestHandler::settle(Deadline until) {
  return direct_ || (workers_[0]->settle(until) && workers_[1]->settle(until));
}

std::array<std::uint64_t, kModes> RequestHandler::queue_lengths() const {
  std::array<std::uint64_t, kModes> lengths{};
  for (std::size_t mode = 0; mode < kModes && !direct_; ++mode) lengths[mode] = workers_[mode]->queue_length();
  return lengths;
}

Stopped RequestHandler::remaining() const {
  Stopped left{false, outstanding(), {}};
  for (std::size_t worker = 0; worker < kWorkers; ++worker) {
    if (const auto time = desks_[worker].inside_for()) {
      left.busy.push_back({static_cast<Mode>(worker / kMostWorkers), static_cast<int>(worker % kMostWorkers), *time});
    }
  }
  left.unanswered = std::max<std::uint64_t>(left.unanswered, left.busy.size());  // what was given up is no longer counted
  return left;
}

bool RequestHandler::anybody_inside() const {
  return std::any_of(desks_.begin(), desks_.end(), [](const WorkerDesk& desk) { return desk.inside_for().has_value(); });
}

void RequestHandler::close() {
  clock_ = &steady_clock();
  hooks_ = nullptr;
  engine_.reset();
  ++closings_;
  drained_.tell();
}

std::string describe(const Stopped& stopped) {
  std::string text = std::to_string(stopped.unanswered) + " requests in the engine";
  const char* separator = ": ";
  for (const BusyWorker& one : stopped.busy) {
    const auto tenths = std::chrono::duration_cast<std::chrono::milliseconds>(one.inside_for).count() / 100;
    text += separator + std::string(one.mode == Mode::kInteractive ? "interactive" : "batch") + " worker " +
            std::to_string(one.worker) + " since " + std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " s";
    separator = ", ";
  }
  return text;
}

}  // namespace pmtwin::middleware
