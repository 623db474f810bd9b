// libpmem's functions, defined in the executable and therefore found before libpmem's own by everything that is loaded
// with it, libpmemobj above all. Each writes down what was asked for and calls the next definition, libpmem's.
//
// libpmem copies with non-temporal stores from PMEM_MOVNT_THRESHOLD bytes on, unless flags say which to take
// (libpmem's manual, pmem_memmove_persist(3)); this file repeats that choice, and the count of instructions
// (instruction_steps.h) checks it.

#include <dlfcn.h>
#include <libpmem.h>

#include <cstdlib>

#include "native_probe/kv_access/persistence_log.h"

namespace {

using pmtwin::probe::PersistenceLog;
using Kind = pmtwin::probe::PersistenceCall::Kind;

// libpmem's functions call one another, and these calls arrive here again: only those from outside are written down.
thread_local int t_depth = 0;

class Inside {
 public:
  Inside() { ++t_depth; }
  ~Inside() { --t_depth; }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;
};

void note(Kind kind, const void* address, std::size_t bytes, const void* source = nullptr) {
  if (t_depth == 0) PersistenceLog::add(kind, address, bytes, source);
}

template <typename Function>
Function next(const char* name) {
  void* found = dlsym(RTLD_NEXT, name);
  if (found == nullptr) std::abort();  // libpmem is linked: it cannot lack its own functions
  return reinterpret_cast<Function>(found);
}

std::size_t streaming_threshold() {
  static const std::size_t threshold = [] {
    const char* given = std::getenv("PMEM_MOVNT_THRESHOLD");
    return given == nullptr ? std::size_t{256} : static_cast<std::size_t>(std::strtoull(given, nullptr, 10));
  }();
  return threshold;
}

Kind kind_of_copy(std::size_t bytes, unsigned flags) {
  if (flags & PMEM_F_MEM_NOFLUSH) return Kind::copy_unflushed;
  if (flags & (PMEM_F_MEM_WC | PMEM_F_MEM_NONTEMPORAL)) return Kind::copy_streamed;
  if (flags & (PMEM_F_MEM_WB | PMEM_F_MEM_TEMPORAL)) return Kind::copy_flushed;
  return bytes < streaming_threshold() ? Kind::copy_flushed : Kind::copy_streamed;
}

void note_copy(const void* target, const void* source, std::size_t bytes, unsigned flags) {
  note(kind_of_copy(bytes, flags), target, bytes, source);
  if (!(flags & (PMEM_F_MEM_NODRAIN | PMEM_F_MEM_NOFLUSH))) note(Kind::fence, nullptr, 0);
}

}  // namespace

extern "C" {

void pmem_flush(const void* address, size_t bytes) {
  static const auto real = next<decltype(&pmem_flush)>("pmem_flush");
  note(Kind::flush, address, bytes);
  const Inside inside;
  real(address, bytes);
}

void pmem_deep_flush(const void* address, size_t bytes) {
  static const auto real = next<decltype(&pmem_deep_flush)>("pmem_deep_flush");
  note(Kind::flush, address, bytes);
  const Inside inside;
  real(address, bytes);
}

void pmem_drain(void) {
  static const auto real = next<decltype(&pmem_drain)>("pmem_drain");
  note(Kind::fence, nullptr, 0);
  const Inside inside;
  real();
}

void pmem_persist(const void* address, size_t bytes) {
  static const auto real = next<decltype(&pmem_persist)>("pmem_persist");
  note(Kind::flush, address, bytes);
  note(Kind::fence, nullptr, 0);
  const Inside inside;
  real(address, bytes);
}

int pmem_msync(const void* address, size_t bytes) {
  static const auto real = next<decltype(&pmem_msync)>("pmem_msync");
  note(Kind::synchronise, address, bytes);
  const Inside inside;
  return real(address, bytes);
}

void* pmem_memcpy(void* target, const void* source, size_t bytes, unsigned flags) {
  static const auto real = next<decltype(&pmem_memcpy)>("pmem_memcpy");
  note_copy(target, source, bytes, flags);
  const Inside inside;
  return real(target, source, bytes, flags);
}

void* pmem_memmove(void* target, const void* source, size_t bytes, unsigned flags) {
  static const auto real = next<decltype(&pmem_memmove)>("pmem_memmove");
  note_copy(target, source, bytes, flags);
  const Inside inside;
  return real(target, source, bytes, flags);
}

void* pmem_memset(void* target, int value, size_t bytes, unsigned flags) {
  static const auto real = next<decltype(&pmem_memset)>("pmem_memset");
  note_copy(target, nullptr, bytes, flags);
  const Inside inside;
  return real(target, value, bytes, flags);
}
}
