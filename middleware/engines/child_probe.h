// Trying in a child process what may kill or hang the process that does it.
#pragma once

#include <chrono>
#include <functional>
#include <string>

namespace pmtwin::middleware {

// What became of an attempt.
struct ChildOutcome {
  bool answered;     // the attempt came to its end
  std::string text;  // what it returned; or how the child ended instead: "ended with SIGBUS", "made no progress for 50 ms"
};

using Progress = std::function<void()>;

// Calls `attempt` in a child, which may work as long as it calls its argument often: only without a call, or an end,
// for `patience` is it given up. The child is gone when this returns. Throws std::system_error if none can be made.
ChildOutcome try_in_child(const std::function<std::string(const Progress&)>& attempt,
                          std::chrono::milliseconds patience);

}  // namespace pmtwin::middleware
