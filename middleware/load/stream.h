// What the clients of a class ask for, one request after the other. It is drawn before the run, or given from outside,
// so that a run costs no more than a look-up for each request and others can meet the same requests.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "middleware/core/pools.h"
#include "middleware/engines/engine.h"

namespace pmtwin::middleware {

struct Asked {
  enum Kind : std::uint8_t { kRead, kUpdate, kReadModifyWrite } kind;
  std::uint32_t record;
};

// Requests 0, 1, ... and from the beginning again. Not empty.
class Stream {
 public:
  explicit Stream(std::vector<Asked> requests) : requests_(std::move(requests)) {}

  const Asked& at(std::uint64_t number) const { return requests_[number % requests_.size()]; }
  std::uint64_t size() const { return requests_.size(); }
  std::uint32_t records() const;  // that it asks for: these are numbered below

 private:
  std::vector<Asked> requests_;
};

// Shares of a mix; the rest are reads. Where records are inserted, reads ask for the latest ones most often.
struct Mix {
  double updates = 0;
  double read_modify_writes = 0;
  double inserts = 0;
};

// YCSB's core workloads A, B, C, D and F (Cooper et al., SoCC 2010). E scans, which no engine here can. Throws InputError
// for another letter.
Mix ycsb_mix(char letter);

// `count` requests over so many records, popular ones (scrambled zipfian) more often; an insert is an update of the next
// record after these, which is not in the store yet. The same for the same seed.
Stream draw_stream(const Mix& mix, std::uint32_t records, std::uint64_t count, std::uint64_t seed);

// The records of a class: their keys, and values that all have one size.
class Records {
 public:
  Records(Mode mode, std::uint32_t records, std::size_t value_bytes);

  // Puts all of them. Throws EngineError if the store does not take one.
  void fill(Engine& engine) const { fill(engine, count()); }

  // The first so many of them are in the store, and the rest are not. Throws likewise.
  void fill(Engine& engine, std::uint32_t first) const;

  std::uint32_t count() const { return static_cast<std::uint32_t>(keys_.size()); }
  std::string_view key(std::uint32_t record) const { return keys_[record]; }
  std::string_view value() const { return value_; }
  std::size_t live_bytes() const;

 private:
  std::vector<std::string> keys_;
  std::string value_;
};

}  // namespace pmtwin::middleware
