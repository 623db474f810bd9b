#pragma once

#include "middleware/core/request.h"
#include "middleware/engines/engine.h"

namespace pmtwin::middleware {

// Carries out what a request asks for.
inline void execute(Engine& engine, Request& request) {
  request.bytes = 0;
  switch (request.operation) {
    case Operation::kGet:
      request.status = engine.get(request.key, request.target, request.bytes);
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
