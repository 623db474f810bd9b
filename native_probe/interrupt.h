// SIGINT and SIGTERM: remembered, and acted upon where nothing is half done.
#pragma once

namespace pmtwin::probe {

// From now on the signals set a flag instead of ending the process; blocking calls return with EINTR.
void catch_interrupts();

// Becomes readable when one arrives, for poll: one that came just before a blocking call would not end it. -1 before
// catch_interrupts.
int interrupt_fd();

// The signal that arrived, or 0.
int interrupt_signal();

// Throws Interrupted if one has arrived.
void check_interrupt();

}  // namespace pmtwin::probe
