#pragma once
// The twin's clients over the real middleware: synchronous clients that replay a trace in virtual time, in windows, as
// `sim/engines` has them and with the same random numbers, so that request i of a class is the same one there and here.
// They have no threads, but where there is no middleware: the emulated machine's own thread submits for them.

#include <algorithm>
#include <array>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "middleware/core/middleware.h"
#include "middleware/core/patience.h"
#include "middleware/load/client_threads.h"
#include "middleware/emulation/machine.h"
#include "middleware/replay/occupancy.h"

namespace pmtwin::emulation {

// Requests of the trace that a window releases, and completions that end it; what is in flight is carried over.
struct WindowPlan {
  std::uint64_t completions = 0;
  std::array<std::int64_t, kClasses> release{};  // of no meaning for a class in closed loop
};

struct WindowResult {
  double start_ns = 0, end_ns = 0;                          // virtual
  std::array<std::vector<double>, kClasses> latency_ns{};  // from submission to answer, in order of the answers
  std::array<double, kClasses> waited_ns{};                // in the queue, summed
  std::uint64_t failed = 0;
  double counted = 0, stamped = 0;  // requests in the system on average, see replay::Occupancy
};

class ReplayClients {
 public:
  // The middleware must be started over an EmulatedEngine of this machine, whose time must be paused, and the store be
  // filled with fill_store().
  ReplayClients(middleware::Middleware& middleware, Machine& machine);

  // Waits until all is answered, as requests are theirs. Where nothing was answered for as long as the middleware's
  // Options::patience, and nothing was to happen that could have brought an answer, it abandons the middleware.
  ~ReplayClients();

  // Another phase begins under the machine's present table: the trace goes on with its requests, new clients come, and
  // surplus ones leave as soon as they are idle. Between two windows.
  void begin_phase();

  // Speed of each class over its trace's stated one, from the next gap on. Above 0. Between two windows.
  void set_pace(const std::array<double, kClasses>& pace);

  // Lets one window pass; the machine's time is paused before and after it. Nothing if interrupted: the window ended
  // there. Throws Stalled if no answer came for as long as `patience` has, though nothing was to happen that could
  // have brought one.
  std::optional<WindowResult> run_window(const WindowPlan& plan, const middleware::Patience& patience);

 private:
  struct Client {
    middleware::Request request;
    std::array<char, 32> key{};
    std::vector<char> buffer;
    ReplayClients* owner = nullptr;
    int class_index = 0;
    double ready = 0;
    middleware::Nanoseconds entered = 0, asked = 0;  // when it had its request; when its latency begins
  };
  struct Class {
    std::deque<Client> all;
    std::deque<Client*> ready;  // in order of the times at which they are
    std::vector<Client*> gone;
    int clients = 0;
    int retiring_clients = 0;  // to leave with their next answer
    double gap_factor = 1;     // on the trace's gaps: the inverse of the pace
    std::int64_t budget = 0;
    double next_arrival_ns = 0;  // of the next request in the trace
    std::uint64_t submitted = 0;
    std::uint64_t scheduled = 0;  // submissions that have been asked for; only the last one counts
    bool waiting = false;         // for a submission

    double next_at() const { return std::max(ready.front()->ready, next_arrival_ns); }  // if a client is ready
  };

  // For timers, which outlive the clients.
  struct Here {
    std::mutex mutex;
    ReplayClients* clients = nullptr;
  };

  static void on_answer(middleware::Request& request, void* client) noexcept;
  void open(const WindowPlan& plan);
  void close();
  void join(int c, int count);
  void leave(int c, int count);
  void schedule(int c);
  void submit_due(int c, std::uint64_t scheduled, double at);
  Client& take_next(int c);
  void answered(Client& client);
  void count(middleware::Nanoseconds now);
  void submit(Client& client);
  double paced_gap(int c) const;
  template <class Done>
  bool await(std::unique_lock<std::mutex>& lock, const middleware::Patience& patience, Done done);

  middleware::Middleware& middleware_;
  Machine& machine_;
  const std::shared_ptr<Here> here_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::array<Class, kClasses> classes_;
  std::deque<std::string> values_;  // the last is written; requests on their way may hold those before
  WindowResult window_;
  std::uint64_t left_ = 0;  // completions of the window
  std::uint64_t outstanding_ = 0, answers_ = 0;
  replay::Occupancy occupancy_;
  bool open_ = false, closing_ = false;
  std::unique_ptr<middleware::ClientThreads> threads_;  // without a middleware; last: they use the rest
};

// Bytes of the largest value of a class.
std::size_t most_bytes(const ServiceTable& table, int class_index);

// Puts a value of every size that the table's requests read. Throws EngineError if the store takes one not.
void fill_store(middleware::Engine& store, const ServiceTable& table);

}  // namespace pmtwin::emulation
