#pragma once

#include <exception>

#include "middleware/core/request.h"
#include "middleware/engines/engine.h"

namespace pmtwin::middleware {

// Gives a get room for the value that it met; false if there is none to be had.
inline bool grow(Request& request) noexcept {
  try {
    request.grows->resize(request.bytes);
  } catch (const std::exception&) {  // bad_alloc, length_error
    return false;
  }
  request.target = *request.grows;
  return true;
}

// Carries out what a request asks for.
inline void execute(Engine& engine, Request& request) {
  request.bytes = 0;
  switch (request.operation) {
    case Operation::kGet:
      do {  // again, here: to the client, and to what counts requests, it is one
        request.status = engine.get(request.key, request.target, request.bytes);
      } while (request.status == Status::kBufferTooSmall && request.grows != nullptr && grow(request));
      break;
    case Operation::kPut:
      request.status = engine.put(request.key, request.value);
      break;
    case Operation::kRemove:
      request.status = engine.remove(request.key);
      break;
  }
}

}  // namespace pmtwin::middleware
