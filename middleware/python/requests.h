// Result of a request from Python: a value, its error, or an answer to wait for later.
#pragma once

#include <pybind11/pybind11.h>

#include <atomic>
#include <memory>
#include <string>

#include "middleware/core/middleware.h"
#include "middleware/engines/engine.h"
#include "middleware/python/waits.h"
#include "native/common/changes.h"

namespace pmtwin::python {

// A request that is under way. It keeps itself until it is answered, as the middleware and the store use it.
class Answer {
 public:
  Answer(middleware::Operation operation, std::string key, std::string value, middleware::Mode mode,
         const middleware::Limits& limits);

  // Sends it; the answer may be there when this returns.
  static std::shared_ptr<Answer> submitted(middleware::Middleware& middleware, std::shared_ptr<Answer> answer);

  bool done() const { return done_; }

  // The value or None of a get, None of a put, whether the key was there of a remove. Throws Python's RequestError, and
  // TimeoutError if there was no answer in time.
  py::object result(const Timeout& timeout);

 private:
  static void answered(middleware::Request& request, void* context) noexcept;

  middleware::Request request_;
  const std::string key_;
  std::string value_;
  const middleware::Limits limits_;
  std::atomic<bool> done_ = false;
  Changes changed_;
  std::shared_ptr<Answer> self_;
};

// Throws Python's RequestError for a status other than ok and not found; it says what is allowed by `limits`.
void check(const middleware::Request& request, const middleware::Limits& limits);

void add_requests(py::module_& module);

}  // namespace pmtwin::python
