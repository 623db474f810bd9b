#include "native_probe/interrupt.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <system_error>

#include "native/common/errors.h"

namespace pmtwin::probe {
namespace {

std::atomic<int> arrived{0};
static_assert(std::atomic<int>::is_always_lock_free);  // a signal handler may touch nothing else
int ends[2] = {-1, -1};                                // of the pipe; set before the handler is

void remember(int signal) {
  const int error = errno;
  arrived.store(signal, std::memory_order_relaxed);
  [[maybe_unused]] const ssize_t written = write(ends[1], "", 1);  // fails if full: then it is readable already
  errno = error;
}

}  // namespace

void catch_interrupts() {
  if (ends[0] < 0 && pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) {
    throw std::system_error(errno, std::generic_category(), "pipe");
  }
  struct sigaction action {};
  action.sa_handler = remember;  // no SA_RESTART: waiting for the next case must end
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  signal(SIGPIPE, SIG_IGN);  // a reader that has gone shows as an error of the write
}

int interrupt_fd() {
  return ends[0];
}

int interrupt_signal() {
  return arrived.load(std::memory_order_relaxed);
}

void check_interrupt() {
  if (interrupt_signal() != 0) throw Interrupted();
}

}  // namespace pmtwin::probe
