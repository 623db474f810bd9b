// Opening a pool of pmemkv in main memory.
#pragma once

#include <string>

namespace pmtwin::middleware {

// While it lives, libpmem takes a pool in main memory (tmpfs) for persistent, so that a flush is no system call: there
// is nothing below that could lose anything. libpmem asks once, when the first pool of the process is opened.
class MemoryTakenForPersistent {
 public:
  // Throws EngineError for a pool elsewhere, once one in main memory was opened.
  explicit MemoryTakenForPersistent(const std::string& file);
  ~MemoryTakenForPersistent();
  MemoryTakenForPersistent(const MemoryTakenForPersistent&) = delete;
  MemoryTakenForPersistent& operator=(const MemoryTakenForPersistent&) = delete;

 private:
  bool set_ = false;
};

}  // namespace pmtwin::middleware
