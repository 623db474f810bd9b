#include "middleware/engines/pool_in_memory.h"

#include <atomic>
#include <cstdlib>
#include <filesystem>

#include "middleware/engines/engine.h"
#include "native/common/scratch_folder.h"

namespace pmtwin::middleware {
namespace {

constexpr const char* kVariable = "PMEM_IS_PMEM_FORCE";

}  // namespace

MemoryTakenForPersistent::MemoryTakenForPersistent(const std::string& file) {
  const bool memory = is_memory_file_system(std::filesystem::absolute(file).parent_path());
  static std::atomic<bool> seen{false};
  if (!memory && seen) {
    throw EngineError(
        "this process has opened a pool in main memory, after which libpmem would not flush this one: use another");
  }
  seen = seen || memory;
  set_ = memory && std::getenv(kVariable) == nullptr && setenv(kVariable, "1", 1) == 0;
}

MemoryTakenForPersistent::~MemoryTakenForPersistent() {
  if (set_) unsetenv(kVariable);
}

}  // namespace pmtwin::middleware
