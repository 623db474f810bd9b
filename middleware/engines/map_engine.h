// A hash map in ordinary memory, in shards that are locked one by one. Not persistent.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <shared_mutex>
#include <string>
#include <unordered_map>

#include "middleware/engines/engine.h"

namespace pmtwin::middleware {

class MapEngine : public Engine {
 public:
  static constexpr std::size_t kShards = 64;

  Status get(std::string_view key, std::span<char> target, std::size_t& bytes) noexcept override;
  Status put(std::string_view key, std::string_view value) noexcept override;
  Status remove(std::string_view key) noexcept override;
  Limits limits() const override { return {1, std::size_t{1} << 16, std::size_t{1} << 30}; }
  std::string describe() const override;

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view key) const { return std::hash<std::string_view>{}(key); }
  };
  struct alignas(64) Shard {
    mutable std::shared_mutex mutex;
    std::unordered_map<std::string, std::string, Hash, std::equal_to<>> values;
  };

  Shard& shard_of(std::string_view key);

  std::array<Shard, kShards> shards_;
};

}  // namespace pmtwin::middleware
