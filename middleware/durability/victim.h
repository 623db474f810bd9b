// A process to be killed.
#pragma once

#include <sys/types.h>

#include <functional>

namespace pmtwin::middleware {

// A child that runs `work` until it is killed; it ends with its parent.
class Victim {
 public:
  explicit Victim(const std::function<void()>& work);  // throws std::system_error if no child can be made

  // By SIGKILL; returns when it is gone. Whether it still ran.
  bool kill_now();

 private:
  const pid_t child_;
};

}  // namespace pmtwin::middleware
