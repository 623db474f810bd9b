#pragma once

#include <cstdint>
#include <vector>

namespace pmtwin::probe {

// What libpmem was asked to do, call by call. The executable defines libpmem's functions itself (persistence_shim.cc), so
// that libpmemobj's calls arrive there first, are written down here and then go on to libpmem.
struct PersistenceCall {
  enum class Kind : std::uint8_t { flush, copy_flushed, copy_streamed, copy_unflushed, fence, synchronise };
  Kind kind;
  const void* address;
  std::uint64_t bytes;
  const void* source;  // of a copy, null for memset
};

// Writes down the calls of this thread while it lives; one at a time in a thread.
class PersistenceLog {
 public:
  PersistenceLog();
  ~PersistenceLog();
  PersistenceLog(const PersistenceLog&) = delete;
  PersistenceLog& operator=(const PersistenceLog&) = delete;

  const std::vector<PersistenceCall>& calls() const { return calls_; }
  void clear() { calls_.clear(); }

  static void add(PersistenceCall::Kind kind, const void* address, std::uint64_t bytes, const void* source = nullptr);

 private:
  std::vector<PersistenceCall> calls_;
};

}  // namespace pmtwin::probe
