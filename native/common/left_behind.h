// For what a thread that never comes back may still use.
#pragma once

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace pmtwin {

// Keeps it unchanged until the process has ended; nothing is destroyed then either.
inline void leave_behind(std::shared_ptr<void> thing) {
  static std::mutex mutex;
  static auto& things = *new std::vector<std::shared_ptr<void>>;
  const std::lock_guard lock(mutex);
  things.push_back(std::move(thing));
}

}  // namespace pmtwin
