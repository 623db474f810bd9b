// SIGINT and SIGTERM: remembered, and acted upon between repetitions.
#pragma once

namespace pmtwin::probe {

// From now on the signals set a flag instead of ending the process; blocking calls return with EINTR.
void catch_interrupts();

// The signal that arrived, or 0.
int interrupt_signal();

// Throws Interrupted if one has arrived.
void check_interrupt();

}  // namespace pmtwin::probe
