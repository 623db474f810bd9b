#pragma once
// The random part of a request: the same bits as in the twin (`sim/draws.py`, `scenarios/nvm_middleware/model/requests.py`), by counter, so that
// request i of a class is the same one in both, whoever serves it and in whatever order.

#include <cstdint>

#include "middleware/emulation/service_table.h"

namespace pmtwin::emulation {

// 64 random bits: word 0, 1 or 2 of request `index` under `key` (SplitMix64).
constexpr std::uint64_t bits(std::uint64_t key, std::uint64_t index, std::uint64_t word) {
  std::uint64_t z = key + (index * 3 + word + 1) * 0x9E3779B97F4A7C15u;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

constexpr double high_uniform(std::uint64_t word) { return static_cast<double>(word >> 32) * 0x1p-32; }
constexpr double low_uniform(std::uint64_t word) { return static_cast<double>(word & 0xFFFFFFFFu) * 0x1p-32; }

// Demand of request `index` of a class in the trace.
struct Asked {
  bool is_write = false;
  const Demand* demand = nullptr;  // of its value size
};
Asked asked(const ServiceTable& table, int class_index, std::uint64_t key, std::uint64_t index);

// Gap before request `index` in the trace, ns.
double gap(const ClassLoad& load, std::uint64_t key, std::uint64_t index);

// Random part of a request.
struct Draws {
  double cpu_noise = 1;   // factor on the work on the processors
  double preemption = 1;  // in [0, 1); small numbers are preempted
  double stall = 0;       // of the device, ns
  double device = 0;      // time on the idle device, ns
};
Draws draw(const ServiceTable& table, int kind, const Demand& demand, std::uint64_t key, std::uint64_t index);

}  // namespace pmtwin::emulation
