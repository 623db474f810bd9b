// Kind of memory below a directory, as far as the kernel states it.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "native_probe/region.h"

namespace pmtwin::probe {

struct Device {
  std::string media;         // pmem, dram, cxl; cpuless: a node without processors, of an unknown kind
  std::optional<int> dimms;  // modules in the interleave set of a pmem region
  std::optional<int> node;   // NUMA node of the device
  std::string warning;       // what the user should know about measuring there; may be empty
};

// Of a NUMA node: the device that the kernel made it of, if it tells. Else looks at the block device below the file
// system: /sys/dev/block/MAJOR:MINOR, and the pmem region it belongs to.
Device examine_device(const Folder& folder, const Region& region);

}  // namespace pmtwin::probe
