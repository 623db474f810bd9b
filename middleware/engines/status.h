// Status of a request.
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

// Whether the engine or the middleware did not do what it was asked for. A buffer that is too small is the client's affair.
constexpr bool is_failure(Status status) {
  return status != Status::kOk && status != Status::kNotFound && status != Status::kBufferTooSmall;
}

}  // namespace pmtwin::middleware
