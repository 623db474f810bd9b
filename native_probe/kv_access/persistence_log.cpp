#include "native_probe/kv_access/persistence_log.h"

#include <stdexcept>

namespace pmtwin::probe {
namespace {

thread_local PersistenceLog* t_log = nullptr;
constexpr std::size_t kUsualCalls = 4096;

}  // namespace

PersistenceLog::PersistenceLog() {
  if (t_log != nullptr) throw std::logic_error("a thread has one persistence log at a time");
  calls_.reserve(kUsualCalls);
  t_log = this;
}

PersistenceLog::~PersistenceLog() { t_log = nullptr; }

void PersistenceLog::add(PersistenceCall::Kind kind, const void* address, std::uint64_t bytes, const void* source) {
  if (t_log != nullptr) t_log->calls_.push_back({kind, address, bytes, source});
}

}  // namespace pmtwin::probe
