#pragma once

#include <string>

namespace pmtwin::probe {

// libpmem reads its environment when it is loaded: starts this program again with PMEM_IS_PMEM_FORCE=1 where the pool
// lies in a memory file system. Returns if nothing is to be done.
void restart_as_persistent(char** argv, const std::string& directory);

}  // namespace pmtwin::probe
