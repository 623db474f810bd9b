// Answers that a worker holds back for a moment while there is more to do.
#pragma once

#include "middleware/core/request.h"

namespace pmtwin::middleware {

// Waking a client costs the worker a system call, and often its processor at once: then each request takes two switches
// between threads. Of answers that are delivered together (core/answer_board.h) the clients run one after the other, with
// little more than one switch each. The first of them waits no longer than kMostWait and one operation, which is far
// less than the switches take; a worker with nothing to do holds nothing back.
class alignas(64) HeldAnswers {
 public:
  static constexpr int kMost = 16;
  static constexpr Nanoseconds kMostWait = 20'000;

  bool empty() const { return count_ == 0; }

  // Whether all should be delivered now.
  bool add(Request& request, Nanoseconds now) {
    request.next = nullptr;
    *last_ = &request;
    last_ = &request.next;
    if (count_++ == 0) since_ = now;
    return count_ == kMost || now - since_ >= kMostWait;
  }

  // The first; the others follow as `next`.
  Request* take() {
    Request* first = first_;
    first_ = nullptr;
    last_ = &first_;
    count_ = 0;
    return first;
  }

 private:
  Request* first_ = nullptr;
  Request** last_ = &first_;
  int count_ = 0;
  Nanoseconds since_ = 0;
};

}  // namespace pmtwin::middleware
