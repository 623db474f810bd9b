#include "middleware/load/stream.h"

#include <algorithm>
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
    case 'd':
      return {0.0, 0.0, 0.05};
    case 'f':
      return {0.0, 0.5};
    default:
      throw InputError("YCSB mix", std::string(1, letter), "a, b, c, d, f");
  }
}

Stream draw_stream(const Mix& mix, std::uint32_t records, std::uint64_t count, std::uint64_t seed) {
  if (records < 3) throw InputError("records", std::to_string(records), "3 or more");
  if (count < 1) throw InputError("count", std::to_string(count), "1 or more");
  std::mt19937_64 random(seed);
  const Zipfian zipfian(records);
  std::vector<Asked> requests;
  requests.reserve(count);
  std::uint32_t next = records;  // to be inserted
  for (std::uint64_t i = 0; i < count; ++i) {
    const double which = uniform(random);
    const std::uint64_t rank = zipfian.rank(uniform(random));
    if (mix.inserts > 0 && which < mix.inserts) {
      requests.push_back({Asked::kUpdate, next++});
      continue;
    }
    if (mix.inserts > 0) {
      requests.push_back({Asked::kRead, next - 1 - static_cast<std::uint32_t>(std::min<std::uint64_t>(rank, records - 1))});
      continue;
    }
    const Asked::Kind kind = which < mix.updates                            ? Asked::kUpdate
                             : which < mix.updates + mix.read_modify_writes ? Asked::kReadModifyWrite
                                                                            : Asked::kRead;
    const std::uint64_t record = scramble(rank) % records;
    requests.push_back({kind, static_cast<std::uint32_t>(record)});
  }
  return Stream(std::move(requests));
}

std::uint32_t Stream::records() const {
  const auto highest = [](const Asked& a, const Asked& b) { return a.record < b.record; };
  return std::max_element(requests_.begin(), requests_.end(), highest)->record + 1;
}

Records::Records(Mode mode, std::uint32_t records, std::size_t value_bytes) : value_(value_bytes, 'v') {
  keys_.reserve(records);
  for (std::uint32_t record = 0; record < records; ++record) {
    std::string digits = std::to_string(record);
    keys_.push_back((mode == Mode::kInteractive ? "i" : "b") + std::string(15 - digits.size(), '0') + digits);
  }
}

void Records::fill(Engine& engine, std::uint32_t first) const {
  for (std::uint32_t record = 0; record < count(); ++record) {
    const Status status = record < first ? engine.put(keys_[record], value_) : engine.remove(keys_[record]);
    if (is_failure(status)) throw EngineError(engine.describe() + ": record not stored: " + std::string(name_of(status)));
  }
}

std::size_t Records::live_bytes() const {
  return keys_.size() * (16 + value_.size() + kPmemkvRecordOverhead);
}

}  // namespace pmtwin::middleware
