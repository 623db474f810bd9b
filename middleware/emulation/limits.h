#pragma once
// Where an emulated device would lie, or is not known not to.

#include <string>
#include <vector>

#include "middleware/emulation/machine_report.h"
#include "middleware/emulation/service_table.h"

namespace pmtwin::emulation {

// Real time that a request's mean time at the stations has to take: below it, what the real machine adds to each request
// (wake-ups, hand-offs) is no longer small beside it.
inline constexpr double kLeastServiceForRatesNs = 200e3, kLeastServiceForTailsNs = 500e3;
inline constexpr double kMostEventsPerSecond = 40e3;
inline constexpr double kMostCpuShare = 0.6;
inline constexpr double kMostOverrunShare = 1e-3;

// Mean time of a request alone at the stations, virtual ns, over the kinds that occur.
double mean_idle_service_ns(const ServiceTable& table);

// Throws InputError for a dilation at which not even rates could be trusted, naming the least that is allowed.
void check_dilation(const ServiceTable& table, double dilation);

// Why what happened must not be believed, one line each with the value and what is allowed; none: it may be. `tails`:
// percentiles are wanted, too.
std::vector<std::string> refusals(const MachineReport& report, bool tails);

}  // namespace pmtwin::emulation
