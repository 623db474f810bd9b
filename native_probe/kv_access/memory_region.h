#pragma once

#include <cstdint>
#include <string>

#include "native/common/scratch_folder.h"

namespace pmtwin::probe {

// Memory of a file in the directory that is probed, mapped like a pool, every page of it touched.
class MemoryRegion {
 public:
  MemoryRegion(const std::string& directory, std::uint64_t bytes);
  ~MemoryRegion();
  MemoryRegion(const MemoryRegion&) = delete;
  MemoryRegion& operator=(const MemoryRegion&) = delete;

  char* data() { return data_; }
  std::uint64_t bytes() const { return bytes_; }

  // Makes of the region one ring of pointers that visits media lines in random order.
  void link_ring();

 private:
  ScratchFolder scratch_;
  std::uint64_t bytes_;
  char* data_;
};

}  // namespace pmtwin::probe
