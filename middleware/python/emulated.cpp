#include "middleware/python/emulated.h"

#include <atomic>
#include <chrono>
#include <nlohmann/json.hpp>
#include <thread>

#include "middleware/emulation/limits.h"
#include "middleware/engines/map_engine.h"

namespace pmtwin::python {
namespace {

using middleware::Middleware;

middleware::Options options(const std::string& queue) {
  middleware::Options options;
  if (!queue.empty()) options.queue = queue;
  options.window = std::chrono::nanoseconds(0);  // the clients cut their own windows
  return options;
}

// Requests in the middleware, looked at again and again in real time, which dilated virtual time follows.
class Sampler {
 public:
  explicit Sampler(const Middleware& middleware) : thread_([this, &middleware] { sample(middleware); }) {}

  double stop() {
    done_ = true;
    thread_.join();
    return count_ > 0 ? sum_ / static_cast<double>(count_) : 0.0;
  }

 private:
  void sample(const Middleware& middleware) {
    while (!done_) {
      sum_ += static_cast<double>(middleware.outstanding());
      ++count_;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }

  double sum_ = 0;
  std::uint64_t count_ = 0;
  std::atomic<bool> done_ = false;
  std::thread thread_;  // last: it uses the rest
};

}  // namespace

Emulated::Emulated(const std::string& table, double dilation, std::array<std::uint64_t, emulation::kClasses> keys,
                   const std::string& queue, middleware::Pools pools)
    : middleware_(options(queue)) {
  auto parsed = emulation::parse_service_table(nlohmann::json::parse(table));
  emulation::check_dilation(parsed, dilation);
  auto store = std::make_shared<middleware::MapEngine>();
  emulation::fill_store(*store, parsed);
  emulation::MachineOptions machine;
  machine.dilation = dilation;
  machine.keys = keys;
  machine_ = std::make_shared<emulation::Machine>(std::move(parsed), machine);
  machine_->pause();
  middleware_.start(std::make_shared<emulation::EmulatedEngine>(store, machine_), pools.interactive_threads,
                    pools.batch_threads);
  clients_ = std::make_unique<emulation::ReplayClients>(middleware_, *machine_);
  machine_->report();
}

Emulated::~Emulated() {
  machine_->resume();
  clients_.reset();
  middleware_.stop();
}

replay::Window Emulated::run(std::size_t completions, std::array<std::int64_t, emulation::kClasses> release) {
  Sampler sampler(middleware_);
  emulation::WindowResult found = clients_->run_window({completions, release});
  replay::Window window;
  window.mean_outstanding = sampler.stop();
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

std::string Emulated::doubt() {
  std::string reasons;
  for (const std::string& reason : emulation::refusals(machine_->report(), true)) {
    reasons += (reasons.empty() ? "" : "; ") + reason;
  }
  return reasons;
}

double least_dilation(const std::string& table) {
  const auto parsed = emulation::parse_service_table(nlohmann::json::parse(table));
  return emulation::kLeastServiceForTailsNs / emulation::mean_idle_service_ns(parsed);
}

}  // namespace pmtwin::python
