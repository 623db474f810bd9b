#include "native_probe/kv_access/store.h"

#include <cstdio>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <vector>

namespace pmtwin::probe {
namespace {

constexpr std::uint64_t kLeastPoolBytes = 64ull << 20;

void require(pmem::kv::status status, const char* what) {
  if (status != pmem::kv::status::OK) throw std::runtime_error(std::string(what) + ": " + pmem::kv::errormsg());
}

}  // namespace

Store::Store(const std::string& pool_path, std::uint64_t pool_bytes, Mode mode) {
  pmem::kv::config config;
  require(config.put_path(pool_path), "path");
  if (mode == Mode::create) {
    require(config.put_size(pool_bytes), "size");
    require(config.put_force_create(true), "force_create");
  }
  require(database_.open("cmap", std::move(config)), "pmemkv open");
}

Store::~Store() { database_.close(); }

void Store::put(std::string_view key, std::string_view value) {
  require(database_.put({key.data(), key.size()}, {value.data(), value.size()}), "pmemkv put");
}

std::size_t Store::get(std::string_view key, char* target) {
  struct Copy {
    char* target;
    std::size_t bytes;
  } copy{target, 0};
  const auto copy_out = [](const char* value, std::size_t bytes, void* argument) {
    auto* to = static_cast<Copy*>(argument);
    std::memcpy(to->target, value, bytes);
    to->bytes = bytes;
  };
  require(database_.get({key.data(), key.size()}, copy_out, &copy), "pmemkv get");
  return copy.bytes;
}

const char* Store::value_address(std::string_view key) {
  const char* address = nullptr;
  const auto look = [](const char* value, std::size_t, void* argument) {
    *static_cast<const char**>(argument) = value;
  };
  require(database_.get({key.data(), key.size()}, look, &address), "pmemkv get");
  return address;
}

std::uint64_t Store::pool_bytes_for(std::uint64_t values, std::uint64_t value_bytes, std::uint64_t key_bytes) {
  // A node, the buckets and the allocator's size classes; above 256 KiB values take whole chunks.
  const std::uint64_t each = value_bytes + value_bytes / 4 + 2 * key_bytes + 512 + (value_bytes > 131072 ? 524288 : 0);
  return kLeastPoolBytes + values * each;
}

std::pair<std::uintptr_t, std::uintptr_t> mapping_of(const std::string& path) {
  std::ifstream maps("/proc/self/maps");
  std::uintptr_t low = UINTPTR_MAX, high = 0;
  for (std::string line; std::getline(maps, line);) {
    unsigned long long from = 0, to = 0;
    if (!line.ends_with(path) || std::sscanf(line.c_str(), "%llx-%llx", &from, &to) != 2) continue;
    low = std::min<std::uintptr_t>(low, from);
    high = std::max<std::uintptr_t>(high, to);
  }
  if (high == 0) throw std::runtime_error("no mapping of " + path);
  return {low, high};
}

std::string key_of(std::uint64_t index, std::uint64_t key_bytes) {
  char digits[17];
  std::snprintf(digits, sizeof digits, "%08llx", static_cast<unsigned long long>(index));
  std::string key(digits);
  key.resize(key_bytes, 'k');
  return key;
}

void fill(Store& store, std::uint64_t count, std::uint64_t key_bytes, std::uint64_t value_bytes) {
  std::string value(value_bytes, 'v');
  for (std::uint64_t index = 0; index < count; ++index) store.put(key_of(index, key_bytes), value);
  // A bucket is split when it is next touched after the table has grown: done here, not in the first get that is counted.
  for (std::uint64_t index = 0; index < count; ++index) store.get(key_of(index, key_bytes), value.data());
}

}  // namespace pmtwin::probe
