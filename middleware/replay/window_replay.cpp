#include "middleware/replay/window_replay.h"

#include <sys/prctl.h>

#include <algorithm>
#include <set>

namespace pmtwin::replay {
namespace {

constexpr std::array kBoth{Mode::kInteractive, Mode::kBatch};

std::size_t index_of(Mode mode) { return static_cast<std::size_t>(mode); }

}  // namespace

WindowReplay::WindowReplay(middleware::Middleware& middleware, middleware::Engine& engine, std::size_t keys,
                           Nanoseconds client_wakeup)
    : middleware_(middleware),
      keys_(engine, keys),
      client_wakeup_(client_wakeup),
      real_time_(&middleware.clock() == &middleware::steady_clock()),
      outstanding_mean_(middleware) {
  for (const Mode mode : kBoth) classes_[index_of(mode)].pacer = std::thread([this, mode] { pace(mode); });
}

WindowReplay::~WindowReplay() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    for (Class& of : classes_) of.changed.notify_all();
  }
  for (Class& of : classes_) of.pacer.join();
  std::unique_lock lock(mutex_);
  window_done_.wait(lock, [this] { return in_system_ == 0; });
}

void WindowReplay::set_class(Mode mode, int clients, bool closed) {
  const std::lock_guard lock(mutex_);
  const Nanoseconds now = middleware_.clock().now();
  Class& of = classes_[index_of(mode)];
  int change = clients - (static_cast<int>(of.clients.size()) - of.surplus);
  const int stay = std::clamp(change, 0, of.surplus);
  of.surplus -= stay;
  for (change -= stay; change > 0; --change) {
    auto client = std::make_unique<Client>();
    client->replay = this;
    client->request.mode = mode;
    client->request.on_answer = &WindowReplay::answered;
    client->request.context = client.get();
    of.ready.emplace(now, client.get());
    of.clients.push_back(std::move(client));
  }
  of.surplus += std::max(-change, 0);
  of.closed = closed;
  of.budget = 0;
  of.trace.clear();
  of.due = static_cast<double>(now);
  resting_ = true;
  unasked_ = false;
  finished_.clear();
}

void WindowReplay::append(Mode mode, std::span<const Offered> requests) {
  std::set<std::uint32_t> sizes;
  for (const Offered& one : requests) sizes.insert(one.bytes);
  const std::lock_guard lock(mutex_);
  keys_.prepare(mode, {sizes.begin(), sizes.end()});
  Class& of = classes_[index_of(mode)];
  of.trace.insert(of.trace.end(), requests.begin(), requests.end());
  of.changed.notify_one();
}

std::size_t WindowReplay::ahead(Mode mode) const {
  const std::lock_guard lock(mutex_);
  return classes_[index_of(mode)].trace.size();
}

std::array<std::int64_t, middleware::kModes> WindowReplay::outstanding() const {
  const std::lock_guard lock(mutex_);
  return {classes_[0].outstanding, classes_[1].outstanding};
}

std::array<std::int64_t, middleware::kModes> WindowReplay::unreleased() const {
  const std::lock_guard lock(mutex_);
  return {classes_[0].closed ? 0 : classes_[0].budget, classes_[1].closed ? 0 : classes_[1].budget};
}

std::optional<Window> WindowReplay::run(std::size_t completions,
                                        std::array<std::int64_t, middleware::kModes> requests,
                                        std::chrono::milliseconds patience, bool (*interrupted)()) {
  constexpr std::chrono::milliseconds kSlice{50};
  std::unique_lock lock(mutex_);
  const Nanoseconds now = middleware_.clock().now();
  completions_ = completions;
  if (unasked_) {  // it was given what the last one had
    for (std::size_t c = 0; c < classes_.size(); ++c) release(c, requests[c] - last_release_[c]);
  } else {
    begin_window(now, false);
    for (std::size_t c = 0; c < classes_.size(); ++c) release(c, requests[c]);
  }
  last_release_ = requests;
  unasked_ = false;
  if (!finished_.empty()) {
    begin_unasked(now, true);
  } else if (window_.latency_ns.size() >= completions_) {
    finish_window();
  }
  std::uint64_t seen = answers_;
  auto quiet = std::chrono::milliseconds(0);
  while (finished_.empty()) {
    if (window_done_.wait_for(lock, kSlice) != std::cv_status::timeout) continue;
    quiet = answers_ == seen ? quiet + kSlice : std::chrono::milliseconds(0);
    seen = answers_;
    if (quiet >= patience) {
      throw Stalled("no request was answered for " + std::to_string(patience.count()) + " ms; " +
                    std::to_string(in_system_) + " are in the middleware");
    }
    lock.unlock();
    const bool stop = interrupted();
    lock.lock();
    if (stop) return std::nullopt;
  }
  Window found = std::move(finished_.front());
  finished_.pop_front();
  return found;
}

void WindowReplay::begin_window(Nanoseconds now, bool paused) {
  catch_up(now);
  const std::size_t room = completions_ + completions_ / 8;
  window_ = Window();
  window_.latency_ns.reserve(room);
  window_.classes.reserve(room);
  window_.start = window_.end = static_cast<double>(now);
  window_.paused = paused;
  outstanding_mean_.begin();
  resting_ = false;
}

void WindowReplay::begin_unasked(Nanoseconds now, bool paused) {
  begin_window(now, paused);
  unasked_ = true;
  for (std::size_t c = 0; c < classes_.size(); ++c) release(c, last_release_[c]);
}

