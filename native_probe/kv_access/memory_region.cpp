#include "native_probe/kv_access/memory_region.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <numeric>
#include <random>
#include <vector>

#include "native/common/errors.h"
#include "native_probe/kv_access/operation_counts.h"

namespace pmtwin::probe {

MemoryRegion::MemoryRegion(const std::string& directory, std::uint64_t bytes)
    : scratch_(directory, bytes), bytes_(bytes) {
  const int file = open(scratch_.pool_path().c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  // allocated now: a hole that cannot be filled later is a SIGBUS in the middle of a measurement
  const int error = file < 0 ? errno : posix_fallocate(file, 0, static_cast<off_t>(bytes));
  void* mapped = error != 0 ? MAP_FAILED : mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (file >= 0) close(file);
  if (mapped == MAP_FAILED) {
    const std::string wrong = std::string("cannot be used: ") + std::strerror(error != 0 ? error : errno);
    throw InputError("--path", directory, "a directory with room for the measurement", wrong);
  }
  data_ = static_cast<char*>(mapped);
  std::memset(data_, 1, bytes);
}

MemoryRegion::~MemoryRegion() { munmap(data_, bytes_); }

void MemoryRegion::link_ring() {
  std::vector<std::uint64_t> order(bytes_ / kMediaLineBytes);
  std::iota(order.begin(), order.end(), 0);
  std::mt19937_64 random(1);
  std::shuffle(order.begin(), order.end(), random);
  for (std::size_t index = 0; index < order.size(); ++index) {
    char* next = data_ + order[(index + 1) % order.size()] * kMediaLineBytes;
    std::memcpy(data_ + order[index] * kMediaLineBytes, &next, sizeof next);
  }
}

}  // namespace pmtwin::probe
