// Submission of the trace's requests by threads, each at its time: the threads' side of WindowReplay.
#include <sys/prctl.h>

#include <algorithm>

#include "middleware/replay/window_replay.h"

namespace pmtwin::replay {

// With the lock held. The next client of a class, with its request.
Client& WindowReplay::take_next(Class& of) {
  const auto [client, next] = of.take();
  of.outstanding += 1;
  in_system_ += 1;
  client->entered = middleware_.clock().now();
  count(client->entered);
  occupancy_.entered(client->entered);
  middleware::Request& request = client->request;
  request.number = of.number++;
  request.key = keys_.key(request.mode, next.bytes, request.number);
  request.operation = next.is_write ? middleware::Operation::kPut : middleware::Operation::kGet;
  request.value = next.is_write ? keys_.value(next.bytes) : std::string_view();
  if (!next.is_write && client->target.size() < next.bytes) client->target.resize(next.bytes);
  request.target = client->target;
  return *client;
}

// With the lock held. A client of either class whose request is due.
Client* WindowReplay::take_due(Nanoseconds now) {
  for (Class& of : classes_) {
    if (may_submit(of) && of.next_at() <= now) return &take_next(of);
  }
  return nullptr;
}

// Without the lock: who is answered may take it.
void WindowReplay::send(Client& client) {
  if (threads_ == nullptr) {
    middleware_.submit(client.request);
  } else {
    client.asked = middleware_.clock().now();
    threads_->push(client.request);
  }
}

void WindowReplay::count(Nanoseconds now) {
  occupancy_.look(now, middleware_.outstanding() + (threads_ == nullptr ? 0 : threads_->waiting()));
}

void WindowReplay::pace(Class& of) {
  prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0);
  const middleware::Clock& clock = middleware_.clock();
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    if (!may_submit(of)) {
      of.changed.wait(lock);
      continue;
    }
    clock.learn(of.ready_since());
    const Nanoseconds at = of.next_at();
    if (at > clock.now()) {
      if (real_time_) {
        of.changed.wait_until(lock, std::chrono::steady_clock::time_point(std::chrono::nanoseconds(at)));
      } else {
        lock.unlock();
        clock.sleep_until(at);
        lock.lock();
      }
      continue;
    }
    Client& client = take_next(of);
    lock.unlock();
    send(client);
    lock.lock();
  }
}

void WindowReplay::answered(middleware::Request&, void* context) noexcept {
  Client& client = *static_cast<Client*>(context);
  Here& here = *client.here;
  std::unique_lock lock(here.mutex);
  if (here.replay != nullptr) here.replay->on_answer(client, lock);
}

void WindowReplay::on_answer(Client& client, std::unique_lock<std::mutex>& lock) {
  const middleware::Request& request = client.request;
  const Nanoseconds now = request.completed, asked = threads_ == nullptr ? request.submitted : client.asked;
  const auto c = static_cast<std::size_t>(request.mode);
  Class& of = classes_[c];
  answering_ += 1;
  of.outstanding -= 1;
  answers_ += 1;
  count(now);
  occupancy_.left(client.entered, now);
  if (request.status == middleware::Status::kStopped) {
    refuse();
  } else if (!resting_) {
    window_.latency_ns.push_back(static_cast<double>(now - asked));
    window_.classes.push_back(static_cast<std::uint8_t>(c));
    window_.waited_ns[c] += static_cast<double>(request.started - asked);
    window_.failed += request.status != middleware::Status::kOk;
    window_.end = std::max(window_.end, static_cast<double>(now));
    if (window_.latency_ns.size() >= completions_) finish_window();
  }
  const bool first = of.is_ready(client, now + client_wakeup_);
  // Due requests go out at once: a pacing thread would have to get a processor first.
  while (Client* const next = take_due(now)) {
    lock.unlock();
    send(*next);
    lock.lock();
  }
  if (first && may_submit(of)) of.changed.notify_one();  // otherwise that thread knows when the next is due
  in_system_ -= 1;  // last, as answering_: without the lock another thread would end this
  answering_ -= 1;
  if (stopping_ && answering_ == 0) window_done_.notify_all();
}

// With the lock held: the middleware was stopped. Who asked again would be refused again, for ever in closed loop.
void WindowReplay::refuse() {
  refused_ = resting_ = true;
  unasked_ = false;
  window_done_.notify_all();
}

}  // namespace pmtwin::replay
