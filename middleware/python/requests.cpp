#include "middleware/python/requests.h"

#include <pybind11/stl.h>

#include <cmath>
#include <cstdint>
#include <utility>

#include "native/common/errors.h"

namespace pmtwin::python {
namespace {

using middleware::Limits;
using middleware::Operation;
using middleware::Request;
using middleware::Status;

constexpr std::size_t kShownOfKey = 60;  // bytes

PyObject* request_error = nullptr;  // the class, which is never unloaded

std::string range(std::size_t least, std::size_t most) {
  return std::to_string(least) + (most == SIZE_MAX ? " or more bytes" : " to " + std::to_string(most) + " bytes");
}

std::string reason(const Request& request, const Limits& limits) {
  switch (request.status) {
    case Status::kRefused:
      if (!limits.allow_key(request.key)) {
        return "a key of " + std::to_string(request.key.size()) + " bytes is refused; allowed: " +
               range(limits.least_key_bytes, limits.most_key_bytes);
      }
      return "the value is refused; allowed: " + range(0, limits.most_value_bytes);
    case Status::kBufferTooSmall:
      return "no memory for its value of " + std::to_string(request.bytes) + " bytes";
    case Status::kOutOfSpace:
      return "the store has no room left; nothing was stored";
    case Status::kOutcomeUnknown:
      return "the store failed half-way; the change may have been made or not";
    case Status::kFailed:
      return "the store failed; nothing was changed";
    case Status::kStopped:
      return "the middleware does not run; allowed: after start(), until stop()";
    default:
      return std::string(name_of(request.status));
  }
}

const char* name_of(Operation operation) {
  constexpr const char* kNames[] = {"get", "put", "remove"};
  return kNames[static_cast<int>(operation)];
}

}  // namespace

std::chrono::nanoseconds nanoseconds_of(const char* field, double seconds) {
  if (!(seconds >= 0)) throw InputError(field, std::to_string(seconds), "0 or more seconds");
  constexpr auto kMost = std::chrono::nanoseconds::max();
  return seconds * 1e9 < static_cast<double>(kMost.count())
             ? std::chrono::nanoseconds(static_cast<std::int64_t>(seconds * 1e9)) : kMost;
}

void check(const Request& request, const Limits& limits) {
  if (request.status == Status::kOk || request.status == Status::kNotFound) return;
  const py::bytes key(request.key.data(), request.key.size());
  const py::bytes shown(request.key.data(), std::min(request.key.size(), kShownOfKey));
  std::string text = std::string(name_of(request.operation)) + " of key " + std::string(py::repr(shown)) +
                     (request.key.size() > kShownOfKey ? "..." : "");
  if (request.operation == Operation::kPut) text += " with a value of " + std::to_string(request.value.size()) + " bytes";
  const py::object error = py::handle(request_error)(text + ": " + reason(request, limits));
  error.attr("status") = std::string(middleware::name_of(request.status));
  error.attr("key") = key;
  PyErr_SetObject(request_error, error.ptr());
  throw py::error_already_set();
}

Answer::Answer(Operation operation, std::string key, std::string value, middleware::Mode mode, const Limits& limits)
    : key_(std::move(key)), value_(std::move(value)), limits_(limits) {
  request_.operation = operation;
  request_.mode = mode;
  request_.key = key_;
  request_.value = value_;
  if (operation == Operation::kGet) request_.grows = &value_;
  request_.on_answer = &Answer::answered;
  request_.context = this;
}

std::shared_ptr<Answer> Answer::submitted(middleware::Middleware& middleware, std::shared_ptr<Answer> answer) {
  answer->self_ = answer;
  unlocked([&] { middleware.submit(answer->request_); });
  return answer;
}

void Answer::answered(Request&, void* context) noexcept {
  Answer& answer = *static_cast<Answer*>(context);
  const std::shared_ptr<Answer> self = std::move(answer.self_);
  answer.done_ = true;
  answer.changed_.tell();
}

py::object Answer::result(const Timeout& timeout) {
  const auto passed = [this](Deadline until) { return changed_.await(until, [this] { return done(); }); };
  if (!wait(timeout, passed)) {
    PyErr_SetString(PyExc_TimeoutError, "the request has not been answered in time; it may still be");
    throw py::error_already_set();
  }
  check(request_, limits_);
  const bool found = request_.status == Status::kOk;
  switch (request_.operation) {
    case Operation::kGet:
      return found ? py::object(py::bytes(value_.data(), request_.bytes)) : py::none();
    case Operation::kRemove:
      return py::bool_(found);
    default:
      return py::none();
  }
}

void add_requests(py::module_& module) {
  request_error = py::exception<std::runtime_error>(module, "RequestError", PyExc_RuntimeError).release().ptr();
  py::class_<Answer, std::shared_ptr<Answer>>(module, "Answer", "Of a request that was submitted.")
      .def("done", &Answer::done, "Whether it is there.")
      .def("result", &Answer::result, py::arg("timeout_s") = py::none(),
           "What the call that waits would have returned or raised; TimeoutError if it is not there in time.");
}

}  // namespace pmtwin::python
