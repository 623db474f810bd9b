#include "middleware/load/stream.h"

#include <random>

#include "middleware/load/zipfian.h"
#include "native/common/errors.h"

namespace pmtwin::middleware {
namespace {

constexpr std::size_t kPmemkvRecordOverhead = 128;

// SplitMix64's mixing: popular ranks lie scattered over the records.
std::uint64_t scramble(std::uint64_t rank) {
  rank = (rank + 0x9E3779B97F4A7C15u) * 0xBF58476D1CE4E5B9u;
  rank = (rank ^ (rank >> 27)) * 0x94D049BB133111EBu;
  return rank ^ (rank >> 31);
}

double uniform(std::mt19937_64& random) { return static_cast<double>(random() >> 11) * 0x1p-53; }

}  // namespace

Mix ycsb_mix(char letter) {
  switch (letter) {
    case 'a':
      return {0.5, 0.0};
    case 'b':
      return {0.05, 0.0};
    case 'c':
      return {0.0, 0.0};
    case 'f':
      return {0.0, 0.5};
    default:
      throw InputError("mix", std::string(1, letter), "a, b, c, f");
  }
}

Stream draw_stream(const Mix& mix, std::uint32_t records, std::uint64_t count, std::uint64_t seed) {
  if (records < 3) throw InputError("records", std::to_string(records), "3 or more");
  if (count < 1) throw InputError("count", std::to_string(count), "1 or more");
  std::mt19937_64 random(seed);
  const Zipfian zipfian(records);
  std::vector<Asked> requests;
  requests.reserve(count);
  for (std::uint64_t i = 0; i < count; ++i) {
    const double which = uniform(random);
    const Asked::Kind kind = which < mix.updates                            ? Asked::kUpdate
                             : which < mix.updates + mix.read_modify_writes ? Asked::kReadModifyWrite
                                                                            : Asked::kRead;
    const std::uint64_t record = scramble(zipfian.rank(uniform(random))) % records;
    requests.push_back({kind, static_cast<std::uint32_t>(record)});
  }
  return Stream(std::move(requests));
}

Records::Records(Mode mode, std::uint32_t records, std::size_t value_bytes) : value_(value_bytes, 'v') {
  keys_.reserve(records);
  for (std::uint32_t record = 0; record < records; ++record) {
    std::string digits = std::to_string(record);
    keys_.push_back((mode == Mode::kInteractive ? "i" : "b") + std::string(15 - digits.size(), '0') + digits);
  }
}

void Records::fill(Engine& engine) const {
  for (const std::string& key : keys_) {
    const Status status = engine.put(key, value_);
    if (status != Status::kOk) throw EngineError(engine.describe() + ": record not stored: " + std::string(name_of(status)));
  }
}

std::size_t Records::live_bytes() const {
  return keys_.size() * (16 + value_.size() + kPmemkvRecordOverhead);
}

}  // namespace pmtwin::middleware
