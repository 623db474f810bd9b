// Runs the twin's clients over the real middleware on an emulated device.
//
//   pmtwin-emulate SPEC
//
// SPEC is a JSON file: `table` (file of pmtwin.scenarios.nvm_middleware.model.service.table), `dilation`, `keys` [2] (random numbers of the classes), `pools`
// [interactive, batch], `queue` (optional), `windows` [{"completions", "release": [2], "pools": [2] (optional)}, ...].
// Prints a line of JSON for each window as it ends. Exit codes: 0; 2 bad input; 1 anything else.
#include <cstdio>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>

#include "middleware/emulation/emulated_engine.h"
#include "middleware/emulation/limits.h"
#include "middleware/emulation/replay_clients.h"
#include "middleware/engines/map_engine.h"
#include "native/common/errors.h"

using namespace pmtwin;
using namespace pmtwin::emulation;
using nlohmann::json;

namespace {

constexpr std::chrono::seconds kPatience{60};  // without any answer for so long, a window has failed

json to_json(const MachineReport& report) {
  return {{"dilation", report.dilation}, {"virtual_s", report.virtual_s}, {"real_s", report.real_s},
          {"requests", report.requests}, {"mean_service_us", 1e-3 * report.service_ns},
          {"events_per_s", report.events_per_s()}, {"waited_real_s", report.waited_real_s},
          {"slipped_real_s", report.slipped_real_s}, {"most_lag_real_s", report.most_lag_real_s},
          {"gave_up", report.gave_up}, {"unheard", report.unheard}, {"late", report.late},
          {"overruns", report.overruns}, {"cpu_share", report.cpu_share}};
}

json to_json(const WindowResult& window) {
  return {{"start_ns", window.start_ns}, {"end_ns", window.end_ns}, {"interactive_latency_ns", window.latency_ns[0]},
          {"batch_latency_ns", window.latency_ns[1]}, {"waited_ns", window.waited_ns}, {"failed", window.failed}};
}

void run(const json& spec) {
  MachineOptions options;
  options.dilation = spec.at("dilation").get<double>();
  options.keys = spec.at("keys").get<std::array<std::uint64_t, kClasses>>();
  ServiceTable table = load_service_table(spec.at("table").get<std::string>());
  check_dilation(table, options.dilation);
  const auto store = std::make_shared<middleware::MapEngine>();
  fill_store(*store, table);
  const bool direct = table.host.shared;
  const auto machine = std::make_shared<Machine>(std::move(table), options);
  machine->pause();
  middleware::Middleware middleware(
      {.queue = spec.value("queue", "handoff"), .direct = direct, .window = std::chrono::nanoseconds(0)});
  const auto pools = spec.at("pools").get<std::array<int, kClasses>>();
  middleware.start(std::make_shared<EmulatedEngine>(store, machine), pools[0], pools[1]);
  {
    ReplayClients clients(middleware, *machine);
    for (const json& window : spec.at("windows")) {
      if (window.contains("pools")) {
        const auto wanted = window["pools"].get<std::array<int, kClasses>>();
        middleware.resize({wanted[0], wanted[1]}, middleware::Settling::kGoOn);
      }
      machine->report();
      const WindowPlan plan{window.at("completions").get<std::uint64_t>(),
                            window.at("release").get<std::array<std::int64_t, kClasses>>()};
      json line = to_json(*clients.run_window(plan, {kPatience}));
      const MachineReport report = machine->report();
      line["machine"] = to_json(report);
      line["refusals"] = refusals(report, true);
      std::cout << line.dump() << std::endl;
    }
  }
  machine->resume();
  middleware.stop();
}

}  // namespace

int main(int argc, char** argv) {
  const bool help = argc == 2 && std::string(argv[1]) == "--help";
  if (argc != 2 || help) {
    std::fprintf(help ? stdout : stderr, "usage: pmtwin-emulate SPEC (form: emulate_main.cpp)\n");
    return help ? 0 : 2;
  }
  try {
    std::ifstream file(argv[1]);
    if (!file) throw InputError("SPEC", argv[1], "a readable file");
    const json spec = json::parse(file, nullptr, false);
    if (!spec.is_object()) throw InputError("SPEC", argv[1], "a JSON object");
    for (const char* field : {"table", "dilation", "keys", "pools", "windows"}) {
      if (!spec.contains(field)) throw InputError::missing(std::string("SPEC: ") + field, "a field as in emulate_main.cpp");
    }
    run(spec);
    return 0;
  } catch (const InputError& error) {
    std::fprintf(stderr, "pmtwin-emulate: %s\n", error.what());
    return InputError::kExitCode;
  } catch (const json::exception& error) {
    std::fprintf(stderr, "pmtwin-emulate: SPEC: %s\n", error.what());
    return InputError::kExitCode;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "pmtwin-emulate: %s\n", error.what());
    return 1;
  }
}
