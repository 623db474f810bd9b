// One request on its way through the middleware. It belongs to the client, who keeps it, its key and its value or
// buffer in place until it is answered; the middleware allocates nothing but what a client lets grow.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "middleware/core/clock.h"
#include "middleware/core/pools.h"
#include "middleware/engines/status.h"

namespace pmtwin::middleware {

enum class Operation { kGet, kPut, kRemove };

struct Request {
  // The operation.
  Operation operation = Operation::kGet;
  Mode mode = Mode::kInteractive;
  std::string_view key;
  std::string_view value;   // of a put
  std::span<char> target;   // of a get: room for the value
  std::string* grows = nullptr;  // of a get, if set: holds `target`, and is made larger for a value that does not fit
  std::uint64_t number = 0;  // in the stream of its class, if the client counts; the middleware does not look at it

  // Called by the worker instead of waking a waiting client, if set; it must be short and must not throw or wait, and may
  // submit the same request again, any number of times (not for ever after kStopped, which it is told each time). Nothing
  // touches the request after it was called.
  void (*on_answer)(Request&, void* context) noexcept = nullptr;
  void* context = nullptr;

  // The answer.
  Status status = Status::kStopped;
  std::size_t bytes = 0;  // size of the value that was found

  // When, on the engine's clock: submitted, taken by a worker, answered.
  Nanoseconds submitted = 0;
  Nanoseconds started = 0;
  Nanoseconds completed = 0;

  // Bytes of the value that was read or written.
  std::size_t value_bytes() const { return operation == Operation::kGet ? bytes : value.size(); }

  // The middleware's own.
  std::atomic<std::uint32_t> answer_state = 0;  // of core/answer_board.h
  std::uint32_t ticket = 0;                     // likewise
  Request* next = nullptr;                      // in the queue, or among the answers that a worker holds back
};

}  // namespace pmtwin::middleware
