#pragma once
// Which threads still act at the present instant of virtual time. As long as one does, what it does next belongs to this
// instant, and virtual time waits for it: however late the real machine lets it run, its stamps are right.
//
// Workers always come back: they take a request or become idle. A client's thread may do something else for good; the
// machine therefore waits for clients for a short while only.

#include <algorithm>
#include <array>
#include <cstdint>

#include "middleware/emulation/service_table.h"

namespace pmtwin::emulation {

class Acting {
 public:
  void pool_is(int c, int workers) { pool_[c] = workers; }

  // Requests on their way to a worker, and workers that are not idle.
  void queued(int c) { ++queued_[c]; }
  void taken(int c) { lower(queued_[c]); }
  void worker_comes(int c) { ++workers_[c]; }
  void worker_rests(int c) { lower(workers_[c]); }

  // A worker has its request's end, or looks for the next one; a client has slept enough, or has its answer.
  void begins(bool worker) { ++(worker ? acting_workers_ : acting_clients_); }
  void ends(bool worker) { lower(worker ? acting_workers_ : acting_clients_); }

  // A client that waits for its answer gets it; it has been heard of since.
  void answered() { ++answers_; }
  void heard() { lower(answers_); }

  // The user holds time still.
  void pause() { ++pauses_; }
  void resume() { lower(pauses_); }

  bool paused() const { return pauses_ > 0; }
  bool workers() const { return acting_workers_ > 0 || handing_over(0) || handing_over(1); }
  bool clients() const { return acting_clients_ > 0 || answers_ > 0; }
  bool any() const { return workers() || clients() || paused(); }

  // Threads that seem not to come back are no longer waited for.
  void give_up_clients() { acting_clients_ = answers_ = 0; }
  void give_up_workers() {
    acting_workers_ = 0;
    queued_ = {};
  }

 private:
  static void lower(std::int64_t& count) { count = std::max<std::int64_t>(count - 1, 0); }

  // A request waits although there is an idle worker: it is being woken.
  bool handing_over(int c) const { return queued_[c] > 0 && workers_[c] < pool_[c]; }

  std::array<std::int64_t, kClasses> queued_{}, workers_{}, pool_{};
  std::int64_t acting_workers_ = 0, acting_clients_ = 0, answers_ = 0, pauses_ = 0;
};

}  // namespace pmtwin::emulation
