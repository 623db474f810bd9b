// Clients without a middleware: threads that call the store themselves, so many at once. A request that finds all of
// them busy waits, first come, first served. A client that thinks has no thread: only accesses take time on a processor.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "middleware/core/request.h"

namespace pmtwin::middleware {

class ClientThreads {
 public:
  // `access` carries out a request in a thread that took it, at once or after having slept (`woken`). `idle`: a thread
  // is about to sleep; the queue may be locked meanwhile.
  ClientThreads(std::function<void(Request& request, bool woken)> access, std::function<void()> idle);
  ~ClientThreads();  // when no request waits and none will be pushed; lets the threads finish what they do

  // For a store that is taken for stuck, instead of waiting for it: threads that are in `access` are left to themselves
  // and end when they come back. What `access` uses after the store must stay in place until then. Requests that wait
  // stay undone, and none may be pushed any more; how many they were. From then on no thread takes one.
  std::size_t abandon();

  // No fewer threads than that from now on. Throws std::system_error if one cannot be made. One thread at a time.
  void grow_to(int threads);

  // Any number of threads, those of the clients included.
  void push(Request& request);
  std::size_t waiting() const;

 private:
  struct Shared;  // with the threads, which may outlive this

  void end();

  const std::shared_ptr<Shared> shared_;
  std::vector<std::thread> threads_;
};

}  // namespace pmtwin::middleware
