// What may kill the process that does it, for tests of one thread.
#pragma once

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <functional>
#include <string>

namespace pmtwin::middleware::testing {

// What `work` returns in a fork of this process, which it may change or kill; or how that died: "ended with SIGBUS".
// What hangs ends with SIGALRM.
inline std::string forked(const std::function<std::string()>& work) {
  int ends[2];
  if (pipe(ends) != 0) return "no pipe";
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);
    for (const int sign : {SIGSEGV, SIGBUS, SIGABRT}) signal(sign, SIG_DFL);  // a sanitizer handles them
    const std::string said = work();
    _exit(write(ends[1], said.data(), said.size()) == static_cast<ssize_t>(said.size()) ? 0 : 1);
  }
  close(ends[1]);
  char buffer[4096];
  const ssize_t bytes = read(ends[0], buffer, sizeof buffer);
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFSIGNALED(status)) return std::string("ended with SIG") + sigabbrev_np(WTERMSIG(status));
  return bytes < 0 ? "said nothing" : std::string(buffer, static_cast<std::size_t>(bytes));
}

}  // namespace pmtwin::middleware::testing
