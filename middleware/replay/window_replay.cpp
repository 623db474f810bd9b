#include "middleware/replay/window_replay.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "native/common/errors.h"
#include "native/common/left_behind.h"

namespace pmtwin::replay {
namespace {

std::size_t index_of(Mode mode) { return static_cast<std::size_t>(mode); }

}  // namespace

WindowReplay::WindowReplay(middleware::Middleware& middleware, middleware::Engine& engine, std::size_t keys,
                           Nanoseconds client_wakeup, int most_accesses)
    : middleware_(middleware),
      keys_(engine, keys),
      client_wakeup_(client_wakeup),
      real_time_(&middleware.clock() == &middleware::steady_clock()),
      most_accesses_(most_accesses),
      here_(std::make_shared<Here>()),
      mutex_(here_->mutex) {
  here_->replay = this;
  if (middleware.options().direct) {
    const auto access = [this](middleware::Request& request, bool woken) {
      // That a thread had to be woken is this machine's, not the store's: such a client would have slept until now.
      if (woken) static_cast<Client*>(request.context)->asked = middleware_.clock().now();
      middleware_.submit(request);
    };
    threads_ = std::make_unique<middleware::ClientThreads>(access, [] {});
  }
  for (Class& of : classes_) of.pacer = std::thread([this, &of] { pace(of); });
}

WindowReplay::~WindowReplay() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    for (Class& of : classes_) of.changed.notify_all();
  }
  for (Class& of : classes_) of.pacer.join();
  std::unique_lock lock(mutex_);
  const middleware::Patience patience{
      std::chrono::duration_cast<std::chrono::milliseconds>(middleware_.options().patience)};
  try {
    const auto progress = [this] { return answers_; };
    patience.wait(lock, window_done_, [this] { return in_system_ == 0; }, progress, [] { return ""; });
  } catch (const Stalled&) {
    leave_all_behind(lock);
  }
}

// No pacer runs any more, and no answer brings another request.
void WindowReplay::leave_all_behind(std::unique_lock<std::mutex>& lock) {
  const auto nobody_answers = [this] { return answering_ == 0; };
  window_done_.wait(lock, nobody_answers);  // who was sending when this began
  if (threads_ != nullptr) {
    in_system_ -= static_cast<std::int64_t>(threads_->abandon());
    // Requests that a thread has taken get into the middleware, which keeps in place what they need there.
    while (middleware_.outstanding() < static_cast<std::uint64_t>(in_system_)) {
      lock.unlock();
      std::this_thread::yield();
      lock.lock();
    }
  }
  lock.unlock();
  middleware_.abandon();
  lock.lock();
  here_->replay = nullptr;
  window_done_.wait(lock, nobody_answers);
  if (in_system_ == 0) return;
  for (Class& of : classes_) leave_behind(std::make_shared<TraceClients>(std::move(of)));
  leave_behind(std::make_shared<KeySpace>(std::move(keys_)));
}

std::unique_ptr<Client> WindowReplay::make_client(Mode mode) {
  auto client = std::make_unique<Client>();
  client->here = here_;
  client->request.mode = mode;
  client->request.on_answer = &WindowReplay::answered;
  client->request.context = client.get();
  return client;
}

void WindowReplay::set_class(Mode mode, int clients, bool closed) {
  if (clients < 0) throw InputError("clients", std::to_string(clients), "0 or more");
  const std::lock_guard lock(mutex_);
  Class& of = classes_[index_of(mode)];
  of.set(clients, closed, middleware_.clock().now(), [this, mode] { return make_client(mode); });
  if (threads_ != nullptr) threads_->grow_to(std::min(most_accesses_, classes_[0].clients() + classes_[1].clients()));
  resting_ = true;
  unasked_ = false;
  finished_.clear();
}

void WindowReplay::set_pace(Mode mode, double pace) {
  check_pace(pace);
  const std::lock_guard lock(mutex_);
  classes_[index_of(mode)].set_pace(pace);
}

