#include "middleware/engines/pool_size.h"

#include <algorithm>

namespace pmtwin::middleware {
namespace {

constexpr std::uint64_t kHugePage = std::uint64_t{2} << 20;
constexpr std::uint64_t kOverheadPerRecord = 128;  // node, bucket, header of the allocation, class of its size

}  // namespace

std::uint64_t pool_bytes_for(std::uint64_t records, std::uint64_t key_bytes, std::uint64_t value_bytes) {
  const std::uint64_t live = records * (key_bytes + value_bytes + kOverheadPerRecord);
  const std::uint64_t wanted = std::max(kPoolPerLiveByte * live, 8 * kLeastPoolBytes);
  return (wanted + kHugePage - 1) / kHugePage * kHugePage;
}

}  // namespace pmtwin::middleware
