// How a client learns that its request is answered: through a word in the request that it sleeps on, so that an answer
// costs a system call only if the client is already asleep.
#pragma once

#include "middleware/core/request.h"
#include "native/common/futex.h"

namespace pmtwin::middleware {

enum AnswerState : std::uint32_t { kPending, kAwaited, kAnswered };

inline void begin_answer(Request& request) { request.answer_state.store(kPending, std::memory_order_relaxed); }

// The request belongs to the client again; it must not be touched afterwards.
inline void deliver_answer(Request& request) {
  if (request.on_answer != nullptr) {
    request.on_answer(request, request.context);
    return;
  }
  std::atomic<std::uint32_t>& state = request.answer_state;
  if (state.exchange(kAnswered, std::memory_order_acq_rel) == kAwaited) futex_wake(state, 1);
}

inline void await_answer(Request& request) {
  std::uint32_t state = kPending;
  if (!request.answer_state.compare_exchange_strong(state, kAwaited, std::memory_order_acquire)) return;
  while (request.answer_state.load(std::memory_order_acquire) != kAnswered) {
    futex_wait(request.answer_state, kAwaited);
  }
}

}  // namespace pmtwin::middleware
