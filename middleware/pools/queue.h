// Interface of a pool's queue, the one part of a pool that threads contend for.
#pragma once

#include <concepts>
#include <cstddef>

#include "middleware/core/request.h"

namespace pmtwin::middleware {

// Result of a worker's look into its queue.
struct Taken {
  Request* request;  // nullptr: the worker shall leave
  bool woken;        // it slept before
};

// The worker that comes to a queue.
template <class A>
concept Attendant = requires(A attendant) {
  { attendant.leave() } -> std::same_as<bool>;  // whether it shall leave; once it was true the worker is gone
  { attendant.holds() } -> std::same_as<bool>;  // whether it holds answers back that it has not delivered
  attendant.let_go();                           // delivers them; must not be called with a lock of the queue's
  attendant.idle();                             // it is about to sleep
};

// Requests in the order of push. `pop` blocks until there is a request or the attendant shall leave, which is asked
// before each request is taken and after each `wake`; no attendant sleeps with answers. `wake(n)` makes at least n of
// those who sleep ask again (all, if there are fewer). `take` is a pop that does not block: nullptr if there is none.
template <class Q>
concept RequestQueue = requires(Q queue, const Q& constant, Request& request) {
  queue.push(request);
  queue.wake(1);
  { queue.take() } -> std::same_as<Request*>;
  { constant.size() } -> std::convertible_to<std::size_t>;
};

}  // namespace pmtwin::middleware
