// What became of a request.
#pragma once

#include <string_view>

namespace pmtwin::middleware {

enum class Status {
  kOk,
  kNotFound,        // no such key
  kBufferTooSmall,  // the value is larger than the buffer; its size is told
  kRefused,         // the key or the value is outside the engine's limits; nothing was done
  kOutOfSpace,      // nothing was stored, which was made sure of by reading
  kOutcomeUnknown,  // the engine failed half-way: the change may have been made or not
  kFailed,          // the engine failed; nothing was changed
  kStopped,         // the middleware does not run
};

constexpr std::string_view name_of(Status status) {
  constexpr std::string_view kNames[] = {"ok",           "not found",       "buffer too small", "refused",
                                         "out of space", "outcome unknown", "failed",           "stopped"};
  return kNames[static_cast<int>(status)];
}

}  // namespace pmtwin::middleware
