#include "middleware/load/closed_loop.h"

#include <algorithm>

#include "middleware/core/clock.h"

namespace pmtwin::middleware {
namespace {

constexpr std::array kBoth{Mode::kInteractive, Mode::kBatch};

constexpr std::size_t index(Mode mode) { return static_cast<std::size_t>(mode); }

}  // namespace

ClosedLoop::ClosedLoop(std::array<ClassLoad, kModes> loads, Ask ask, int clients_of_both)
    : loads_(loads), ask_(std::move(ask)) {
  for (const Mode mode : kBoth) start(loads_[index(mode)].clients, {mode});
  start(clients_of_both, {kBoth.begin(), kBoth.end()});
}

ClosedLoop::~ClosedLoop() { stop(); }

void ClosedLoop::start(int clients, const std::vector<Mode>& modes) {
  const auto step = static_cast<std::uint64_t>(clients);
  for (std::uint64_t first = 0; first < step; ++first) {
    Client& client = *clients_.emplace_back(std::make_unique<Client>());
    client.thread = std::thread([this, &client, modes, first, step] { run(client, modes, first, step); });
  }
}

void ClosedLoop::run(Client& client, const std::vector<Mode>& modes, std::uint64_t first, std::uint64_t step) {
  std::size_t most = 0;
  for (const Mode mode : modes) most = std::max(most, loads_[index(mode)].records->value().size());
  std::vector<char> buffer(most);
  for (std::uint64_t number = first;; number += step) {
    for (const Mode mode : modes) {
      if (stopping_.load(std::memory_order_relaxed)) return;
      const ClassLoad& load = loads_[index(mode)];
      const Asked& asked = load.stream->at(number);
      const std::string_view key = load.records->key(asked.record);
      if (asked.kind != Asked::kUpdate) ask(client, mode, Operation::kGet, key, buffer);
      if (asked.kind != Asked::kRead) ask(client, mode, Operation::kPut, key, buffer);
    }
  }
}

void ClosedLoop::ask(Client& client, Mode mode, Operation operation, std::string_view key, std::vector<char>& buffer) {
  const std::uint64_t epoch = epoch_.load(std::memory_order_relaxed);
  if (client.epoch != epoch) {
    client.epoch = epoch;
    for (Histogram& of : client.latency_ns) of.clear();
  }
  Request request;
  request.mode = mode;
  request.operation = operation;
  request.key = key;
  request.target = buffer;
  if (operation == Operation::kPut) request.value = loads_[index(mode)].records->value();
  const Nanoseconds begin = steady_clock().now();
  ask_(request);
  client.latency_ns[index(mode)].record(static_cast<std::uint64_t>(steady_clock().now() - begin));
  if (is_failure(request.status)) client.failed.fetch_add(1, std::memory_order_relaxed);
  client.answered[index(mode)].fetch_add(1, std::memory_order_relaxed);
}

std::uint64_t ClosedLoop::answered(Mode mode) const {
  std::uint64_t sum = 0;
  for (const auto& client : clients_) sum += client->answered[index(mode)].load(std::memory_order_relaxed);
  return sum;
}

std::uint64_t ClosedLoop::answered() const { return answered(Mode::kInteractive) + answered(Mode::kBatch); }

std::uint64_t ClosedLoop::failed() const {
  std::uint64_t sum = 0;
  for (const auto& client : clients_) sum += client->failed.load(std::memory_order_relaxed);
  return sum;
}

void ClosedLoop::stop() {
  stopping_ = true;
  for (const auto& client : clients_) {
    if (client->thread.joinable()) client->thread.join();
  }
}

Histogram ClosedLoop::latency_ns(Mode mode) const {
  Histogram merged;
  for (const auto& client : clients_) {
    if (client->epoch == epoch_) merged.merge(client->latency_ns[index(mode)]);
  }
  return merged;
}

}  // namespace pmtwin::middleware
