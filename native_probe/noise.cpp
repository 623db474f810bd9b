#include "native_probe/noise.h"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <sstream>
#include <utility>

#include "native/common/files.h"

namespace pmtwin::probe {
namespace {

constexpr int kSpins = 250;
constexpr double kNoisyCvPercent = 3.0;  // of quiet machines: below 1
constexpr double kNoisyStealPercent = 1.0;
constexpr double kNoisyOthersCpus = 0.25;

void spin(std::uint64_t rounds) {
  std::uint64_t state = 1;
  for (std::uint64_t i = 0; i < rounds; ++i) {
    state = state * 6364136223846793005 + 1442695040888963407;
    asm volatile("" : "+r"(state));
  }
}

std::uint64_t time_of_spin(std::uint64_t rounds) {
  const std::uint64_t begin = stamp_begin();
  spin(rounds);
  return stamp_end() - begin;
}

std::uint64_t rounds_of_a_millisecond(const Clock& clock) {
  constexpr std::uint64_t kRounds = 100'000;
  std::uint64_t least = ~std::uint64_t{0};
  for (int i = 0; i < 5; ++i) least = std::min(least, time_of_spin(kRounds));
  return kRounds * clock.ticks(1e-3) / std::max<std::uint64_t>(1, least);
}

std::string percent(double value) {
  std::ostringstream text;
  text << std::fixed << std::setprecision(1) << value << " %";
  return text.str();
}

std::string times(double factor) {
  std::ostringstream text;
  text << std::fixed << std::setprecision(factor < 10 ? 1 : 0) << factor << " times";
  return text.str();
}

}  // namespace

CpuTimes cpu_times(const std::string& root) {
  std::istringstream line(read_text(root + "/proc/stat").value_or(""));
  std::string name;
  std::uint64_t user = 0, nice = 0, system = 0, idle = 0, io_wait = 0, irq = 0, soft_irq = 0, stolen = 0;
  line >> name >> user >> nice >> system >> idle >> io_wait >> irq >> soft_irq >> stolen;
  return {user + nice + system + idle + io_wait + irq + soft_irq + stolen, idle + io_wait, stolen};
}

double steal_percent(const CpuTimes& before, const CpuTimes& after) {
  if (after.total <= before.total) return 0.0;
  return 100.0 * static_cast<double>(after.stolen - before.stolen) / static_cast<double>(after.total - before.total);
}

Noise measure_noise(const Clock& clock, int cpus) {
  const std::uint64_t rounds = rounds_of_a_millisecond(clock);
  const CpuTimes before = cpu_times();
  std::vector<double> times;
  for (int i = 0; i < kSpins; ++i) times.push_back(static_cast<double>(time_of_spin(rounds)));
  return noise_of(std::move(times), before, cpu_times(), cpus);
}

Noise noise_of(std::vector<double> spins, const CpuTimes& before, const CpuTimes& after, int cpus) {
  const auto count = static_cast<double>(spins.size());
  double mean = 0, squares = 0;
  for (const double time : spins) mean += time / count;
  for (const double time : spins) squares += (time - mean) * (time - mean) / (count - 1);
  std::sort(spins.begin(), spins.end());
  Noise noise;
  noise.spin_cv_percent = 100.0 * std::sqrt(squares) / mean;
  noise.spin_worst_percent = 100.0 * (spins.back() / spins[spins.size() / 2] - 1.0);
  noise.steal_percent = steal_percent(before, after);
  if (after.total > before.total) {
    const double busy =
        1.0 - static_cast<double>(after.idle - before.idle) / static_cast<double>(after.total - before.total);
    noise.others_cpus = std::max(0.0, busy * cpus - 1.0);
  }
  return noise;
}

bool Noise::noisy() const {
  return spin_cv_percent > kNoisyCvPercent || steal_percent > kNoisyStealPercent || others_cpus > kNoisyOthersCpus;
}

std::vector<std::string> Noise::advice(int cpus) const {
  std::vector<std::string> lines;
  if (spin_cv_percent > kNoisyCvPercent) {
    lines.push_back("of one and the same millisecond of arithmetic the slowest took " +
                    times(1.0 + spin_worst_percent / 100.0) +
                    " the median: stop other work, fix the clock frequency "
                    "(governor performance), or take more repetitions");
  }
  if (steal_percent > kNoisyStealPercent) {
    lines.push_back("the hypervisor takes " + percent(steal_percent) +
                    " of the processors' time for others: probe when its host is quiet, or on the host itself");
  }
  if (others_cpus > kNoisyOthersCpus) {
    std::ostringstream text;
    text << std::fixed << std::setprecision(1) << "other processes use " << others_cpus << " of " << cpus
         << " processors: stop them, or probe with fewer threads";
    lines.push_back(text.str());
  }
  return lines;
}

}  // namespace pmtwin::probe
