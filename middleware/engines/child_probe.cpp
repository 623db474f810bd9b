#include "middleware/engines/child_probe.h"

#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>

namespace pmtwin::middleware {
namespace {

using SteadyTime = std::chrono::steady_clock::time_point;

[[noreturn]] void be_child(int result, const std::function<std::string()>& attempt) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  const struct rlimit no_core {0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  for (const int sign : {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL}) signal(sign, SIG_DFL);
  const std::string said = attempt();
  const char* rest = said.data();
  for (std::size_t left = said.size(); left > 0;) {
    const ssize_t written = write(result, rest, left);
    if (written <= 0) break;
    rest += written;
    left -= static_cast<std::size_t>(written);
  }
  _exit(0);  // nothing of the parent's is flushed or destroyed
}

// Reads until the child closes its end. False if that takes too long.
bool read_all(int result, SteadyTime until, std::string& said) {
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
    struct pollfd ready {result, POLLIN, 0};
    const int events = poll(&ready, 1, static_cast<int>(std::max<std::int64_t>(left.count(), 0)));
    if (events < 0 && errno == EINTR) continue;
    if (events <= 0) return false;
    char buffer[512];
    const ssize_t bytes = read(result, buffer, sizeof buffer);
    if (bytes < 0 && errno == EINTR) continue;
    if (bytes <= 0) return true;
    said.append(buffer, static_cast<std::size_t>(bytes));
  }
}

}  // namespace

std::string try_in_child(const std::function<std::string()>& attempt, std::chrono::milliseconds timeout) {
  int ends[2];
  if (pipe(ends) != 0) throw std::system_error(errno, std::generic_category(), "pipe");
  const auto until = std::chrono::steady_clock::now() + timeout;
  const pid_t child = fork();
  if (child < 0) {
    const int error = errno;
    close(ends[0]);
    close(ends[1]);
    throw std::system_error(error, std::generic_category(), "fork");
  }
  if (child == 0) {
    close(ends[0]);
    be_child(ends[1], attempt);
  }
  close(ends[1]);
  std::string said;
  const bool ended = read_all(ends[0], until, said);
  close(ends[0]);
  if (!ended) kill(child, SIGKILL);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!ended) return "did not end within " + std::to_string(timeout.count()) + " ms";
  if (WIFSIGNALED(status)) return std::string("ended with SIG") + sigabbrev_np(WTERMSIG(status));
  if (WEXITSTATUS(status) != 0) return "ended with exit code " + std::to_string(WEXITSTATUS(status));
  return said;
}

}  // namespace pmtwin::middleware
