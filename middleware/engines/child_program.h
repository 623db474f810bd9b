// Work that may kill or hang the process that does it, done by another program. A fork would not do: the process may
// have threads, and what they hold locked stays locked in a fork for ever.
#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace pmtwin::middleware {

// End of the program.
struct ChildOutcome {
  bool began;        // it came as far as its ChildReport
  bool answered;     // and came to its end
  std::string text;  // its answer; or how it ended instead: "ended with SIGBUS", "made no progress for 50 ms"
};

// Runs a program, looked for in PATH if its name has no slash, which speaks through a ChildReport. It may work as long
// as it tells of progress often: only without a word for `patience` is it given up. It is gone when this returns.
// Signals that are meant to end this process (SIGINT, ...) do not end it. Throws std::system_error if it cannot be
// started, and what ends long work of this thread (Interruptible): the program is gone then too.
ChildOutcome run_child(const std::string& program, const std::vector<std::string>& arguments,
                       std::chrono::milliseconds patience);

}  // namespace pmtwin::middleware
