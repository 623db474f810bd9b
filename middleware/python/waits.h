// Waits of Python's threads that have an end, and that a signal's handler in Python may end by throwing.
#pragma once

#include <algorithm>
#include <chrono>
#include <optional>

#include "middleware/core/middleware.h"
#include "middleware/python/windows.h"
#include "native/common/changes.h"

namespace pmtwin::python {

using Timeout = std::optional<double>;  // seconds; none: for ever

// Throws InputError for what is no time.
std::chrono::nanoseconds nanoseconds_of(const char* field, double seconds);
inline std::chrono::nanoseconds nanoseconds_of(const Timeout& timeout) {
  return timeout ? nanoseconds_of("timeout_s", *timeout) : std::chrono::nanoseconds::max();
}

// Whether passed(deadline), which waits until then at most, was true in time. With the interpreter's lock, which is
// released meanwhile.
template <class Passed>
bool wait(const Timeout& timeout, Passed passed) {
  constexpr auto kSlice = std::chrono::milliseconds(50);
  const Deadline until = deadline_in(nanoseconds_of(timeout));
  for (;;) {
    if (unlocked([&] { return passed(std::min(until, deadline_in(kSlice))); })) return true;
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
    if (std::chrono::steady_clock::now() >= until) return false;
  }
}

// Whether workers that were too many have left in time.
inline bool settle(middleware::Middleware& middleware, const Timeout& timeout) {
  return wait(timeout, [&](Deadline until) { return middleware.settle(until - std::chrono::steady_clock::now()); });
}

// Wait after the pools have been set, which no end of the wait takes back.
inline bool resize(middleware::Middleware& middleware, middleware::Pools pools, const Timeout& timeout) {
  nanoseconds_of(timeout);  // throws before anything is done
  unlocked([&] { middleware.resize(pools, middleware::Settling::kGoOn); });
  return settle(middleware, timeout);
}

}  // namespace pmtwin::python
