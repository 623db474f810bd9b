#include "middleware/emulation/emulated_engine.h"

#include <chrono>

namespace pmtwin::emulation {

using middleware::Mode;
using middleware::Request;
using middleware::Status;

namespace {

int class_of(Mode mode) { return static_cast<int>(mode); }

// The store's operation, and how long it takes in truth.
template <class Operation>
std::pair<Status, std::chrono::nanoseconds> timed(Operation operation) {
  const auto begin = std::chrono::steady_clock::now();
  const Status status = operation();
  return {status, std::chrono::steady_clock::now() - begin};
}

}  // namespace

// The store does its work first: only then is the size of what it found known. Virtual time waits meanwhile.

Status EmulatedEngine::get(std::string_view key, std::span<char> target, std::size_t& bytes) noexcept {
  bytes = 0;
  if (!machine_->knows(false)) return Status::kRefused;
  const auto [status, real] = timed([&] { return store_->get(key, target, bytes); });
  return machine_->serve(false, static_cast<double>(bytes), real) ? status : Status::kRefused;
}

Status EmulatedEngine::put(std::string_view key, std::string_view value) noexcept {
  if (!machine_->knows(true)) return Status::kRefused;
  const auto [status, real] = timed([&] { return store_->put(key, value); });
  return machine_->serve(true, static_cast<double>(value.size()), real) ? status : Status::kOutcomeUnknown;
}

// The twin has no removals: they cost what a put of the smallest value costs.
Status EmulatedEngine::remove(std::string_view key) noexcept {
  if (!machine_->knows(true)) return Status::kRefused;
  const auto [status, real] = timed([&] { return store_->remove(key); });
  return machine_->serve(true, 0, real) ? status : Status::kOutcomeUnknown;
}

std::string EmulatedEngine::describe() const {
  return "emulated " + machine_->table().workload + " (time dilated " + std::to_string(machine_->options().dilation) +
         " times) over " + store_->describe();
}

void EmulatedEngine::resized(middleware::Pools pools) {
  machine_->resized({pools.interactive_threads, pools.batch_threads});
}

void EmulatedEngine::submitted(Request& request) {
  if (machine_->table().host.shared) return;  // the client does it itself, and goes on to act
  machine_->submitted(class_of(request.mode), request.on_answer == nullptr);
}

void EmulatedEngine::withdrawn(Request& request) {
  machine_->withdrawn(class_of(request.mode), request.on_answer == nullptr);
}

void EmulatedEngine::dispatched(Request& request, bool) {
  machine_->dispatched(class_of(request.mode), request.submitted, request.number);
  request.started = machine_->clock().now();
}

void EmulatedEngine::completed(Request& request) {
  machine_->completed(class_of(request.mode), request.on_answer == nullptr);
}

void EmulatedEngine::idle(Mode mode) { machine_->idle(class_of(mode)); }

}  // namespace pmtwin::emulation
