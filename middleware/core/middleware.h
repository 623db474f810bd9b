// The NVM Middleware of the thesis (chapter 3): a request handler with a FIFO queue and a pool of workers for each of
// two classes, over a key-value store.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "middleware/core/answer_board.h"
#include "middleware/core/pools.h"
#include "middleware/core/request.h"
#include "middleware/core/window.h"
#include "middleware/engines/engine.h"

namespace pmtwin::middleware {

class HeldAnswers;
class Monitor;
class Periodically;
class WorkerPool;

struct Options {
  std::string queue = "handoff";            // one of queue_names(); see pools/worker_pool.h
  bool direct = false;                      // no middleware: clients call the engine themselves
  std::chrono::nanoseconds window = std::chrono::seconds(1);  // of the monitoring thread; 0: close_window() only
  std::array<std::vector<int>, kModes> cpus{};  // processors of each pool's workers; empty: wherever the kernel puts them
  std::array<std::optional<int>, kModes> nodes{};  // the same by NUMA node: all processors of it that this process may use
  bool one_cpu_each = false;                // worker i of a pool on its processor i % n only, not on any of them
};

// Whether a resize waits until workers that are too many have finished their requests and left.
enum class Settling { kWait, kGoOn };

class Middleware {
 public:
  // Throws InputError for an unknown queue, and for processors or nodes that this process may not use.
  explicit Middleware(Options options = {});
  ~Middleware();  // stops
  Middleware(const Middleware&) = delete;
  Middleware& operator=(const Middleware&) = delete;

  // -- system (Table 3.1). start and stop are for one thread; all else for any number of them.

  // Starts both pools and the monitoring over a store, which is kept until stop(). Throws InputError for pools out of
  // range or if it already runs, and std::system_error if a thread cannot be made: it does not run then.
  void start(std::shared_ptr<Engine> database, int interactive_threads, int batch_threads);

  // Answers what has been submitted, then stops pools and monitoring and lets go of the store. Requests that come
  // later are answered with kStopped.
  void stop();

  // Copies the value to `target`; `bytes`: its size, also if it does not fit (kBufferTooSmall).
  Status get(std::string_view key, std::span<char> target, std::size_t& bytes, Mode mode);
  // A string grows as it must; kBufferTooSmall: there was no memory.
  Status get(std::string_view key, std::string& value, Mode mode);
  Status put(std::string_view key, std::string_view value, Mode mode);
  Status remove(std::string_view key, Mode mode);

  // Queues a request and returns; its answer comes through `on_answer`, or is waited for with wait(). In direct mode it
  // is carried out before this returns.
  void submit(Request& request);

  // Blocks until a submitted request without `on_answer` is answered; its status.
  Status wait(Request& request);

  // -- the learning agent (Tables 3.1 to 3.3)

  WindowStats get_stats() const;  // of the last window
  State get_state() const;

  // Carries out an action of Table 3.3, within 1 to 32 threads a pool; the pools. Throws as resize().
  Pools perform_action(int action, Settling settling = Settling::kWait);

  // Sets both pools. From now on, no more workers than that begin a request, and no request is lost. Throws
  // InputError, also if it does not run, and std::system_error if a thread cannot be made; the pools are as before then.
  void resize(Pools pools, Settling settling = Settling::kWait);

  // Ends the window now, or at a stamp of the engine's clock, and begins the next; what it showed.
  WindowStats close_window();
  WindowStats close_window(Nanoseconds end);

  // -- what else there is to know

  Pools pools() const;
  std::array<std::uint64_t, kModes> queue_lengths() const;  // requests that wait now
  // Requests submitted and not counted as answered: that follows the answer, so that a client may have its answer and
  // for a moment find its request counted still.
  std::uint64_t outstanding() const { return outstanding_.load(std::memory_order_relaxed); }
  const Clock& clock() const { return *clock_.load(std::memory_order_acquire); }
  const Options& options() const { return options_; }

 private:
  bool serve(Request& request, std::size_t worker, bool woken);
  void answer_held(std::size_t worker);
  void refuse(Request& request);
  void deliver(Request& request);
  AnswerBoard& board_of(const Request& request) { return boards_[static_cast<std::size_t>(request.mode)]; }
  void lower(std::atomic<std::uint64_t>& count, std::uint64_t by);
  Status ask(Request& request);
  // With control_ locked.
  void set_pools(Pools pools);
  void prepare(Pools pools, RequestHooks* hooks);
  void size_pools(Pools pools);
  void settle(Settling settling);

  const Options options_;
  std::shared_ptr<Engine> engine_;
  RequestHooks* hooks_ = nullptr;
  std::atomic<const Clock*> clock_{&steady_clock()};
  std::array<std::unique_ptr<WorkerPool>, kModes> workers_;
  std::array<AnswerBoard, kModes> boards_;
  std::vector<HeldAnswers> held_;  // of each worker
  std::unique_ptr<Monitor> monitor_;
  std::unique_ptr<Periodically> watch_;
  std::atomic<std::uint64_t> outstanding_ = 0;
  std::atomic<std::uint64_t> visitors_ = 0;  // who need the engine besides, until they have gone on
  std::atomic<bool> running_ = false;
  mutable std::mutex control_;  // of pools and windows
  Pools pools_{kLeastWorkers, kLeastWorkers};
};

}  // namespace pmtwin::middleware
