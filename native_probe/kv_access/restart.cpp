#include "native_probe/kv_access/restart.h"

#include <unistd.h>

#include <cstdlib>
#include <stdexcept>

#include "native/common/scratch_folder.h"

namespace pmtwin::probe {

void restart_as_persistent(char** argv, const std::string& directory) {
  if (!is_memory_file_system(directory) || std::getenv("PMEM_IS_PMEM_FORCE") != nullptr) return;
  setenv("PMEM_IS_PMEM_FORCE", "1", 1);
  execv("/proc/self/exe", argv);
  throw std::runtime_error("this program could not start itself again");
}

}  // namespace pmtwin::probe
