#include "tests/middleware/emulation/tables.h"

#include <algorithm>

namespace pmtwin::emulation {

nlohmann::json simple_table_text(const SimpleTable& simple) {
  const std::vector<double> ones(2 * simple.workers + 1, 1.0), zeros(ones.size(), 0.0);
  nlohmann::json text = {{"format", "pmtwin-service-table"}, {"version", 2}, {"workload", "simple"}};
  text["host"] = {{"hardware_threads", simple.hardware_threads}, {"polls", int{simple.polls}}, {"shared", int{simple.direct}},
                  {"limit", 1}, {"spinning", 0}, {"preemption_ns", 1e6}, {"wakeup_ns", simple.wakeup}, {"rate", ones},
                  {"inverse_rate", ones}, {"handoff_ns", zeros}, {"kv_factor", ones}, {"crowding", ones}, {"preempted_ns", zeros}};
  text["client_wakeup_ns"] = simple.client_wakeup;
  const std::vector<double> read = {128, simple.software, simple.device, 0, 0};
  for (int kind = 0; kind < kKinds; ++kind)
    text["kinds"].push_back({{"used", kind % 2 == 0}, {"stall_gate", 0}, {"demand", {read}},
                             {"wear_probability", {0.0}}, {"rare_probability", {0.0}}, {"handoff_factor", {1.0}}});
  const std::size_t table = 1024 + 16 * 1024;
  text["noise"] = {{"cpu_noise", std::vector<double>(table, simple.noise)}, {"normal", std::vector<double>(table, 0.0)},
                   {"wear_ns", std::vector<double>(1024, 0.0)}, {"rare_low_ns", 0.0}, {"rare_span_ns", 0.0}};
  for (int c = 0; c < kClasses; ++c)
    text["classes"].push_back(
        {{"clients", 8}, {"closed", true}, {"write_threshold", 0}, {"gaps_ns", std::vector<double>(1025, 1.0)}});
  nlohmann::json rows = nlohmann::json::array();
  for (int first = 0; first <= simple.workers; ++first)
    for (int second = 0; second <= simple.workers && first + second <= simple.hardware_threads; ++second) {
      const double speed = 1.0 / std::max(1, first + second);
      rows.push_back({speed, speed, speed, speed});
    }
  text["speeds"] = {{"most", {simple.workers, 0, simple.workers, 0}},
                    {"class_most", {simple.workers, simple.workers}}, {"rows", rows}};
  return text;
}

ServiceTable simple_table(const SimpleTable& simple) { return parse_service_table(simple_table_text(simple)); }

}  // namespace pmtwin::emulation
