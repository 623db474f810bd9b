#include "native_probe/case.h"

#include <cmath>
#include <initializer_list>
#include <set>
#include <sstream>

#include "native/common/errors.h"
#include "native_probe/access.h"

namespace pmtwin::probe {
namespace {

using nlohmann::json;

constexpr std::uint64_t kLargestAccess = 1u << 30;
constexpr std::uint64_t kLargestStride = std::uint64_t{1} << 36;
constexpr int kMostThreads = 4096;
constexpr int kMostRepetitions = 10'000;
constexpr double kShortestS = 0.001, kLongestS = 60.0;

const std::set<std::string> kFields = {"kind",        "operation",  "write_operation",      "mix_by",
                                       "pattern",     "line",       "access_size_bytes",    "threads",
                                       "write_ratio", "numa",       "fence_interval_bytes", "stride_bytes",
                                       "min_time_s",  "repetitions"};

std::string shown(const json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

template <class Names>
std::string joined(const Names& names) {
  std::string all;
  for (const auto& name : names) all += (all.empty() ? "" : ", ") + std::string(name);
  return all;
}

// The index of the value among `names`.
int one_of(const json& asked, const char* field, std::initializer_list<const char*> names, int otherwise = -1) {
  if (!asked.contains(field)) {
    if (otherwise >= 0) return otherwise;
    throw InputError::missing(field, joined(names));
  }
  const json& value = asked.at(field);
  int index = 0;
  for (const char* name : names) {
    if (value.is_string() && value.get<std::string>() == name) return index;
    ++index;
  }
  throw InputError(field, shown(value), joined(names));
}

double number(const json& asked, const char* field, double otherwise, double low, double high, bool whole) {
  if (!asked.contains(field)) return otherwise;
  const json& value = asked.at(field);
  const double found = value.is_number() ? value.get<double>() : std::nan("");
  if (!(found >= low && found <= high) || (whole && found != std::floor(found))) {
    std::ostringstream allowed;
    allowed << (whole ? "a whole number of " : "") << low << " to " << high;
    throw InputError(field, shown(value), allowed.str());
  }
  return found;
}

std::uint64_t lines(const json& asked, const char* field, std::uint64_t otherwise, std::uint64_t low,
                    std::uint64_t high) {
  const auto bytes = static_cast<std::uint64_t>(
      number(asked, field, static_cast<double>(otherwise), static_cast<double>(low), static_cast<double>(high), true));
  if (bytes % kLineBytes != 0) throw InputError(field, std::to_string(bytes), "a multiple of 64 B, the cache line");
  return bytes;
}

void refuse(bool wrong, const char* field, const json& asked, const char* allowed) {
  if (!wrong) return;
  if (!asked.contains(field)) throw InputError::missing(field, allowed);
  throw InputError(field, shown(asked.at(field)), allowed);
}

void check_together(const Case& found, const json& asked) {
  const bool only_reads = !found.mixed && !writes(found.operation);
  const bool bandwidth = found.kind == Kind::kBandwidth;
  refuse(found.mixed && !bandwidth, "operation", asked,
         "load, ntstore, store_clwb, store: mixes have a bandwidth only");
  refuse(found.kind == Kind::kChase && found.operation != Operation::kLoad, "operation", asked, "load, in a chase");
  refuse(found.kind == Kind::kChase && found.access_bytes != kLineBytes, "access_size_bytes", asked, "64, in a chase");
  refuse(!found.mixed && asked.contains("write_operation"), "write_operation", asked, "nothing, unless it is a mix");
  refuse(!found.mixed && found.write_ratio != 0.0, "write_ratio", asked, "nothing, unless operation is mixed");
  refuse(found.stride_bytes != 0 && (found.random || found.kind == Kind::kChase), "stride_bytes", asked,
         "0, unless the pattern is sequential and the kind bandwidth or latency");
  refuse(found.stride_bytes != 0 && found.stride_bytes < found.access_bytes, "stride_bytes", asked,
         "0 or at least the access size");
  refuse(found.fence_interval_bytes != 0 && (!bandwidth || only_reads), "fence_interval_bytes", asked,
         "0, unless it is the bandwidth of writes");
  refuse(asked.contains("line") && found.kind != Kind::kLatency, "line", asked, "nothing, unless kind is latency");
  const double writing = found.write_ratio * found.threads;
  refuse(found.mixed && !found.mix_by_accesses && std::abs(writing - std::round(writing)) > 1e-9, "write_ratio", asked,
         "a ratio that gives a whole number of writing threads, or mix_by: accesses");
}

}  // namespace

int Case::writing_threads() const {
  return static_cast<int>(std::lround(write_ratio * threads));
}

Case parse_case(const json& asked) {
  if (!asked.is_object()) throw InputError("case", asked.dump(), "an object with kind and operation");
  for (const auto& [field, value] : asked.items()) {
    if (kFields.count(field) == 0) throw InputError("case", field, joined(kFields), "is no field");
  }
  Case found;
  found.kind = static_cast<Kind>(one_of(asked, "kind", {"bandwidth", "latency", "chase"}));
  const int operation = one_of(asked, "operation", {"load", "ntstore", "store_clwb", "store", "mixed"});
  found.mixed = operation == 4;
  found.operation = found.mixed ? Operation::kLoad : static_cast<Operation>(operation);
  found.write_operation = static_cast<Operation>(
      1 + one_of(asked, "write_operation", {"ntstore", "store_clwb", "store"}, found.mixed ? -1 : 0));
  found.mix_by_accesses = one_of(asked, "mix_by", {"threads", "accesses"}, 0) == 1;
  found.random = one_of(asked, "pattern", {"random", "sequential"}, 0) == 0;
  const bool cached_by_default = found.operation == Operation::kStoreClwb || found.operation == Operation::kStore;
  found.cached =
      one_of(asked, "line", {"cold", "cached"}, found.kind == Kind::kLatency && cached_by_default ? 1 : 0) == 1;
  found.access_bytes = lines(asked, "access_size_bytes", 64, 64, kLargestAccess);
  found.stride_bytes = lines(asked, "stride_bytes", 0, 0, kLargestStride);
  found.fence_interval_bytes = lines(asked, "fence_interval_bytes", 0, 0, kLargestAccess);
  found.threads = static_cast<int>(number(asked, "threads", 1, 1, kMostThreads, true));
  found.write_ratio = number(asked, "write_ratio", 0.0, 0.0, 1.0, false);
  found.numa = one_of(asked, "numa", {"local", "remote"}, 0) == 0 ? "local" : "remote";
  found.repetitions = static_cast<int>(number(asked, "repetitions", 10, 1, kMostRepetitions, true));
  found.min_time_s = number(asked, "min_time_s", 0.1, kShortestS, kLongestS, false);
  check_together(found, asked);
  return found;
}

std::string name_of(const Case& asked) {
  static const char* const kinds[] = {"bandwidth", "latency", "chase"};
  std::ostringstream name;
  name << kinds[static_cast<int>(asked.kind)] << '/';
  if (asked.mixed) {
    name << "load+" << name_of(asked.write_operation) << ':' << asked.write_ratio
         << (asked.mix_by_accesses ? ":accesses" : ":threads");
  } else {
    name << name_of(asked.operation);
  }
  name << '/' << (asked.random ? "random" : "sequential") << '/' << asked.access_bytes << 'B';
  if (asked.stride_bytes != 0) name << "/stride:" << asked.stride_bytes;
  if (asked.fence_interval_bytes != 0) name << "/fence:" << asked.fence_interval_bytes;
  if (asked.kind == Kind::kLatency) name << (asked.cached ? "/cached" : "/cold");
  if (asked.numa != "local") name << '/' << asked.numa;
  return name.str();
}

std::string label_of(const Case& asked, const Isa& isa) {
  static const char* const kinds[] = {"bandwidth", "latency", "chase"};
  std::ostringstream label;
  label << "operation=" << (asked.mixed ? "mixed" : name_of(asked.operation));
  if (asked.mixed) {
    label << " write_operation=" << name_of(asked.write_operation)
          << " mix_by=" << (asked.mix_by_accesses ? "accesses" : "threads");
  }
  label << " pattern=" << (asked.random ? "random" : "sequential") << " kind=" << kinds[static_cast<int>(asked.kind)];
  if (asked.kind == Kind::kLatency) label << " line=" << (asked.cached ? "cached" : "cold");
  label << " numa=" << asked.numa << " isa=" << name_of(isa);
  return label.str();
}

}  // namespace pmtwin::probe
