#include "middleware/emulation/service_table.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "native/common/errors.h"

namespace pmtwin::emulation {
namespace {

using nlohmann::json;

constexpr int kVersion = 2;

InputError bad(const std::string& field, const std::string& value, const std::string& allowed) {
  return InputError("service table: " + field, value, allowed);
}

const json& at(const json& object, const char* name) {
  if (!object.is_object() || !object.contains(name)) throw bad(name, "absent", "a field of this name");
  return object.at(name);
}

template <class T>
T get(const json& object, const char* name) {
  try {
    return at(object, name).get<T>();
  } catch (const json::exception& error) {
    throw bad(name, error.what(), "what pmtwin.scenarios.nvm_middleware.model.service.table writes");
  }
}

void check(bool good, const char* name, const std::string& value, const std::string& allowed) {
  if (!good) throw bad(name, value, allowed);
}

std::vector<double> numbers(const json& object, const char* name, double least, std::size_t count = 0) {
  auto values = get<std::vector<double>>(object, name);
  check(count == 0 ? !values.empty() : values.size() == count, name, std::to_string(values.size()) + " numbers",
        count == 0 ? "at least one" : std::to_string(count));
  for (double value : values) {
    check(std::isfinite(value) && value >= least, name, std::to_string(value), "at least " + std::to_string(least));
  }
  return values;
}

constexpr double kAny = -1e9;

Host parse_host(const json& text) {
  Host host;
  host.hardware_threads = get<int>(text, "hardware_threads");
  check(host.hardware_threads >= 1, "hardware_threads", std::to_string(host.hardware_threads), "at least 1");
  host.polls = get<int>(text, "polls") != 0;
  host.shared = get<int>(text, "shared") != 0;
  host.limit = get<int>(text, "limit");
  host.spinning = get<int>(text, "spinning");
  host.preemption = get<double>(text, "preemption_ns");
  host.wakeup = get<double>(text, "wakeup_ns");
  host.rate = numbers(text, "rate", 1e-6);
  const std::size_t n = host.rate.size();
  host.inverse_rate = numbers(text, "inverse_rate", 0, n);
  host.handoff = numbers(text, "handoff_ns", 0, n);
  host.kv_factor = numbers(text, "kv_factor", 0, n);
  host.crowding = numbers(text, "crowding", 1, n);
  host.preempted = numbers(text, "preempted_ns", 0, n);
  return host;
}

Kind parse_kind(const json& text) {
  Kind kind;
  kind.used = get<bool>(text, "used");
  kind.stall_gate = get<std::uint64_t>(text, "stall_gate");
  const auto rows = get<std::vector<std::array<double, 5>>>(text, "demand");
  check(std::has_single_bit(rows.size()), "demand", std::to_string(rows.size()) + " sizes", "a power of two");
  const auto wear = numbers(text, "wear_probability", 0, rows.size());
  const auto rare = numbers(text, "rare_probability", 0, rows.size());
  const auto handoff = numbers(text, "handoff_factor", 1, rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i)
    kind.demand.push_back({rows[i][0], rows[i][1], rows[i][2], rows[i][3], rows[i][4], wear[i], rare[i], handoff[i]});
  return kind;
}

constexpr std::size_t kNoiseTable = 1024 + 16 * 1024;

Noise parse_noise(const json& text) {
  return {numbers(text, "cpu_noise", 0, kNoiseTable), numbers(text, "normal", kAny, kNoiseTable),
          numbers(text, "wear_ns", 0, 1024), get<double>(text, "rare_low_ns"), get<double>(text, "rare_span_ns")};
}

ClassLoad parse_class(const json& text) {
  return {get<int>(text, "clients"), get<bool>(text, "closed"), get<std::uint64_t>(text, "write_threshold"),
          numbers(text, "gaps_ns", 0, 1025)};
}

}  // namespace

SpeedTable::SpeedTable(const std::array<int, kKinds>& most, const std::array<int, kClasses>& class_most, int total,
                       const std::vector<std::array<double, kKinds>>& rows)
    : class_most_(class_most) {
  for (int c = 0; c < kClasses; ++c) {
    Pairs& pairs = pairs_[c];
    pairs.reads = most[2 * c];
    pairs.writes = most[2 * c + 1];
    for (int r = 0; r <= most[2 * c]; ++r)
      for (int w = 0; w <= most[2 * c + 1]; ++w) {
        const bool inside = r + w <= class_most[c];
        pairs.index.push_back(inside ? static_cast<int>(pairs.total.size()) : -1);
        if (inside) pairs.total.push_back(r + w);
      }
  }
  for (int first : pairs_[0].total)
    for (int second : pairs_[1].total) {
      const bool inside = first + second <= total;
      row_.push_back(inside ? static_cast<std::int32_t>(speeds_.size()) : -1);
      if (!inside) continue;
      if (speeds_.size() == rows.size()) throw bad("speeds", std::to_string(rows.size()) + " rows", "more");
      Speeds speeds;
      for (int k = 0; k < kKinds; ++k) {
        speeds.speed[k] = rows[speeds_.size()][k];
        speeds.inverse[k] = 1.0 / speeds.speed[k];
        if (!(speeds.speed[k] > 0) || !std::isfinite(speeds.inverse[k]))
          throw bad("speeds", std::to_string(speeds.speed[k]), "above 0");
      }
      speeds_.push_back(speeds);
    }
  if (speeds_.size() != rows.size()) throw bad("speeds", std::to_string(rows.size()) + " rows", std::to_string(speeds_.size()));
}

int SpeedTable::pair_index(int c, std::uint32_t reads, std::uint32_t writes) const {
  const Pairs& pairs = pairs_[c];
  const int index =
      reads <= pairs.reads && writes <= pairs.writes ? pairs.index[reads * (pairs.writes + 1) + writes] : -1;
  if (index < 0)
    throw std::out_of_range("class " + std::to_string(c) + ": " + std::to_string(reads) + " reads and " +
                            std::to_string(writes) + " writes in the device; the service table was made for fewer");
  return index;
}

const Speeds& SpeedTable::of(const Population& population) const {
  const std::size_t first = pair_index(0, population[0], population[1]);
  const std::size_t second = pair_index(1, population[2], population[3]);
  const std::int32_t row = row_.at(first * pairs_[1].total.size() + second);
  if (row < 0) throw std::out_of_range("more operations in the device than hardware threads");
  return speeds_[row];
}

const Demand& ServiceTable::demand(int kind, double size_bytes) const {
  const auto& rows = kinds[kind].demand;
  if (rows.size() == 1) return rows.front();
  return *std::min_element(rows.begin(), rows.end(), [size_bytes](const Demand& a, const Demand& b) {
    return std::abs(a.size_bytes - size_bytes) < std::abs(b.size_bytes - size_bytes);
  });
}

ServiceTable parse_service_table(const json& text) {
  if (get<std::string>(text, "format") != "pmtwin-service-table" || get<int>(text, "version") != kVersion)
    throw bad("format, version", text.dump().substr(0, 80), "what pmtwin.scenarios.nvm_middleware.model.service.table writes, version 2");
  ServiceTable table;
  table.workload = get<std::string>(text, "workload");
  table.host = parse_host(at(text, "host"));
  table.client_wakeup = get<double>(text, "client_wakeup_ns");
  const json& kinds = at(text, "kinds");
  const json& classes = at(text, "classes");
  check(kinds.size() == kKinds, "kinds", std::to_string(kinds.size()), "4");
  check(classes.size() == kClasses, "classes", std::to_string(classes.size()), "2");
  for (int k = 0; k < kKinds; ++k) table.kinds[k] = parse_kind(kinds[k]);
  for (int c = 0; c < kClasses; ++c) table.classes[c] = parse_class(classes[c]);
  table.noise = parse_noise(at(text, "noise"));
  const json& speeds = at(text, "speeds");
  const auto most = get<std::array<int, kKinds>>(speeds, "most");
  const auto class_most = get<std::array<int, kClasses>>(speeds, "class_most");
  for (int value : most) check(value >= 0 && value <= 4096, "most", std::to_string(value), "0 to 4096");
  table.speeds = SpeedTable(most, class_most, table.host.hardware_threads,
                            get<std::vector<std::array<double, kKinds>>>(speeds, "rows"));
  return table;
}

ServiceTable load_service_table(const std::filesystem::path& path) {
  std::ifstream file(path);
  if (!file) throw bad("file", path.string(), "a readable file");
  try {
    return parse_service_table(json::parse(file));
  } catch (const json::exception& error) {
    throw bad("file", path.string(), std::string("JSON that pmtwin.scenarios.nvm_middleware.model.service.table wrote: ") + error.what());
  }
}

}  // namespace pmtwin::emulation
