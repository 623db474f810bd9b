#include "middleware/durability/victim.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <exception>
#include <system_error>

namespace pmtwin::middleware {

Victim::Victim(const std::function<void()>& work) : child_(fork()) {
  if (child_ < 0) throw std::system_error(errno, std::generic_category(), "fork");
  if (child_ != 0) return;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  try {
    work();
    _exit(0);
  } catch (const std::exception&) {
    _exit(1);
  }
}

bool Victim::kill_now() {
  kill(child_, SIGKILL);
  int status = 0;
  while (waitpid(child_, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFSIGNALED(status);
}

}  // namespace pmtwin::middleware
