#include "middleware/engines/child_probe.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <system_error>

namespace pmtwin::middleware {
namespace {

using std::chrono::milliseconds;
using Steady = std::chrono::steady_clock;

// What the child writes: kAlive any number of times, kAnswer, the text, kEnd. Whether it came to its end is read from
// that alone, since its exit status may be lost: to an ignored SIGCHLD, or to another thread that waits for any child.
constexpr char kAlive = '.', kAnswer = ':', kEnd = '\n';

void write_all(int result, std::string_view rest) {
  while (!rest.empty()) {
    const ssize_t written = write(result, rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) _exit(1);  // nobody reads it any more
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
}

[[noreturn]] void be_child(int result, const std::function<std::string(const Progress&)>& attempt, milliseconds patience) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  const struct rlimit no_core {0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  for (const int sign : {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL}) signal(sign, SIG_DFL);
  auto told = Steady::now();
  const std::string said = attempt([&] {
    const auto now = Steady::now();
    if (now - told < patience / 10) return;
    told = now;
    write_all(result, {&kAlive, 1});
  });
  write_all(result, kAnswer + said + kEnd);
  _exit(0);  // nothing of the parent's is flushed or destroyed
}

// Reads until the child closes its end. False if nothing comes for `patience`.
bool read_all(int result, milliseconds patience, std::string& said) {
  auto until = Steady::now() + patience;
  for (;;) {
    const auto left = std::chrono::ceil<milliseconds>(until - Steady::now());
    struct pollfd ready {result, POLLIN, 0};
    const int events = poll(&ready, 1, static_cast<int>(std::max<std::int64_t>(left.count(), 0)));
    if (events < 0 && errno == EINTR) continue;
    if (events <= 0) return false;
    char buffer[512];
    const ssize_t bytes = read(result, buffer, sizeof buffer);
    if (bytes < 0 && errno == EINTR) continue;
    if (bytes <= 0) return true;
    said.append(buffer, static_cast<std::size_t>(bytes));
    until = Steady::now() + patience;
  }
}

std::string ending(pid_t waited, int status) {
  if (waited < 0) return "ended without an answer";
  if (WIFSIGNALED(status)) return std::string("ended with SIG") + sigabbrev_np(WTERMSIG(status));
  return "ended with exit code " + std::to_string(WEXITSTATUS(status));
}

}  // namespace

ChildOutcome try_in_child(const std::function<std::string(const Progress&)>& attempt, milliseconds patience) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category(), "pipe2");
  const pid_t child = fork();
  if (child < 0) {
    const int error = errno;
    close(ends[0]);
    close(ends[1]);
    throw std::system_error(error, std::generic_category(), "fork");
  }
  if (child == 0) {
    close(ends[0]);
    be_child(ends[1], attempt, patience);
  }
  close(ends[1]);
  std::string said;
  const bool ended = read_all(ends[0], patience, said);
  close(ends[0]);
  if (!ended) kill(child, SIGKILL);
  int status = 0;
  pid_t waited = 0;
  do waited = waitpid(child, &status, 0);
  while (waited < 0 && errno == EINTR);
  if (!ended) return {false, "made no progress for " + std::to_string(patience.count()) + " ms"};
  const std::size_t begin = said.find_first_not_of(kAlive);
  const bool whole = begin != std::string::npos && said[begin] == kAnswer && said.size() > begin + 1 && said.back() == kEnd;
  if (!whole) return {false, ending(waited, status)};
  return {true, said.substr(begin + 1, said.size() - begin - 2)};
}

}  // namespace pmtwin::middleware
