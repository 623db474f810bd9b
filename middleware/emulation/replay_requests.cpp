// Requests of a replay's clients, one after the other.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "middleware/emulation/replay_clients.h"

namespace pmtwin::emulation {

using middleware::Mode;
using middleware::Operation;
using middleware::Request;
using middleware::Status;

namespace {

std::size_t bytes_of(const Demand& demand) { return static_cast<std::size_t>(std::llround(demand.size_bytes)); }

// Each value size has another key, apart for reads and writes.
std::string_view key_of(int kind, std::size_t bytes, std::array<char, 32>& room) {
  const int length = std::snprintf(room.data(), room.size(), "%c%zu", "irbw"[kind], bytes);
  return {room.data(), static_cast<std::size_t>(length)};
}

}  // namespace

std::size_t most_bytes(const ServiceTable& table, int c) {
  double most = 1;
  for (int kind : {2 * c, 2 * c + 1})
    for (const Demand& demand : table.kinds[kind].demand) most = std::max(most, demand.size_bytes);
  return static_cast<std::size_t>(std::llround(most));
}

void fill_store(middleware::Engine& store, const ServiceTable& table) {
  for (int c = 0; c < kClasses; ++c) {
    const std::string value(most_bytes(table, c), 'v');
    for (const Demand& demand : table.kinds[2 * c].demand) {
      std::array<char, 32> room;
      const std::string_view key = key_of(2 * c, bytes_of(demand), room);
      const Status status = store.put(key, std::string_view(value).substr(0, bytes_of(demand)));
      if (status != Status::kOk) throw middleware::EngineError("the store cannot be filled: " + std::string(name_of(status)));
    }
  }
}

// The next request of the class goes out when its client is ready and its time in the trace has come.
void ReplayClients::schedule(int c) {
  Class& load = classes_[c];
  if (load.waiting || closing_ || load.budget == 0 || load.ready.empty()) return;
  load.waiting = true;
  const std::uint64_t number = ++load.scheduled;
  const double at = load.next_at();
  machine_.call_at(at, [here = here_, c, number, at] {
    const std::lock_guard lock(here->mutex);
    if (here->clients != nullptr) here->clients->submit_due(c, number, at);
  });
}

// All of a class that are due at an instant, before those of the other, as the twin does.
void ReplayClients::submit_due(int c, std::uint64_t scheduled, double at) {
  Class& load = classes_[c];
  std::unique_lock lock(mutex_);
  if (scheduled != load.scheduled) return;
  do {
    Client& client = take_next(c);
    lock.unlock();
    submit(client);
    lock.lock();
  } while (!closing_ && load.budget > 0 && !load.ready.empty() && load.next_at() <= at);
  load.waiting = false;
  schedule(c);
}

// Before the next request of the class, at its pace; with the lock held.
double ReplayClients::paced_gap(int c) const {
  const Class& load = classes_[c];
  return gap(machine_.table().classes[c], machine_.options().keys[c], load.submitted) * load.gap_factor;
}

// The next client of the class, with its request.
ReplayClients::Client& ReplayClients::take_next(int c) {
  Class& load = classes_[c];
  const ServiceTable& table = machine_.table();
  Client& client = *load.ready.front();
  load.ready.pop_front();
  const std::uint64_t key = machine_.options().keys[c], index = load.submitted++;
  if (!table.classes[c].closed) {
    --load.budget;
    load.next_arrival_ns += paced_gap(c);
  }
  ++outstanding_;
  client.entered = middleware_.clock().now();
  count(client.entered);
  occupancy_.entered(client.entered);
  const Asked asks = asked(table, c, key, index);
  const std::size_t bytes = bytes_of(*asks.demand);
  Request& request = client.request;
  request.operation = asks.is_write ? Operation::kPut : Operation::kGet;
  request.mode = static_cast<Mode>(c);
  request.key = key_of(2 * c + asks.is_write, bytes, client.key);
  request.number = index;
  request.value = std::string_view(values_.back()).substr(0, bytes);
  if (client.buffer.size() < most_bytes(table, c)) client.buffer.resize(most_bytes(table, c));
  request.target = client.buffer;
  request.on_answer = &ReplayClients::on_answer;
  request.context = &client;
  return client;
}

// In the machine's own thread.
void ReplayClients::submit(Client& client) {
  client.asked = middleware_.clock().now();
  if (threads_ == nullptr) {
    middleware_.submit(client.request);
    return;
  }
  machine_.submitted(client.class_index, false);
  threads_->push(client.request);
  machine_.queued();
}

void ReplayClients::on_answer(Request&, void* context) noexcept {
  Client& client = *static_cast<Client*>(context);
  client.owner->answered(client);
}

// With the lock held: what the middleware says is in it.
void ReplayClients::count(middleware::Nanoseconds now) {
  occupancy_.look(now, middleware_.outstanding() + (threads_ == nullptr ? 0 : threads_->waiting()));
}

void ReplayClients::answered(Client& client) {
  const Request& request = client.request;
  const int c = client.class_index;
  const std::lock_guard lock(mutex_);
  --outstanding_;
  ++answers_;
  count(request.completed);
  occupancy_.left(client.entered, request.completed);
  client.ready = static_cast<double>(request.completed) + machine_.table().client_wakeup;
  if (Class& load = classes_[c]; load.retiring_clients > 0) {
    --load.retiring_clients;
    load.gone.push_back(&client);
  } else {
    load.ready.push_back(&client);
  }
  if (open_) {
    window_.latency_ns[c].push_back(static_cast<double>(request.completed - client.asked));
    window_.waited_ns[c] += static_cast<double>(request.started - client.asked);
    window_.failed += request.status != Status::kOk;
    if (--left_ == 0) {
      window_.end_ns = static_cast<double>(request.completed);
      window_.counted = occupancy_.counted();
      window_.stamped = occupancy_.stamped(request.completed);
      close();
      changed_.notify_all();
    }
  }
  schedule(c);
  if (closing_ && outstanding_ == 0) changed_.notify_all();
}

}  // namespace pmtwin::emulation
