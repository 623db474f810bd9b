// A key-value store below the middleware.
//
// All operations may be called by many threads at once. They never throw: what a request can meet is a Status. What
// a user can mend (a bad path, a pool of another engine) is thrown by an engine's constructor, as EngineError or
// InputError.
#pragma once

#include <cstddef>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

#include "middleware/core/clock.h"
#include "middleware/engines/status.h"

namespace pmtwin::middleware {

class RequestHooks;

// The store cannot be opened or created: one line that says why.
class EngineError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Keys and values that an engine takes; others are refused before anything is done.
struct Limits {
  std::size_t least_key_bytes = 1;
  std::size_t most_key_bytes;
  std::size_t most_value_bytes;

  bool allow_key(std::string_view key) const { return key.size() >= least_key_bytes && key.size() <= most_key_bytes; }
  bool allow_value(std::string_view value) const { return value.size() <= most_value_bytes; }
};

class Engine {
 public:
  virtual ~Engine() = default;

  // Copies the value to `target`. `bytes` is its size, also if it is larger than `target` (kBufferTooSmall: nothing
  // is copied); 0 unless the key is there.
  virtual Status get(std::string_view key, std::span<char> target, std::size_t& bytes) noexcept = 0;

  // Stores a copy, which is durable on return if the engine is persistent.
  virtual Status put(std::string_view key, std::string_view value) noexcept = 0;

  virtual Status remove(std::string_view key) noexcept = 0;

  virtual Limits limits() const = 0;

  // For people and for the record of a run: the engine, its version, where it stores.
  virtual std::string describe() const = 0;

  // The time in which requests are stamped. An engine that emulates a device has its own.
  virtual const Clock& clock() const { return steady_clock(); }

  // What wants to know of a request's way through the middleware, and may spend time on it; none: nullptr.
  virtual RequestHooks* hooks() { return nullptr; }
};

}  // namespace pmtwin::middleware
