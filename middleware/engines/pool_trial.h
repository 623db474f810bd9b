// Trial of a pool by another process: damage kills or hangs that process instead of this one.
#pragma once

#include "middleware/engines/pmemkv_engine.h"

namespace pmtwin::middleware {

// Throws EngineError unless pmtwin-pool-check could do with the pool what its user will do, or if that program is
// neither where `options` say, nor beside the program or library that this is in, nor in PATH.
void try_pool(const PmemkvOptions& options);

}  // namespace pmtwin::middleware
