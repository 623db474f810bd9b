// Offers the requests of a trace to a middleware window by window, with the twin's rules (scenarios/nvm_middleware/model/middleware.py,
// `WindowSpec`): so many synchronous clients per class, each request at its time in the trace if a client is ready, and
// no more of the trace than a window releases. Clients are not threads of their own, but where there is no middleware:
// what is due is submitted by the workers, each time that they have answered a request, and by a pacing thread of its
// class, for what comes due between two answers.
#pragma once

#include <array>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <thread>

#include "middleware/core/middleware.h"
#include "middleware/core/patience.h"
#include "middleware/load/client_threads.h"
#include "middleware/replay/key_space.h"
#include "middleware/replay/occupancy.h"
#include "middleware/replay/trace_clients.h"
#include "middleware/replay/window.h"

namespace pmtwin::replay {

using middleware::Mode;
using middleware::Stalled;

class WindowReplay {
 public:
  // `middleware` must run, over `engine` or something that slows it down; values are put into `engine` before they are
  // asked for. `client_wakeup`: from an answer to the client's readiness, besides what the machine itself takes.
  // `most_accesses`: of a middleware in direct mode, by so many clients at once; others wait for their turn.
  WindowReplay(middleware::Middleware& middleware, middleware::Engine& engine, std::size_t keys,
               Nanoseconds client_wakeup, int most_accesses = 0);

  // Stops, after the answers to what has been submitted. Where none came for as long as the middleware's
  // Options::patience, it abandons the middleware, and leaves in place what the store may still use.
  ~WindowReplay();
  WindowReplay(const WindowReplay&) = delete;
  WindowReplay& operator=(const WindowReplay&) = delete;

  // From now on, so many clients; closed: they send at once, without a trace's times and without a budget. Surplus
  // clients leave when they are idle. Drops what of the trace has not been submitted; the window begins anew. Throws
  // InputError for fewer than none.
  void set_class(Mode mode, int clients, bool closed);

  // Speed of a class over its trace's stated one, from the next gap on. Throws InputError unless above 0.
  void set_pace(Mode mode, double pace);

  // The requests that follow in the trace of a class; their values are stored first, which throws as KeySpace::prepare.
  void append(Mode mode, std::span<const Offered> requests);
  std::size_t ahead(Mode mode) const;  // of the trace, not submitted yet

  // Releases requests of the trace and returns when `completions` have been answered since the last window's end.
  // Windows follow one another without a pause: as one ends, the next begins with the same release, which the next call
  // corrects. If that one ends too before the call, the clients wait for it, and the window after it is `paused`.
  // Returns nothing if interrupted; throws Stalled, also if the middleware was stopped: the next call begins anew.
  std::optional<Window> run(std::size_t completions, std::array<std::int64_t, middleware::kModes> release,
                            const middleware::Patience& patience);

  std::array<std::int64_t, middleware::kModes> outstanding() const;
  std::array<std::int64_t, middleware::kModes> unreleased() const;

 private:
  struct Class : TraceClients {
    std::int64_t outstanding = 0;
    std::uint64_t number = 0;  // of the next request
    std::condition_variable changed;
    std::thread pacer;
  };

  // -- pacing.cpp: what is submitted when
  static void answered(middleware::Request& request, void* context) noexcept;
  void on_answer(Client& client, std::unique_lock<std::mutex>& lock);
  void refuse();
  void pace(Class& of);
  Client* take_due(Nanoseconds now);
  Client& take_next(Class& of);
  void send(Client& client);
  void count(Nanoseconds now);

  // -- window_replay.cpp: with the lock held
  bool may_submit(Class& of) { return !stopping_ && !resting_ && of.may_ask(); }
  std::unique_ptr<Client> make_client(Mode mode);
  void release(Class& of, std::int64_t requests);
  void catch_up(Nanoseconds now);
  void begin_window(Nanoseconds now, bool paused);
  void begin_unasked(Nanoseconds now, bool paused);
  void finish_window();
  void leave_all_behind(std::unique_lock<std::mutex>& lock);

  middleware::Middleware& middleware_;
  KeySpace keys_;
  const Nanoseconds client_wakeup_;
  const bool real_time_;
  const int most_accesses_;

  const std::shared_ptr<Here> here_;
  std::mutex& mutex_;  // of here_
  std::condition_variable window_done_;
  std::array<Class, middleware::kModes> classes_;
  bool stopping_ = false;

  std::size_t completions_ = 0;  // that end a window
  std::array<std::int64_t, middleware::kModes> last_release_{};
  Window window_;
  std::deque<Window> finished_;  // at most two: one that run() waited for, and the one after it
  bool unasked_ = false;  // the window that runs was begun without a call of run()
  bool resting_ = true;   // no window runs and nothing is submitted: before the first call, or it came too late
  bool refused_ = false;  // the middleware was stopped
  std::uint64_t answers_ = 0;

  std::int64_t in_system_ = 0;
  int answering_ = 0;  // threads in on_answer()
  Occupancy occupancy_;

  std::unique_ptr<middleware::ClientThreads> threads_;  // without a middleware; last: they use the rest
};

}  // namespace pmtwin::replay
