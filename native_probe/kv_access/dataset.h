#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "native/common/scratch_folder.h"
#include "native_probe/kv_access/store.h"

namespace pmtwin::probe {

// A store filled with values of one size, larger than the caches, and the order in which threads ask for them.
class Dataset {
 public:
  Dataset(const std::string& directory, std::uint64_t key_bytes, std::uint64_t value_bytes, std::uint64_t total_bytes);

  Store& store() { return *store_; }
  std::uint64_t count() const { return count_; }
  std::uint64_t value_bytes() const { return value_bytes_; }

  // The i-th key of a thread's walk over all values in random order; threads begin at different places. Keys lie one after
  // the other in memory, so that fetching the next costs next to nothing.
  std::string_view key(std::uint64_t walk) const {
    return {keys_.data() + walk % count_ * key_bytes_, key_bytes_};
  }

  static std::uint64_t count_for(std::uint64_t key_bytes, std::uint64_t value_bytes, std::uint64_t total_bytes);

 private:
  std::uint64_t key_bytes_, value_bytes_, count_;
  ScratchFolder scratch_;
  std::unique_ptr<Store> store_;
  std::vector<char> keys_;
};

}  // namespace pmtwin::probe
