// The keys of a replay: for each class and size of value so many, each of which always holds a value of that size, so
// that a get finds the size that the trace says and puts overwrite like with like (other sizes fragment pmemkv's pools).
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "middleware/engines/engine.h"
#include "middleware/core/pools.h"

namespace pmtwin::replay {

class KeySpace {
 public:
  // `keys` for each class, shared by the sizes that occur; at least one for each size.
  KeySpace(middleware::Engine& engine, std::size_t keys) : engine_(engine), keys_(keys) {}

  // Stores values for these sizes, as far as it has not been done. Throws InputError where the store has no room for so
  // many, or takes no value so large; EngineError if it fails otherwise; and what ends long work (Interruptible).
  void prepare(middleware::Mode mode, const std::vector<std::uint32_t>& sizes);

  // The key of request `number` of a class for a value of a prepared size: by a hash, so that all are used alike.
  std::string_view key(middleware::Mode mode, std::uint32_t bytes, std::uint64_t number) const;

  // A value of that size, which must have been prepared. It stays where it is while further sizes are prepared:
  // requests that hold it may be under way.
  std::string_view value(std::uint32_t bytes) const { return std::string_view(letters_.back()).substr(0, bytes); }

 private:
  void check(middleware::Status status, std::uint32_t bytes) const;
  void reach(std::size_t bytes);  // there are so many letters

  middleware::Engine& engine_;
  const std::size_t keys_;
  std::array<std::map<std::uint32_t, std::vector<std::string>>, middleware::kModes> names_;
  std::deque<std::string> letters_;  // of which every value is the beginning; a longer one comes beside the others
};

}  // namespace pmtwin::replay
