#pragma once
// What the twin says a request asks for, and how fast each population of the device is served: the file that Python's
// `pmtwin.scenarios.nvm_middleware.model.service.table` writes. There is no law of the device in C++.

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace pmtwin::emulation {

inline constexpr int kKinds = 4;  // 2 * class + (1 if it writes); class 0 is interactive, 1 batch
inline constexpr int kClasses = 2;

// Demand of an operation on one value size; times in ns.
struct Demand {
  double size_bytes = 0;
  double software = 0;                       // on the processors, with one operation in progress
  double mean = 0, linear = 0, square = 0;   // on the idle device: mean + linear z + square z^2, z standard normal
  double wear_probability = 0, rare_probability = 0;  // of a stall, of either kind
  double handoff_factor = 1;                          // on the hand-off's work
};

struct Kind {
  bool used = false;
  std::vector<Demand> demand;    // equally likely; a power of two of them
  std::uint64_t stall_gate = 0;  // of 16 requests, how many may stall at all
};

// The processors. Tables are indexed by the number of threads that want a hardware thread (kv_factor: by operations in
// progress) and go on with their last value.
struct Host {
  int hardware_threads = 1;
  bool polls = false;   // idle workers occupy hardware threads
  bool shared = false;  // no middleware: both classes in one pool of `limit`
  int limit = 0, spinning = 0;
  double preemption = 0, wakeup = 0;
  std::vector<double> rate, inverse_rate, handoff, kv_factor, crowding, preempted;
};

struct Noise {
  std::vector<double> cpu, normal, wear;
  double rare_low = 0, rare_span = 0;
};

// The clients of a class and the trace that they replay.
struct ClassLoad {
  int clients = 0;
  bool closed = true;  // no trace: a client sends at once
  std::uint64_t write_threshold = 0;
  std::vector<double> gaps;  // quantile function of the gap between offered requests, ns
};

using Population = std::array<std::uint32_t, kKinds>;

// Speed of each kind, 1 when alone, and its inverse.
struct Speeds {
  std::array<double, kKinds> speed{}, inverse{};
};

// The speed of every population that the pools of the table allow.
class SpeedTable {
 public:
  SpeedTable() = default;
  // Throws InputError unless there are as many rows as populations.
  SpeedTable(const std::array<int, kKinds>& most, const std::array<int, kClasses>& class_most, int total,
             const std::vector<std::array<double, kKinds>>& rows);

  // Operations of a class in the device at once: no pool may have more workers.
  int most_workers(int class_index) const { return class_most_[class_index]; }

  // Throws std::out_of_range for a population beyond the table's pools.
  const Speeds& of(const Population& population) const;

 private:
  int pair_index(int class_index, std::uint32_t reads, std::uint32_t writes) const;

  struct Pairs {
    std::uint32_t reads = 0, writes = 0;  // most of each
    std::vector<int> index;               // [reads * (writes + 1) + writes]: -1 beyond the pool
    std::vector<int> total;
  };
  std::array<int, kClasses> class_most_{};
  std::array<Pairs, kClasses> pairs_;
  std::vector<std::int32_t> row_;  // [pair of class 0][pair of class 1]
  std::vector<Speeds> speeds_;
};

struct ServiceTable {
  std::string workload;
  Host host;
  double client_wakeup = 0;
  std::array<Kind, kKinds> kinds;
  Noise noise;
  std::array<ClassLoad, kClasses> classes;
  SpeedTable speeds;

  // Demand of an operation on a value of this size: that of the nearest size of the table.
  const Demand& demand(int kind, double size_bytes) const;
};

// Throws InputError: a field is absent, of the wrong type or out of range.
ServiceTable parse_service_table(const nlohmann::json& text);

// Throws InputError likewise, and if the file cannot be read.
ServiceTable load_service_table(const std::filesystem::path& path);

}  // namespace pmtwin::emulation
