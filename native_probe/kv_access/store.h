#pragma once

#include <cstdint>
#include <libpmemkv.hpp>
#include <string>
#include <string_view>
#include <utility>

namespace pmtwin::probe {

// pmemkv's `cmap` in one pool file: a persistent concurrent hash map.
class Store {
 public:
  enum class Mode { create, open };

  // Throws std::runtime_error with pmemkv's own message.
  Store(const std::string& pool_path, std::uint64_t pool_bytes, Mode mode);
  ~Store();
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  void put(std::string_view key, std::string_view value);

  // Copies the value to `target`, which must have room for it; its size.
  std::size_t get(std::string_view key, char* target);

  // Present place of the value in the pool.
  const char* value_address(std::string_view key);

  // Room that a pool of `values` values of this size needs, with the slack that overwriting asks for.
  static std::uint64_t pool_bytes_for(std::uint64_t values, std::uint64_t value_bytes, std::uint64_t key_bytes);

 private:
  pmem::kv::db database_;
};

// The address range of a file's mapping in this process, from /proc/self/maps.
std::pair<std::uintptr_t, std::uintptr_t> mapping_of(const std::string& path);

// Name of value `index`: `key_bytes` characters, at least 8, so that the first 8 tell 2^32 values apart.
std::string key_of(std::uint64_t index, std::uint64_t key_bytes);

// Puts values 0 .. count - 1 of `value_bytes` each, and brings the store into the state of one in use.
void fill(Store& store, std::uint64_t count, std::uint64_t key_bytes, std::uint64_t value_bytes);

}  // namespace pmtwin::probe
