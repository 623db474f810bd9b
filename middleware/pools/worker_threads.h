// The threads of a pool: how many may work, and where those wait that may not.
#pragma once

#include <array>
#include <atomic>
#include <functional>
#include <thread>
#include <vector>

#include "middleware/core/pools.h"
#include "native/common/changes.h"

namespace pmtwin::middleware {

// A thread is made when it is first wanted and kept until the end: growing again costs a wake-up instead of a thread.
// Which one leaves is decided by who first asks: with a count, and not with a number for each thread, a pool never has a
// request more in progress than it may, and never waits for one certain thread.
class WorkerThreads {
 public:
  // `work(worker)` runs in a thread each time it comes in; it returns once may_leave() was true.
  WorkerThreads(std::function<void(std::size_t worker)> work, std::vector<int> cpus, bool one_cpu_each);
  ~WorkerThreads();  // all must have left

  // Makes threads for so many workers, who do not come in yet. Throws std::system_error if one cannot be made, or not be
  // put on its processors.
  void prepare(int workers);

  // How many may work: 0 to 32. Brings in who is wanted; who is too many must be made to ask. Throws as prepare(), which
  // it calls; nothing has changed then. One thread at a time.
  void set_wanted(int workers);

  // Whether the calling worker shall leave now; true at most as often as there are too many.
  bool may_leave();

  // Waits until no more are at work, those included that leave, than are wanted; false if they are when the deadline
  // has passed. Any thread.
  bool settle(Deadline until = kNoDeadline) const;

 private:
  enum : std::uint32_t { kOut, kIn, kEnd };
  struct Place {
    std::thread thread;
    std::atomic<std::uint32_t> state = kOut;
  };

  static void end(Place& place);
  void bring_in();
  void live(std::size_t worker);

  const std::function<void(std::size_t)> work_;
  const std::vector<std::vector<int>> cpus_;  // of worker i: those at i % n; none: any
  std::atomic<int> wanted_ = 0;
  std::atomic<int> working_ = 0;  // and have not been told to leave
  std::atomic<int> inside_ = 0;   // of `work`
  Changes changes_;               // of what settle() waits for
  std::size_t threads_ = 0;       // of the first places
  std::array<Place, kMostWorkers> places_;
};

}  // namespace pmtwin::middleware
