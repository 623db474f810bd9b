#include "middleware/engines/child_report.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>

namespace pmtwin::middleware {
namespace {

using Steady = std::chrono::steady_clock;

bool nobody_reads(int pipe) {
  struct pollfd end {pipe, 0, 0};
  return poll(&end, 1, 0) > 0 && (end.revents & POLLERR) != 0;
}

int take_standard_output() {
  const int result = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  dup2(STDERR_FILENO, STDOUT_FILENO);
  return result;
}

}  // namespace

ChildReport::ChildReport(std::chrono::milliseconds patience)
    : patience_(patience), result_(take_standard_output()), told_(Steady::now()) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (nobody_reads(result_)) _exit(1);  // who started it ended before
  const struct rlimit no_core {0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  for (const int sign : {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL}) signal(sign, SIG_DFL);  // a sanitizer handles them
  write_all({kChildAlive});
}

void ChildReport::progress() {
  const auto now = Steady::now();
  if (now - told_ < patience_ / 10) return;
  told_ = now;
  write_all({kChildAlive});
}

void ChildReport::answer(const std::string& text) {
  write_all(kChildAnswer + text + kChildEnd);
  _exit(0);
}

void ChildReport::write_all(const std::string& text) const {
  for (std::size_t from = 0; from < text.size();) {
    const ssize_t written = write(result_, text.data() + from, text.size() - from);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) _exit(1);  // nobody reads it any more
    from += static_cast<std::size_t>(written);
  }
}

}  // namespace pmtwin::middleware
