// The NVM Middleware of the thesis (chapter 3): a request handler with a FIFO queue and a pool of workers for each of
// two classes, over a key-value store.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "middleware/core/options.h"
#include "middleware/core/pools.h"
#include "middleware/core/request.h"
#include "middleware/core/stopped.h"
#include "middleware/core/window.h"
#include "middleware/engines/engine.h"
#include "native/common/changes.h"

namespace pmtwin::middleware {

class Periodically;
class RequestHandler;

// Whether a resize waits until workers that are too many have finished their requests and left.
enum class Settling { kWait, kGoOn };

class Middleware {
 public:
  // Throws InputError for an unknown queue, for negative times, and for processors or nodes that this process may not use.
  explicit Middleware(Options options = {});

  // Stops. Where the engine gives back no request for as long as Options::patience, it abandons them instead: says so in
  // a line on standard error, and leaves the store and the threads that are in it as they are until the process ends.
  ~Middleware();
  Middleware(const Middleware&) = delete;
  Middleware& operator=(const Middleware&) = delete;

  // -- system (Table 3.1). All for any number of threads; only the destructor must come after everything else.

  // Starts both pools and the monitoring over a store, which is kept until stop(). Throws InputError for pools out of
  // range or if it already runs or still stops, and std::system_error if a thread cannot be made, or not
  // be put on its processors: it does not run then.
  void start(std::shared_ptr<Engine> database, int interactive_threads, int batch_threads);

  // Answers what has been submitted, then stops pools and monitoring and lets go of the store. Requests that come
  // later are answered with kStopped. It takes as long as the engine does, which may be for ever.
  void stop();

  // The same with an end: after so long, requests that no worker has begun are answered with kStopped, and what is in
  // the engine is told. That may still be answered; stop again to wait for it. `interrupted`, asked now and then, ends the
  // time early.
  Stopped stop(std::chrono::nanoseconds timeout, bool (*interrupted)() = nullptr);

  // For an engine that is taken for stuck: stop() without any wait. What is in the engine will never be answered (who
  // waits for it, waits for ever), and its key, value and buffer must stay in place for good: the engine may still use
  // them. In direct mode, where clients are in the engine themselves, they are answered when they come back.
  Stopped abandon();

  // Copies the value to `target`; `bytes`: its size, also if it does not fit (kBufferTooSmall).
  Status get(std::string_view key, std::span<char> target, std::size_t& bytes, Mode mode);
  // A string grows as it must; kBufferTooSmall: there was no memory.
  Status get(std::string_view key, std::string& value, Mode mode);
  Status put(std::string_view key, std::string_view value, Mode mode);
  Status remove(std::string_view key, Mode mode);

  // Queues a request and returns; its answer comes through `on_answer`, or is waited for with wait(). In direct mode it
  // is carried out before this returns, or, where an `on_answer` submits a request with `on_answer`, after that returned.
  void submit(Request& request);

  // Blocks until a submitted request without `on_answer` is answered; its status.
  Status wait(Request& request);

  // -- the learning agent (Tables 3.1 to 3.3)

  WindowStats get_stats() const;  // of the last window
  State get_state() const;

  // Carries out an action of Table 3.3, within 1 to 32 threads a pool; the pools. Throws as resize().
  Pools perform_action(int action, Settling settling = Settling::kWait);

  // Sets both pools. From now on, no more workers than that begin a request, and no request is lost. Throws
  // InputError, also if it does not run, and std::system_error as start(); the pools are as before then.
  void resize(Pools pools, Settling settling = Settling::kWait);

  // Waits for workers that were too many; false if some have not come back in time.
  bool settle(std::chrono::nanoseconds timeout = std::chrono::nanoseconds::max());

  // Ends the window now, or at a stamp of the engine's clock, and begins the next; returns its measures.
  WindowStats close_window(std::optional<Nanoseconds> end = std::nullopt);

  // -- what else there is to know

  Pools pools() const;
  std::array<std::uint64_t, kModes> queue_lengths() const;  // requests that wait now
  // Requests submitted and not counted as answered: that follows the answer, so that a client may have its answer and
  // for a moment find its request counted still.
  std::uint64_t outstanding() const;
  const Clock& clock() const;
  const Options& options() const { return options_; }

 private:
  Status ask(Request& request);
  Stopped stop_until(Deadline until, bool (*interrupted)() = nullptr);
  bool finish(std::unique_lock<std::mutex>& life, Deadline until);
  // With control_ locked.
  void set_pools(Pools pools);
  void prepare(Pools pools, RequestHooks* hooks);

  const Options options_;
  std::unique_ptr<RequestHandler> handler_;
  std::mutex life_;  // of start and stop, but not of what they wait for; locked before control_
  std::unique_ptr<Periodically> watch_;
  bool clients_inside_ = false;  // in direct mode: some were abandoned, and may not have left the handler yet
  mutable std::mutex control_;  // of pools and windows
  Pools pools_{kLeastWorkers, kLeastWorkers};
};

}  // namespace pmtwin::middleware
