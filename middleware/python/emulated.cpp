#include "middleware/python/emulated.h"

#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>

#include "middleware/emulation/limits.h"

namespace pmtwin::python {
namespace {

middleware::Options options(const std::string& queue, bool direct) {
  middleware::Options options;
  options.direct = direct;
  if (!queue.empty()) options.queue = queue;
  options.window = std::chrono::nanoseconds(0);  // the clients cut their own windows
  return options;
}

// Requests take longer or shorter than their kinds on average: so much more than the least is taken.
constexpr double kDilationMargin = 1.5;

}  // namespace

Emulated::Emulated(Table table, double dilation, std::array<std::uint64_t, emulation::kClasses> keys,
                   const std::string& queue, middleware::Pools pools)
    : store_(std::make_shared<middleware::MapEngine>()), middleware_(options(queue, table->host.shared)) {
  emulation::check_dilation(*table, dilation);
  emulation::fill_store(*store_, *table);
  emulation::MachineOptions machine;
  machine.dilation = dilation;
  machine.keys = keys;
  machine.client_patience = machine.patience;  // all clients' threads are the replay's, and come back
  machine_ = std::make_shared<emulation::Machine>(std::move(table), machine);
  machine_->pause();
  middleware_.start(std::make_shared<emulation::EmulatedEngine>(store_, machine_), pools.interactive_threads,
                    pools.batch_threads);
  clients_ = std::make_unique<emulation::ReplayClients>(middleware_, *machine_);
  machine_->report();
}

void Emulated::use(Table table, double dilation) {
  emulation::check_dilation(*table, dilation);
  emulation::fill_store(*store_, *table);
  machine_->use(std::move(table), dilation);
  clients_->begin_phase();
}

void Emulated::set_pace(std::array<double, emulation::kClasses> pace) {
  for (const double factor : pace) replay::check_pace(factor);
  clients_->set_pace(pace);
}

Emulated::~Emulated() { machine_->resume(); }

std::optional<replay::Window> Emulated::run(std::size_t completions,
                                            std::array<std::int64_t, emulation::kClasses> release,
                                            const middleware::Patience& patience) {
  auto passed = clients_->run_window({completions, release}, patience);
  if (!passed) return std::nullopt;
  emulation::WindowResult& found = *passed;
  replay::Window window;
  window.counted = found.counted;
  window.stamped = found.stamped;
  window.stats = middleware_.close_window(std::llround(found.end_ns));
  window.state = middleware_.get_state();
  for (std::size_t c = 0; c < found.latency_ns.size(); ++c) {
    const auto& latency = found.latency_ns[c];
    window.latency_ns.insert(window.latency_ns.end(), latency.begin(), latency.end());
    window.classes.insert(window.classes.end(), latency.size(), static_cast<std::uint8_t>(c));
    window.waited_ns[c] = found.waited_ns[c];
  }
  window.start = found.start_ns;
  window.end = found.end_ns;
  window.failed = found.failed;
  return window;
}

std::string Emulated::validity_warning() {
  std::string reasons;
  for (const std::string& reason : emulation::refusals(machine_->report(), true)) {
    reasons += (reasons.empty() ? "" : "; ") + reason;
  }
  return reasons;
}

double least_dilation(const emulation::ServiceTable& table) {
  return kDilationMargin * emulation::kLeastServiceForTailsNs / emulation::mean_idle_service_ns(table);
}

std::shared_ptr<emulation::ServiceTable> read_table(const std::string& text) {
  return std::make_shared<emulation::ServiceTable>(emulation::parse_service_table(nlohmann::json::parse(text)));
}

}  // namespace pmtwin::python
