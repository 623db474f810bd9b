// Clients without a middleware: threads that call the store themselves, so many at once. A request that finds all of
// them busy waits, first come, first served. A client that thinks has no thread: only accesses take time on a processor.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <thread>
#include <vector>

#include "middleware/core/request.h"
#include "middleware/pools/handoff_queue.h"

namespace pmtwin::middleware {

class ClientThreads {
 public:
  // `access` carries out a request in a thread that took it, at once or after having slept (`woken`). `idle`: a thread
  // is about to sleep; the queue may be locked meanwhile.
  ClientThreads(std::function<void(Request& request, bool woken)> access, std::function<void()> idle);
  ~ClientThreads();  // when no request waits and none will be pushed; lets the threads finish what they do

  // No fewer threads than that from now on. Throws std::system_error if one cannot be made. One thread at a time.
  void grow_to(int threads);

  // Any number of threads, those of the clients included.
  void push(Request& request) { queue_.push(request); }
  std::size_t waiting() const { return queue_.size(); }

 private:
  void live();

  const std::function<void(Request&, bool)> access_;
  const std::function<void()> idle_;
  std::atomic<bool> ending_ = false;
  HandoffQueue queue_;
  std::vector<std::thread> threads_;  // last: they use the rest
};

}  // namespace pmtwin::middleware
