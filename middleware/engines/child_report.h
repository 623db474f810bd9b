// The other end of run_child(), in the program that it started.
#pragma once

#include <chrono>
#include <string>

namespace pmtwin::middleware {

// What is written: kChildAlive once or more, kChildAnswer, the text, kChildEnd. Whether the program came to its end is
// read from that alone, since its exit status may be lost: to an ignored SIGCHLD, or to another thread that waits for
// any child.
constexpr char kChildAlive = '.', kChildAnswer = ':', kChildEnd = '\n';

class ChildReport {
 public:
  // Says that the program has begun, and makes it end with the process that started it, without a dump of its memory.
  // Standard output is the report's from then on: what else is printed there goes to standard error.
  explicit ChildReport(std::chrono::milliseconds patience);
  ChildReport(const ChildReport&) = delete;
  ChildReport& operator=(const ChildReport&) = delete;

  // To be called often.
  void progress();

  // Says it and ends the program; nothing is flushed or destroyed.
  [[noreturn]] void answer(const std::string& text);

 private:
  void write_all(const std::string& text) const;

  const std::chrono::milliseconds patience_;
  const int result_;
  std::chrono::steady_clock::time_point told_;
};

}  // namespace pmtwin::middleware
