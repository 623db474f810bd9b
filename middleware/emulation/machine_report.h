#pragma once
// Report of an emulated machine on itself, to judge the validity of its times.

#include <chrono>
#include <cstdint>

namespace pmtwin::emulation {

struct MachineReport {
  double dilation = 0;
  double virtual_s = 0, real_s = 0;
  std::uint64_t requests = 0;      // that ended
  double service_ns = 0;           // mean time from start to end of a request, virtual
  std::uint64_t events = 0;        // that threads were woken for, or actions called
  double waited_real_s = 0;        // virtual time stood still until threads had acted
  double slipped_real_s = 0;       // by which events came later than dilated, in sum
  double most_lag_real_s = 0;      // of one event
  std::uint64_t gave_up = 0;       // times that workers which act were no longer waited for
  std::uint64_t unheard = 0;       // the same of clients
  std::uint64_t late = 0;          // requests told after their time on the processors
  std::uint64_t overruns = 0;      // operations that took longer in truth than dilated
  double cpu_share = 0;            // of the processors that this process may use

  double events_per_s() const { return real_s > 0 ? static_cast<double>(events) / real_s : 0; }
};

inline double seconds(std::chrono::nanoseconds duration) { return std::chrono::duration<double>(duration).count(); }

// Counters at the last report.
struct ReportStart {
  double virtual_ns = 0, cpu_s = 0, slipped_s = 0;
  std::uint64_t late = 0;
  std::chrono::steady_clock::time_point real;
};

// Seconds of all processors that this process has used, and how many it may use.
double cpu_seconds();
int usable_processors();

}  // namespace pmtwin::emulation
