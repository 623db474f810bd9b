// Requests that a callback submits again.
#pragma once

#include "middleware/core/request.h"

namespace pmtwin::middleware {

// Where a request is answered by the thread that submits it, one whose `on_answer` submits the next would take a piece of
// the stack each time. While a thread is in such a callback, what it submits is kept here instead, and its turn comes once
// the callback has returned.
class Answering {
 public:
  explicit Answering(const void* handler) : handler_(handler), outer_(innermost_) { innermost_ = this; }
  ~Answering() { innermost_ = outer_; }
  Answering(const Answering&) = delete;
  Answering& operator=(const Answering&) = delete;

  // Callback of the calling thread and of a handler of requests; nullptr if it is in none of its callbacks.
  static Answering* of(const void* handler) {
    Answering* found = innermost_;
    while (found != nullptr && found->handler_ != handler) found = found->outer_;
    return found;
  }

  void keep(Request& request) {
    request.next = nullptr;
    *last_ = &request;
    last_ = &request.next;
  }

  // The one kept longest; nullptr if there is none.
  Request* take() {
    Request* request = first_;
    if (request == nullptr) return nullptr;
    first_ = request->next;
    if (first_ == nullptr) last_ = &first_;
    return request;
  }

 private:
  inline static thread_local Answering* innermost_ = nullptr;

  const void* const handler_;
  Answering* const outer_;
  Request* first_ = nullptr;
  Request** last_ = &first_;
};

}  // namespace pmtwin::middleware
