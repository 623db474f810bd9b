#pragma once
// The two stations of a request, in virtual time and without threads: the processors (hand-off and the store's software)
// and then, with a hardware thread, the device. Both share themselves among their requests: a virtual clock counts the
// work that each request has received, and the next to leave is the one with the smallest virtual time of its end. The
// same formulas at the same instants as the twin's stations (`sim/engines/simpy_servers.py`), so that the same starts
// give the same ends to the last bit.
//
// A start may be told late: the worker's thread took real time to come back. It is then accounted for as if it had been
// told in time, as far as its work on the processors has not ended meanwhile; `late` counts those that came later.

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <limits>
#include <map>
#include <optional>
#include <vector>

#include "middleware/emulation/request_draws.h"
#include "middleware/emulation/service_table.h"

namespace pmtwin::emulation {

inline constexpr double kNever = std::numeric_limits<double>::infinity();

// A request that a worker has started; times in virtual ns.
struct Started {
  int kind = 0;
  double at = 0;        // the later of its submission and its worker's last end
  bool woken = false;   // it found an idle worker
  const Demand* demand = nullptr;
  Draws draws;
  std::uint32_t ticket = 0;  // the caller's name for it
};

struct Finished {
  double at;
  int class_index;
  std::uint32_t ticket;
  bool operator==(const Finished&) const = default;
};

class Stations {
 public:
  Stations(const ServiceTable& table, std::array<int, kClasses> pools);

  // Goes on under another table from `now` on; what is at the stations keeps what it has asked for.
  void use(const ServiceTable& table, double now);

  // New pool sizes, from `now` on.
  void resize(std::array<int, kClasses> pools, double now);

  // A worker that was idle takes a request of this class: it counts as busy until it is `idle` again.
  void busy(int class_index, double now);
  // A worker has found no further request.
  void idle(int class_index, double now);

  // A busy worker starts a request. All events before its time must have been processed.
  void start(const Started& request);

  double next_event() const { return std::min(device_end_, cpu_end_); }

  // Processes the next event, at its own time; a request that ends with it, its worker still counted as busy.
  std::optional<Finished> step();

  double now() const { return now_; }
  int in_device() const { return in_device_; }
  int workers_busy(int class_index) const { return busy_[class_index]; }

  // Starts that were told after their work on the processors had ended, and by how much they were late in sum and at
  // most.
  struct Late {
    std::uint64_t count = 0;
    double sum = 0, most = 0;
  };
  const Late& late() const { return late_; }

 private:
  struct OnCpu {
    int kind;
    bool late;
    double device;
    std::uint32_t ticket;
  };
  struct InDevice {
    int kind;
    std::uint32_t ticket;
  };
  struct Stretch {  // of time at one speed of the processors
    double at, virtual_time, rate;
  };

  double cpu_work(const Started& request) const;
  double at_threads(const std::vector<double>& table, int threads) const;
  void advance_cpu(double now);
  void set_threads(double now);
  void schedule_cpu();
  double cpu_virtual(double at) const;
  void remember();
  void leave_cpu();
  void advance_device();
  void join_device(const OnCpu& request);
  void schedule_device();

  const ServiceTable* table_;
  std::array<int, kClasses> pools_;
  std::array<int, kClasses> busy_{};
  double now_ = 0;

  int threads_ = 0;  // that want a hardware thread
  double cpu_last_ = 0, cpu_virtual_ = 0, cpu_end_ = kNever;
  std::multimap<double, OnCpu> cpu_;  // by virtual time of their end
  std::deque<Stretch> past_;          // of the processors' clock, for starts told late

  double device_last_ = 0, device_end_ = kNever;
  int device_kind_ = 0, in_device_ = 0;
  Population population_{};
  Speeds speeds_;
  std::array<double, kKinds> device_virtual_{};
  std::array<std::multimap<double, InDevice>, kKinds> device_;
  std::deque<OnCpu> gate_;  // wait for a hardware thread

  Late late_;
};

}  // namespace pmtwin::emulation
