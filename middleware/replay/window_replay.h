// Offers the requests of a trace to a middleware window by window, with the twin's rules (sim/middleware.py,
// `WindowSpec`): so many synchronous clients per class, each request at its time in the trace if a client is ready, and
// no more of the trace than a window releases. Clients are not threads of their own: a client's next request is
// submitted by the worker that answered it, or, if it is not due yet, by a pacing thread of its class.
#pragma once

#include <array>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <queue>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "middleware/core/middleware.h"
#include "middleware/core/patience.h"
#include "middleware/replay/key_space.h"
#include "middleware/replay/outstanding_mean.h"

namespace pmtwin::replay {

using middleware::Mode;
using middleware::Nanoseconds;

// One request of a trace: its gap after the one before, the size of its value, and whether it writes.
struct Offered {
  double gap_ns;
  std::uint32_t bytes;
  bool is_write;
};

// One window, request by request as they were answered.
struct Window {
  std::vector<double> latency_ns;  // from submission to answer
  std::vector<std::uint8_t> classes;
  double start = 0, end = 0;       // ns on the engine's clock
  std::array<double, middleware::kModes> waited_ns{};  // in queue, summed
  double mean_outstanding = 0;                         // requests in the middleware, as it counts them itself
  std::uint64_t failed = 0;                            // answered with anything but ok
  bool paused = false;                                 // began after a pause, with an empty system
};

using middleware::Stalled;

class WindowReplay {
 public:
  // `middleware` must run, over `engine` or something that slows it down; values are put into `engine` before they are
  // asked for. `client_wakeup`: from an answer to the client's readiness, besides what the machine itself takes.
  WindowReplay(middleware::Middleware& middleware, middleware::Engine& engine, std::size_t keys,
               Nanoseconds client_wakeup);
  ~WindowReplay();  // stops, after the answers to what has been submitted
  WindowReplay(const WindowReplay&) = delete;
  WindowReplay& operator=(const WindowReplay&) = delete;

  // From now on, so many clients; closed: they send at once, without a trace's times and without a budget. Surplus
  // clients leave when they are idle. Drops what of the trace has not been submitted; the window begins anew.
  void set_class(Mode mode, int clients, bool closed);

  // The requests that follow in the trace of a class.
  void append(Mode mode, std::span<const Offered> requests);
  std::size_t ahead(Mode mode) const;  // of the trace, not submitted yet

  // Releases requests of the trace and returns when `completions` have been answered since the last window's end.
  // Windows follow one another without a pause: as one ends, the next begins with the same release, which the next call
  // corrects. If that one ends too before the call, the clients wait for it, and the window after it is `paused`.
  // `patience`: throws Stalled after so long without an answer. `interrupted` is asked now and then; when it is true,
  // returns nothing.
  std::optional<Window> run(std::size_t completions, std::array<std::int64_t, middleware::kModes> release,
                            std::chrono::milliseconds patience, bool (*interrupted)());

  std::array<std::int64_t, middleware::kModes> outstanding() const;
  std::array<std::int64_t, middleware::kModes> unreleased() const;

 private:
  struct Client {
    middleware::Request request;
    WindowReplay* replay;
    std::vector<char> target;
  };
  struct Class {
    bool closed = true;
    std::int64_t budget = 0;
    int surplus = 0;
    std::int64_t outstanding = 0;
    double due = 0;
    std::uint64_t number = 0;
    std::deque<Offered> trace;
    using Ready = std::pair<Nanoseconds, Client*>;
    std::priority_queue<Ready, std::vector<Ready>, std::greater<>> ready;
    std::vector<std::unique_ptr<Client>> clients;
    std::condition_variable changed;
    std::thread pacer;
  };

  static void answered(middleware::Request& request, void* context) noexcept;
  void on_answer(Client& client);
  void pace(Mode mode);
  bool may_submit(const Class& of) const;
  void take_next(Mode mode, Client& client);  // of the trace, with the lock held
  void release(std::size_t mode, std::int64_t requests);
  void catch_up(Nanoseconds now);
  void begin_window(Nanoseconds now, bool paused);
  void begin_unasked(Nanoseconds now, bool paused);
  void finish_window();

  middleware::Middleware& middleware_;
  KeySpace keys_;
  const Nanoseconds client_wakeup_;
  const bool real_time_;

  mutable std::mutex mutex_;
  std::condition_variable window_done_;
  std::array<Class, middleware::kModes> classes_;
  bool stopping_ = false;

  std::size_t completions_ = 0;  // that end a window
  std::array<std::int64_t, middleware::kModes> last_release_{};
  Window window_;
  std::deque<Window> finished_;  // at most two: one that run() waited for, and the one after it
  bool unasked_ = false;  // the window that runs was begun without a call of run()
  bool resting_ = true;   // no window runs and nothing is submitted: before the first call, or it came too late
  std::uint64_t answers_ = 0;

  std::int64_t in_system_ = 0;
  OutstandingMean outstanding_mean_;
};

}  // namespace pmtwin::replay
