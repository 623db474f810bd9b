// A pool of worker threads over a FIFO queue of requests, resized while it runs.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "middleware/core/request.h"
#include "native/common/changes.h"

namespace pmtwin::middleware {

// What a pool does with its requests, and where.
struct PoolTasks {
  // Carries out a request; `worker` is 0 to 31. Whether answers, of this or of earlier requests, are held back.
  std::function<bool(Request& request, std::size_t worker, bool woken)> serve;
  // Delivers the answers that the worker holds back.
  std::function<void(std::size_t worker)> let_go;
  // A worker goes to sleep or leaves. The queue may be locked meanwhile.
  std::function<void()> idle;
  // Processors of the workers; empty: any. With `one_cpu_each` worker i keeps to processor i % n of them.
  std::vector<int> cpus;
  bool one_cpu_each = false;
};

class WorkerPool {
 public:
  virtual ~WorkerPool() = default;  // when no request is left; ends the threads

  // Any number of threads. A request must not be pushed after the destructor began.
  virtual void push(Request& request) = 0;
  virtual std::size_t queue_length() const = 0;

  // Makes the threads that a resize to so many workers needs, as far as there are too few: after it, that does not throw.
  // Throws std::system_error if one cannot be made.
  virtual void prepare(int workers) = 0;
  // 0 to 32 workers; throws as prepare(). Workers beyond the new size begin no request from now on. One thread at a time.
  virtual void resize(int workers) = 0;
  // Waits until workers that were too many have finished what they did; false if they have not when the deadline has
  // passed. Any thread.
  virtual bool settle(Deadline until = kNoDeadline) = 0;
  // Takes a request off the queue that no worker has taken; nullptr if there is none. Any thread.
  virtual Request* withdraw() = 0;
};

// Names of the queues that a pool can have in this build, in their order.
std::vector<std::string> queue_names();

// A pool without workers. Throws InputError for a name that is not among queue_names().
std::unique_ptr<WorkerPool> make_pool(std::string_view queue, PoolTasks tasks);

}  // namespace pmtwin::middleware
