#include "middleware/load/closed_loop.h"

#include "middleware/core/clock.h"

namespace pmtwin::middleware {

ClosedLoop::ClosedLoop(std::array<ClassLoad, kModes> loads, Ask ask) : loads_(loads), ask_(std::move(ask)) {
  for (std::size_t mode = 0; mode < kModes; ++mode) {
    for (int c = 0; c < loads_[mode].clients; ++c) {
      Client& client = *clients_.emplace_back(std::make_unique<Client>());
      client.mode = static_cast<Mode>(mode);
      const auto first = static_cast<std::uint64_t>(c);
      client.thread = std::thread([this, &client, mode, first] { run(client, loads_[mode], first); });
    }
  }
}

ClosedLoop::~ClosedLoop() { stop(); }

void ClosedLoop::run(Client& client, const ClassLoad& load, std::uint64_t first) {
  std::vector<char> buffer(load.records->value().size());
  const auto ask = [&](Operation operation, std::string_view key) {
    Request request;
    request.mode = client.mode;
    request.operation = operation;
    request.key = key;
    request.target = buffer;
    if (operation == Operation::kPut) request.value = load.records->value();
    const Nanoseconds begin = steady_clock().now();
    ask_(request);
    client.latency_ns.record(static_cast<std::uint64_t>(steady_clock().now() - begin));
    if (is_failure(request.status)) client.failed.fetch_add(1, std::memory_order_relaxed);
    client.answered.fetch_add(1, std::memory_order_relaxed);
  };
  const auto step = static_cast<std::uint64_t>(load.clients);
  for (std::uint64_t number = first; !stopping_.load(std::memory_order_relaxed); number += step) {
    const Asked& asked = load.stream->at(number);
    const std::string_view key = load.records->key(asked.record);
    if (asked.kind != Asked::kUpdate) ask(Operation::kGet, key);
    if (asked.kind != Asked::kRead) ask(Operation::kPut, key);
  }
}

std::uint64_t ClosedLoop::answered() const {
  std::uint64_t sum = 0;
  for (const auto& client : clients_) sum += client->answered.load(std::memory_order_relaxed);
  return sum;
}

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
    if (client->mode == mode) merged.merge(client->latency_ns);
  }
  return merged;
}

}  // namespace pmtwin::middleware
