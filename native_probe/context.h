// Facts about a machine that a later reader of its measurements needs.
#pragma once

#include <nlohmann/json.hpp>

#include "native/common/placement.h"
#include "native_probe/clock.h"
#include "native_probe/device.h"
#include "native_probe/isa.h"
#include "native_probe/noise.h"
#include "native_probe/region.h"

namespace pmtwin::probe {

inline constexpr int kSchemaVersion = 1;

// Size of the largest cache that Google Benchmark knows of; 32 MiB if it knows none.
std::uint64_t last_level_cache_bytes();

// Google Benchmark's own context and ours beside it.
nlohmann::json context_of(const Folder& folder, const Region& region, const Device& device, const Placement& placement,
                          const Clock& clock, const Noise& noise, const Isa& isa);

}  // namespace pmtwin::probe
