#include "native_probe/kv_access/dataset.h"

#include <algorithm>
#include <numeric>
#include <random>

namespace pmtwin::probe {
namespace {

constexpr std::uint64_t kNodeBytes = 256;  // what a value takes besides itself, about
constexpr std::uint64_t kLeastValues = 64;
constexpr std::uint64_t kOrderSeed = 1;

}  // namespace

std::uint64_t Dataset::count_for(std::uint64_t key_bytes, std::uint64_t value_bytes, std::uint64_t total_bytes) {
  return std::max(kLeastValues, total_bytes / (value_bytes + key_bytes + kNodeBytes));
}

Dataset::Dataset(const std::string& directory, std::uint64_t key_bytes, std::uint64_t value_bytes,
                 std::uint64_t total_bytes)
    : key_bytes_(key_bytes),
      value_bytes_(value_bytes),
      count_(count_for(key_bytes, value_bytes, total_bytes)),
      scratch_(directory, Store::pool_bytes_for(count_, value_bytes, key_bytes)) {
  const std::uint64_t pool_bytes = Store::pool_bytes_for(count_, value_bytes, key_bytes);
  store_ = std::make_unique<Store>(scratch_.pool_path(), pool_bytes, Store::Mode::create);
  fill(*store_, count_, key_bytes, value_bytes);
  std::vector<std::uint64_t> order(count_);
  std::iota(order.begin(), order.end(), 0);
  std::mt19937_64 random(kOrderSeed);
  std::shuffle(order.begin(), order.end(), random);
  keys_.reserve(count_ * key_bytes);
  for (const std::uint64_t index : order) {
    const std::string key = key_of(index, key_bytes);
    keys_.insert(keys_.end(), key.begin(), key.end());
  }
}

}  // namespace pmtwin::probe
