#include "middleware/engines/map_engine.h"

#include <cstring>
#include <mutex>
#include <new>

#include "middleware/engines/registry.h"

namespace pmtwin::middleware {
namespace {

const Engines::Entry map_entry{{
    .name = "map",
    .description = "an in-memory map: this machine's memory without a key-value store's own cost",
    .make = [](const EngineValues&) { return std::make_shared<MapEngine>(); },
}};

}  // namespace

MapEngine::Shard& MapEngine::shard_of(std::string_view key) {
  // The upper bits: the map within the shard uses the lower ones.
  return shards_[(Hash{}(key) >> 40) % kShards];
}

Status MapEngine::get(std::string_view key, std::span<char> target, std::size_t& bytes) noexcept {
  bytes = 0;
  if (!limits().allow_key(key)) return Status::kRefused;
  Shard& shard = shard_of(key);
  const std::shared_lock lock(shard.mutex);
  const auto found = shard.values.find(key);
  if (found == shard.values.end()) return Status::kNotFound;
  bytes = found->second.size();
  if (bytes > target.size()) return Status::kBufferTooSmall;
  if (bytes != 0) std::memcpy(target.data(), found->second.data(), bytes);
  return Status::kOk;
}

Status MapEngine::put(std::string_view key, std::string_view value) noexcept {
  if (!limits().allow_key(key) || !limits().allow_value(value)) return Status::kRefused;
  Shard& shard = shard_of(key);
  const std::lock_guard lock(shard.mutex);
  try {
    const auto found = shard.values.find(key);
    if (found != shard.values.end()) {
      found->second.reserve(value.size());  // may throw while the old value is still whole
      found->second.assign(value);
    } else {
      shard.values.emplace(key, value);
    }
  } catch (const std::bad_alloc&) {
    return Status::kOutOfSpace;
  }
  return Status::kOk;
}

Status MapEngine::remove(std::string_view key) noexcept {
  if (!limits().allow_key(key)) return Status::kRefused;
  Shard& shard = shard_of(key);
  const std::lock_guard lock(shard.mutex);
  const auto found = shard.values.find(key);
  if (found == shard.values.end()) return Status::kNotFound;
  shard.values.erase(found);
  return Status::kOk;
}

std::string MapEngine::describe() const {
  return "map: hash map in ordinary memory, " + std::to_string(kShards) + " shards, not persistent";
}

}  // namespace pmtwin::middleware
