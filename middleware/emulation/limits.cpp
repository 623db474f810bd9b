#include "middleware/emulation/limits.h"

#include <cmath>
#include <cstdio>

#include "native/common/errors.h"

namespace pmtwin::emulation {
namespace {

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", value);
  return text;
}

}  // namespace

double mean_idle_service_ns(const ServiceTable& table) {
  double sum = 0, count = 0;
  for (const Kind& kind : table.kinds) {
    if (!kind.used) continue;
    for (const Demand& demand : kind.demand) {
      sum += (table.host.handoff[0] * demand.handoff_factor + demand.software + demand.mean + demand.square) /
             static_cast<double>(kind.demand.size());
    }
    ++count;
  }
  return sum / count;
}

void check_dilation(const ServiceTable& table, double dilation) {
  const double service = mean_idle_service_ns(table);
  if (dilation * service >= kLeastServiceForRatesNs) return;
  throw InputError("dilation", number(dilation),
                   "at least " + number(std::ceil(kLeastServiceForRatesNs / service)) + " for rates and " +
                       number(std::ceil(kLeastServiceForTailsNs / service)) + " for percentiles, since a request takes " +
                       number(1e-3 * service) + " us");
}

std::vector<std::string> refusals(const MachineReport& report, bool tails) {
  std::vector<std::string> found;
  const auto refuse = [&found](bool bad, const std::string& what, double value, const std::string& allowed) {
    if (bad) found.push_back(what + ": " + number(value) + "; allowed: " + allowed);
  };
  const auto count = [&refuse](const char* what, std::uint64_t value, double most) {
    const auto n = static_cast<double>(value);
    refuse(n > most, what, n, "at most " + number(most));
  };
  const double service = report.dilation * report.service_ns;
  const double least = tails ? kLeastServiceForTailsNs : kLeastServiceForRatesNs;
  const auto requests = static_cast<double>(report.requests);
  refuse(report.requests > 0 && service < least, "dilation x mean service time (us)", 1e-3 * service,
         "at least " + number(1e-3 * least) + (tails ? " for percentiles" : " for rates"));
  refuse(report.events_per_s() > kMostEventsPerSecond, "events a second", report.events_per_s(),
         "at most " + number(kMostEventsPerSecond));
  refuse(report.cpu_share > kMostCpuShare, "share of the processors used", report.cpu_share,
         "at most " + number(kMostCpuShare));
  count("times that a worker's thread did not act in time", report.gave_up, 0);
  count("times that a client's thread did not act in time", report.unheard, 0);
  count("requests whose worker started them after their time on the processors had passed", report.late, 0);
  count("operations that took longer in truth than dilated", report.overruns, kMostOverrunShare * requests);
  return found;
}

}  // namespace pmtwin::emulation
