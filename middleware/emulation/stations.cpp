#include "middleware/emulation/stations.h"

#include <algorithm>

namespace pmtwin::emulation {
namespace {
constexpr std::size_t kPast = 512;  // stretches of the processors' clock that are remembered
}

Stations::Stations(const ServiceTable& table, std::array<int, kClasses> pools) : table_(&table), pools_(pools) {
  speeds_ = table_->speeds.of(population_);
  set_threads(0);
  remember();
}

double Stations::at_threads(const std::vector<double>& values, int threads) const {
  return values[std::min<std::size_t>(threads, values.size() - 1)];
}

void Stations::use(const ServiceTable& table, double now) {
  now_ = std::max(now_, now);
  advance_cpu(now_);
  advance_device();
  table_ = &table;
  remember();
  schedule_cpu();
  schedule_device();
  set_threads(now_);
}

void Stations::resize(std::array<int, kClasses> pools, double now) {
  pools_ = pools;
  set_threads(std::max(now, now_));
}

void Stations::busy(int c, double now) {
  ++busy_[c];
  set_threads(std::max(now, now_));
}

void Stations::idle(int c, double now) {
  --busy_[c];
  set_threads(std::max(now, now_));
}

// Threads that want a hardware thread: polling workers and spinning clients always do.
void Stations::set_threads(double now) {
  const Host& host = table_->host;
  int threads = std::max(busy_[0] + busy_[1], host.spinning);
  if (host.polls) threads = std::max(pools_[0], busy_[0]) + std::max(pools_[1], busy_[1]);
  if (threads == threads_) return;
  advance_cpu(now);
  threads_ = threads;
  remember();
  schedule_cpu();
}

double Stations::cpu_work(const Started& request) const {
  const Host& host = table_->host;
  const double rate = at_threads(host.rate, threads_), waits = at_threads(host.preempted, threads_);
  double work = at_threads(host.handoff, threads_) * request.demand->handoff_factor +
                request.demand->software * at_threads(host.kv_factor, busy_[0] + busy_[1]) *
                    at_threads(host.crowding, threads_);
  if (request.woken) work += host.wakeup;
  work *= request.draws.cpu_noise;
  if (waits > 0 && request.draws.preemption * host.preemption < work) work += waits * rate;  // a wait, not work
  if (request.draws.stall > 0) work += request.draws.stall * rate;  // likewise: as long under any load
  return work;
}

void Stations::start(const Started& request) {
  const double work = cpu_work(request);
  double begun;
  bool late = false;
  if (request.at >= now_) {
    now_ = request.at;
    advance_cpu(now_);
    begun = cpu_virtual_;
  } else {
    begun = cpu_virtual(request.at);
    const double reached = cpu_virtual(now_);
    late = begun + work < reached;
    if (late) {
      const double by = (reached - begun - work) * at_threads(table_->host.inverse_rate, threads_);
      ++late_.count;
      late_.sum += by;
      late_.most = std::max(late_.most, by);
    }
  }
  cpu_.emplace(begun + work, OnCpu{request.kind, late, request.draws.device, request.ticket});
  schedule_cpu();
}

std::optional<Finished> Stations::step() {
  if (cpu_end_ < device_end_) {
    now_ = std::max(now_, cpu_end_);
    leave_cpu();
    return std::nullopt;
  }
  if (device_end_ == kNever) return std::nullopt;
  now_ = std::max(now_, device_end_);
  advance_device();
  auto& operations = device_[device_kind_];
  const auto first = operations.begin();
  const Finished finished{now_, device_kind_ / 2, first->second.ticket};
  device_virtual_[device_kind_] = first->first;
  operations.erase(first);
  --population_[device_kind_];
  --in_device_;
  if (!gate_.empty()) {
    const OnCpu next = gate_.front();
    gate_.pop_front();
    join_device(next);
  }
  schedule_device();
  return finished;
}

// -- processors

void Stations::advance_cpu(double now) {
  cpu_virtual_ += (now - cpu_last_) * at_threads(table_->host.rate, threads_);
  cpu_last_ = now;
}

void Stations::remember() {
  past_.push_back({cpu_last_, cpu_virtual_, at_threads(table_->host.rate, threads_)});
  if (past_.size() > kPast) past_.pop_front();
}

double Stations::cpu_virtual(double at) const {
  if (at >= cpu_last_) return cpu_virtual_ + (at - cpu_last_) * at_threads(table_->host.rate, threads_);
  const auto later = std::upper_bound(past_.begin(), past_.end(), at,
                                      [](double time, const Stretch& stretch) { return time < stretch.at; });
  const Stretch& stretch = later == past_.begin() ? past_.front() : *(later - 1);
  return stretch.virtual_time + (std::max(at, stretch.at) - stretch.at) * stretch.rate;
}

void Stations::schedule_cpu() {
  if (cpu_.empty()) {
    cpu_end_ = kNever;
    return;
  }
  const double left = std::max(0.0, cpu_.begin()->first - cpu_virtual_);
  cpu_end_ = cpu_last_ + left * at_threads(table_->host.inverse_rate, threads_);
}

void Stations::leave_cpu() {
  const auto first = cpu_.begin();
  const OnCpu request = first->second;
  if (!request.late) cpu_virtual_ = first->first;  // exactly, as the twin's
  cpu_last_ = now_;
  cpu_.erase(first);
  schedule_cpu();
  if (in_device_ >= table_->host.hardware_threads) {
    gate_.push_back(request);
    return;
  }
  join_device(request);
  schedule_device();
}

// -- device

void Stations::advance_device() {
  const double elapsed = now_ - device_last_;
  for (int k = 0; k < kKinds; ++k) device_virtual_[k] += elapsed * speeds_.speed[k];
  device_last_ = now_;
}

void Stations::join_device(const OnCpu& request) {
  advance_device();
  ++population_[request.kind];
  ++in_device_;
  device_[request.kind].emplace(device_virtual_[request.kind] + request.device,
                                InDevice{request.kind, request.ticket});
}

void Stations::schedule_device() {
  speeds_ = table_->speeds.of(population_);
  device_end_ = kNever;
  device_kind_ = 0;
  for (int k = 0; k < kKinds; ++k) {
    if (device_[k].empty()) continue;
    const double left = std::max(0.0, device_[k].begin()->first - device_virtual_[k]);
    const double end = device_last_ + left * speeds_.inverse[k];
    if (end < device_end_) device_end_ = end, device_kind_ = k;
  }
}

}  // namespace pmtwin::emulation
