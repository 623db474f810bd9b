// pmemkv's handle of a pool, and the meaning of its answers here.
#pragma once

#include <cstdint>
#include <cstring>
#include <libpmemkv.hpp>
#include <span>
#include <string>
#include <string_view>

#include "middleware/engines/status.h"

namespace pmtwin::middleware {

enum class Pool { kExisting, kNew };

// Opens a pool, or creates one of `bytes`. Empty, or why that failed.
std::string open_database(pmem::kv::db& database, const std::string& path, Pool pool, std::uint64_t bytes = 0);

inline pmem::kv::string_view view(std::string_view text) { return {text.data(), text.size()}; }

// The operations, over anything with the put, get and remove of pmem::kv::db. None holds anything of pmemkv's when it
// returns: pmemkv locks a key during its callback, so nothing but a copy or a comparison may happen there.

template <class Database>
Status get_from(Database& database, std::string_view key, std::span<char> target, std::size_t& bytes) {
  using pmem::kv::status;
  struct Copy {
    std::span<char> target;
    std::size_t bytes = 0;
  } copy{target};
  const status result = database.get(
      view(key),
      [](const char* value, std::size_t size, void* argument) {
        Copy& into = *static_cast<Copy*>(argument);
        into.bytes = size;
        if (size != 0 && size <= into.target.size()) std::memcpy(into.target.data(), value, size);
      },
      &copy);
  bytes = result == status::OK ? copy.bytes : 0;
  if (result == status::NOT_FOUND) return Status::kNotFound;
  if (result != status::OK) return Status::kFailed;
  return bytes <= target.size() ? Status::kOk : Status::kBufferTooSmall;
}

// After a put for which there was no room, and which may have been made all the same.
template <class Database>
Status outcome_of_put(Database& database, std::string_view key, std::string_view value) {
  using pmem::kv::status;
  struct Comparison {
    std::string_view wanted;
    bool equal = false;
  } comparison{value};
  const status result = database.get(
      view(key),
      [](const char* stored, std::size_t size, void* argument) {
        Comparison& with = *static_cast<Comparison*>(argument);
        with.equal = std::string_view(stored, size) == with.wanted;
      },
      &comparison);
  if (result == status::OK) return comparison.equal ? Status::kOk : Status::kOutOfSpace;
  return result == status::NOT_FOUND ? Status::kOutOfSpace : Status::kOutcomeUnknown;
}

// Status of a put or remove that failed for another reason than lack of room.
inline Status status_of_failure(pmem::kv::status result) {
  using pmem::kv::status;
  switch (result) {
    case status::NOT_FOUND:
      return Status::kNotFound;
    case status::NOT_SUPPORTED:
    case status::INVALID_ARGUMENT:
    case status::TRANSACTION_SCOPE_ERROR:
      return Status::kFailed;
    default:
      return Status::kOutcomeUnknown;
  }
}

template <class Database>
Status put_into(Database& database, std::string_view key, std::string_view value) {
  const pmem::kv::status result = database.put(view(key), view(value));
  if (result == pmem::kv::status::OK) return Status::kOk;
  return result == pmem::kv::status::OUT_OF_MEMORY ? outcome_of_put(database, key, value) : status_of_failure(result);
}

template <class Database>
Status remove_from(Database& database, std::string_view key) {
  const pmem::kv::status result = database.remove(view(key));
  return result == pmem::kv::status::OK ? Status::kOk : status_of_failure(result);
}

}  // namespace pmtwin::middleware
