#include "native_probe/interrupt.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include "native/common/errors.h"

namespace pmtwin::probe {
namespace {

bool readable(int fd) {
  pollfd waited{fd, POLLIN, 0};
  return poll(&waited, 1, 0) == 1;
}

// In a process of its own: a signal that has arrived is never forgotten.
void exit_with_what_arrived(int signal) {
  catch_interrupts();
  bool ok = interrupt_signal() == 0 && !readable(interrupt_fd());
  check_interrupt();
  raise(signal);
  ok = ok && readable(interrupt_fd());
  try {
    check_interrupt();
    ok = false;
  } catch (const Interrupted&) {
  }
  _exit(ok ? interrupt_signal() : 99);
}

TEST(Interrupt, IsRememberedAndWakesWhoWaits) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(exit_with_what_arrived(SIGINT), testing::ExitedWithCode(SIGINT), "");
  EXPECT_EXIT(exit_with_what_arrived(SIGTERM), testing::ExitedWithCode(SIGTERM), "");
}

}  // namespace
}  // namespace pmtwin::probe
