// What an engine may want to know of a request's way through the middleware: an emulated machine spends its (virtual)
// CPU time here, and must know which threads still act and which wait.
#pragma once

#include "middleware/core/pools.h"
#include "middleware/core/request.h"

namespace pmtwin::middleware {

class RequestHooks {
 public:
  virtual ~RequestHooks() = default;

  // Pools now have these sizes; at start and at every resize, before it takes effect.
  virtual void resized(Pools pools) { (void)pools; }

  // By the client's thread: the request has its stamp `submitted` and is about to be queued.
  virtual void submitted(Request& request) { (void)request; }

  // By the same thread: the request is queued, and may be its client's again. Not where there is no queue.
  virtual void queued() {}

  // By the thread that stops the middleware: the request is off its queue again, and will be refused.
  virtual void withdrawn(Request& request) { (void)request; }

  // By the worker's thread, before the operation: it took the request, at once or after having been idle (`woken`).
  // May block for the CPU time of the hand-off. `started` has been stamped.
  virtual void dispatched(Request& request, bool woken) {
    (void)request;
    (void)woken;
  }

  // By the worker's thread, after the operation and before the client learns of it; `completed` is stamped after it.
  virtual void completed(Request& request) { (void)request; }

  // By the worker's thread: its queue is empty and it goes to sleep, or it leaves its pool.
  virtual void idle(Mode mode) { (void)mode; }
};

}  // namespace pmtwin::middleware