// With the lock held: the window that runs is whole.
void WindowReplay::finish_window() {
  const auto end = static_cast<Nanoseconds>(window_.end);
  window_.mean_outstanding = outstanding_mean_.mean();
  finished_.push_back(std::move(window_));
  if (unasked_) {
    resting_ = true;
  } else {
    begin_unasked(end, false);
  }
  window_done_.notify_all();
}

void WindowReplay::release(std::size_t c, std::int64_t requests) {
  Class& of = classes_[c];
  if (!of.closed) of.budget += requests;
  of.changed.notify_one();
}

// As a window begins: what is behind its schedule because clients were busy, or nothing was released, goes on from now.
// A ready client whose request is due waits for nobody but the pacing thread, by which the trace must not shift: it
// goes on from when that thread should have come. So does a class that had to wait for such a one, having used up what
// was released for it.
void WindowReplay::catch_up(Nanoseconds now) {
  const auto stamp = static_cast<double>(now);
  std::array<double, middleware::kModes> from;
  for (std::size_t c = 0; c < classes_.size(); ++c) {
    const Class& of = classes_[c];
    const bool late = !of.closed && may_submit(of) && of.ready.top().first <= now;
    from[c] = late ? std::min(stamp, std::max(of.due, static_cast<double>(of.ready.top().first))) : stamp;
  }
  for (std::size_t c = 0; c < classes_.size(); ++c) {
    Class& of = classes_[c];
    if (of.closed || of.trace.empty() || of.due > stamp) continue;
    const double since = of.budget > 0 ? from[c] : from[1 - c];
    of.due = since < stamp ? std::max(of.due, since) : stamp + of.trace.front().gap_ns;
  }
}

bool WindowReplay::may_submit(const Class& of) const {
  return !stopping_ && !resting_ && !of.ready.empty() && !of.trace.empty() && (of.closed || of.budget > 0);
}

void WindowReplay::take_next(Mode mode, Client& client) {
  Class& of = classes_[index_of(mode)];
  const Offered next = of.trace.front();
  of.trace.pop_front();
  if (!of.closed) {
    of.budget -= 1;
    of.due += of.trace.empty() ? 0.0 : of.trace.front().gap_ns;
  }
  of.outstanding += 1;
  in_system_ += 1;
  outstanding_mean_.look();
  middleware::Request& request = client.request;
  request.number = of.number++;
  request.key = keys_.key(mode, next.bytes, request.number);
  request.operation = next.is_write ? middleware::Operation::kPut : middleware::Operation::kGet;
  request.value = next.is_write ? keys_.value(next.bytes) : std::string_view();
  if (!next.is_write && client.target.size() < next.bytes) client.target.resize(next.bytes);
  request.target = client.target;
}

void WindowReplay::pace(Mode mode) {
  prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0);
  Class& of = classes_[index_of(mode)];
  const middleware::Clock& clock = middleware_.clock();
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    if (!may_submit(of)) {
      of.changed.wait(lock);
      continue;
    }
    const auto due = of.closed ? Nanoseconds{0} : static_cast<Nanoseconds>(of.due);
    const Nanoseconds at = std::max(due, of.ready.top().first);
    clock.learn(of.ready.top().first);
    if (at > clock.now()) {
      if (real_time_) {
        of.changed.wait_until(lock, std::chrono::steady_clock::time_point(std::chrono::nanoseconds(at)));
      } else {
        lock.unlock();
        clock.sleep_until(at);
        lock.lock();
      }
      if (!may_submit(of) || (!of.closed && static_cast<Nanoseconds>(of.due) > at)) continue;
      if (real_time_ && clock.now() < at) continue;
    }
    Client& client = *of.ready.top().second;
    of.ready.pop();
    if (of.surplus > 0) {  // one client too many: it stays away
      of.surplus -= 1;
      std::erase_if(of.clients, [&client](const auto& one) { return one.get() == &client; });
      continue;
    }
    take_next(mode, client);
    lock.unlock();
    middleware_.submit(client.request);
    lock.lock();
  }
}

void WindowReplay::answered(middleware::Request&, void* context) noexcept {
  Client& client = *static_cast<Client*>(context);
  client.replay->on_answer(client);
}

void WindowReplay::on_answer(Client& client) {
  middleware::Request& request = client.request;
  const Nanoseconds now = request.completed;
  const std::size_t c = index_of(request.mode);
  bool again = false;
  {
    const std::lock_guard lock(mutex_);
    Class& of = classes_[c];
    of.outstanding -= 1;
    answers_ += 1;
    in_system_ -= 1;
    outstanding_mean_.look();
    if (!resting_) {
      window_.latency_ns.push_back(static_cast<double>(now - request.submitted));
      window_.classes.push_back(static_cast<std::uint8_t>(c));
      window_.waited_ns[c] += static_cast<double>(request.started - request.submitted);
      window_.failed += request.status != middleware::Status::kOk;
      window_.end = std::max(window_.end, static_cast<double>(now));
      if (window_.latency_ns.size() >= completions_) finish_window();
    }
    if (stopping_ && in_system_ == 0) window_done_.notify_all();
    // Its next request at once, if it is due; clients that have waited longer come first.
    const bool due = of.closed || of.due <= static_cast<double>(now);
    again = client_wakeup_ == 0 && of.surplus == 0 && of.ready.empty() && !stopping_ && !resting_ &&
            !of.trace.empty() && due && (of.closed || of.budget > 0);
    if (again) {
      take_next(request.mode, client);
    } else {
      of.ready.emplace(now + client_wakeup_, &client);
      of.changed.notify_one();
    }
  }
  if (again) middleware_.submit(request);
}

}  // namespace pmtwin::replay
