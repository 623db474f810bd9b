// What a pool asks of its queue, the one part of it that threads fight over.
#pragma once

#include <concepts>
#include <cstddef>

#include "middleware/core/request.h"

namespace pmtwin::middleware {

// What a worker brings home from its queue.
struct Taken {
  Request* request;  // nullptr: the worker shall leave
  bool woken;        // it slept before
};

// Requests in the order of push. `pop(leave, idle)` blocks until there is a request or `leave()` is true; leave() is
// asked before each request is taken and after each `wake`, and once it was true the worker is gone. `idle()` is
// called before each sleep. `wake(n)` makes at least n of the sleeping workers ask leave() again (all, if there are
// fewer).
template <class Q>
concept RequestQueue = requires(Q queue, const Q& constant, Request& request) {
  queue.push(request);
  { queue.pop([] { return true; }, [] {}) } -> std::same_as<Taken>;
  queue.wake(1);
  { constant.size() } -> std::convertible_to<std::size_t>;
};

}  // namespace pmtwin::middleware