void WindowReplay::append(Mode mode, std::span<const Offered> requests) {
  std::set<std::uint32_t> sizes;
  for (const Offered& one : requests) sizes.insert(one.bytes);
  const std::lock_guard lock(mutex_);
  keys_.prepare(mode, {sizes.begin(), sizes.end()});
  Class& of = classes_[index_of(mode)];
  of.append(requests);
  of.changed.notify_one();
}

std::size_t WindowReplay::ahead(Mode mode) const {
  const std::lock_guard lock(mutex_);
  return classes_[index_of(mode)].ahead();
}

std::array<std::int64_t, middleware::kModes> WindowReplay::outstanding() const {
  const std::lock_guard lock(mutex_);
  return {classes_[0].outstanding, classes_[1].outstanding};
}

std::array<std::int64_t, middleware::kModes> WindowReplay::unreleased() const {
  const std::lock_guard lock(mutex_);
  return {classes_[0].unreleased(), classes_[1].unreleased()};
}

std::optional<Window> WindowReplay::run(std::size_t completions,
                                        std::array<std::int64_t, middleware::kModes> requests,
                                        const middleware::Patience& patience) {
  std::unique_lock lock(mutex_);
  const Nanoseconds now = middleware_.clock().now();
  completions_ = completions;
  if (unasked_) {  // it was given what the last one had
    for (std::size_t c = 0; c < classes_.size(); ++c) release(classes_[c], requests[c] - last_release_[c]);
  } else {
    begin_window(now, false);
    for (std::size_t c = 0; c < classes_.size(); ++c) release(classes_[c], requests[c]);
  }
  last_release_ = requests;
  unasked_ = refused_ = false;
  if (!finished_.empty()) {
    begin_unasked(now, true);
  } else if (window_.latency_ns.size() >= completions_) {
    finish_window();
  }
  const auto stalled = [&] {
    return "no request was answered for " + std::to_string(patience.most.count()) + " ms; " +
           std::to_string(in_system_) + " are in the middleware";
  };
  const auto done = [this] { return !finished_.empty() || refused_; };
  if (!patience.wait(lock, window_done_, done, [this] { return answers_; }, stalled)) return std::nullopt;
  if (finished_.empty()) throw Stalled("the middleware was stopped");
  Window found = std::move(finished_.front());
  finished_.pop_front();
  lock.unlock();  // a worker may want it that a resize waits for, which closing a window waits for
  found.stats = middleware_.close_window();
  found.state = middleware_.get_state();
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
  occupancy_.begin(now);
  resting_ = false;
}

void WindowReplay::begin_unasked(Nanoseconds now, bool paused) {
  begin_window(now, paused);
  unasked_ = true;
  for (std::size_t c = 0; c < classes_.size(); ++c) release(classes_[c], last_release_[c]);
}

// The window that runs is whole.
void WindowReplay::finish_window() {
  const auto end = static_cast<Nanoseconds>(window_.end);
  window_.counted = occupancy_.counted();
  window_.stamped = occupancy_.stamped(end);
  finished_.push_back(std::move(window_));
  if (unasked_) {
    resting_ = true;
  } else {
    begin_unasked(end, false);
  }
  window_done_.notify_all();
}

void WindowReplay::release(Class& of, std::int64_t requests) {
  of.release(requests);
  of.changed.notify_one();
}

// As a window begins: what is behind its schedule because clients were busy, or nothing was released, goes on from now.
// A ready client whose request is due waits for nobody but who should submit it, by which the trace must not shift: it
// goes on from when that should have been. So does a class that had to wait for such a one, having used up what was
// released for it.
void WindowReplay::catch_up(Nanoseconds now) {
  const auto stamp = static_cast<double>(now);
  std::array<double, middleware::kModes> from;
  for (std::size_t c = 0; c < classes_.size(); ++c) {
    from[c] = may_submit(classes_[c]) ? classes_[c].late_since(stamp) : stamp;
  }
  for (std::size_t c = 0; c < classes_.size(); ++c) {
    Class& of = classes_[c];
    if (of.is_behind(stamp)) of.catch_up(of.unreleased() > 0 ? from[c] : from[1 - c], stamp);
  }
}

}  // namespace pmtwin::replay
