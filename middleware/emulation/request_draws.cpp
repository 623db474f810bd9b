#include "middleware/emulation/request_draws.h"

#include <algorithm>

namespace pmtwin::emulation {
namespace {

constexpr std::uint64_t kBins = 1024, kFineBins = 16, kFirstFine = kBins - kFineBins, kGates = 16;

// Place in a table of noise of a bin; of a fine one the part that ten bits tell.
std::uint64_t place_of(std::uint64_t fine, std::uint64_t place) {
  return place < kFirstFine ? place : (place - kFirstFine + 1) * kBins + (fine & (kBins - 1));
}

double stall(const Noise& noise, const Demand& demand, double u) {
  const double wear = demand.wear_probability, rare = demand.rare_probability;
  if (u < wear) return noise.wear[static_cast<std::size_t>(u / wear * kBins)];
  if (u < wear + rare) return noise.rare_low + noise.rare_span * ((u - wear) / rare);
  return 0;
}

}  // namespace

Asked asked(const ServiceTable& table, int c, std::uint64_t key, std::uint64_t index) {
  const std::uint64_t word = bits(key, index, 0);
  const bool is_write = (word >> 32) < table.classes[c].write_threshold;
  const auto& demand = table.kinds[2 * c + is_write].demand;
  return {is_write, &demand[word & (demand.size() - 1)]};
}

double gap(const ClassLoad& load, std::uint64_t key, std::uint64_t index) {
  const double position = high_uniform(bits(key, index, 1)) * static_cast<double>(load.gaps.size() - 1);
  const auto low = static_cast<std::size_t>(position);
  return load.gaps[low] + (position - static_cast<double>(low)) * (load.gaps[low + 1] - load.gaps[low]);
}

Draws draw(const ServiceTable& table, int kind, const Demand& demand, std::uint64_t key, std::uint64_t index) {
  const std::uint64_t word = bits(key, index, 0), third = bits(key, index, 2), gate = table.kinds[kind].stall_gate;
  const Noise& noise = table.noise;
  const double z = noise.normal[place_of(third >> 10, (word >> 18) & (kBins - 1))];
  Draws draws;
  draws.cpu_noise = noise.cpu[place_of(third, (word >> 8) & (kBins - 1))];
  draws.preemption = low_uniform(bits(key, index, 1));
  draws.device = demand.mean + z * (demand.linear + z * demand.square);
  if (((word >> 28) & (kGates - 1)) < gate)
    draws.stall = stall(noise, demand, high_uniform(third) * static_cast<double>(gate) / kGates);
  return draws;
}

}  // namespace pmtwin::emulation
