#include "native_probe/interrupt.h"

#include <signal.h>

#include <atomic>

#include "native_probe/errors.h"

namespace pmtwin::probe {
namespace {

std::atomic<int> arrived{0};
static_assert(std::atomic<int>::is_always_lock_free);  // a signal handler may touch nothing else

void remember(int signal) {
  arrived.store(signal, std::memory_order_relaxed);
}

}  // namespace

void catch_interrupts() {
  struct sigaction action {};
  action.sa_handler = remember;  // no SA_RESTART: waiting for the next case must end
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  signal(SIGPIPE, SIG_IGN);  // a reader that has gone shows as an error of the write
}

int interrupt_signal() {
  return arrived.load(std::memory_order_relaxed);
}

void check_interrupt() {
  if (interrupt_signal() != 0) throw Interrupted();
}

}  // namespace pmtwin::probe
