// Requests that are submitted and waited for in one call.
#include "middleware/core/middleware.h"

namespace pmtwin::middleware {
namespace {

constexpr std::size_t kGuess = 256;  // most values fit into what a get makes room for in a string that is empty

void set_get(Request& request, std::string_view key, std::span<char> target, Mode mode) {
  request.operation = Operation::kGet;
  request.mode = mode;
  request.key = key;
  request.target = target;
}

}  // namespace

Status Middleware::ask(Request& request) {
  submit(request);
  return wait(request);
}

Status Middleware::get(std::string_view key, std::span<char> target, std::size_t& bytes, Mode mode) {
  Request request;
  set_get(request, key, target, mode);
  const Status status = ask(request);
  bytes = request.bytes;
  return status;
}

Status Middleware::get(std::string_view key, std::string& value, Mode mode) {
  // Not to its capacity: resize() fills what it adds, which for a string that was once large takes longer than the get.
  if (value.size() < kGuess) value.resize(kGuess);
  Request request;
  set_get(request, key, value, mode);
  request.grows = &value;
  const Status status = ask(request);
  value.resize(status == Status::kOk ? request.bytes : 0);
  return status;
}

Status Middleware::put(std::string_view key, std::string_view value, Mode mode) {
  Request request;
  request.operation = Operation::kPut;
  request.mode = mode;
  request.key = key;
  request.value = value;
  return ask(request);
}

Status Middleware::remove(std::string_view key, Mode mode) {
  Request request;
  request.operation = Operation::kRemove;
  request.mode = mode;
  request.key = key;
  return ask(request);
}

}  // namespace pmtwin::middleware
