// The middleware for Python: its interface (Table 3.1).
#include "middleware/core/middleware.h"

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <memory>
#include <mutex>
#include <string>

#include "middleware/python/requests.h"
#include "middleware/python/stores.h"
#include "middleware/python/waits.h"
#include "middleware/python/windows.h"

namespace pmtwin::python {
namespace {

using middleware::Limits;
using middleware::Middleware;
using middleware::Mode;
using middleware::Operation;
using middleware::Pools;
using middleware::Stopped;
using Cpus = decltype(middleware::Options::cpus);
using Nodes = decltype(middleware::Options::nodes);

// Knows besides what the store takes that it was started over last, so that errors can say it.
class Database : public Middleware {
 public:
  using Middleware::Middleware;

  void start_over(const Store& db, int interactive, int batch) {
    start(db.engine, interactive, batch);
    const std::lock_guard lock(mutex_);
    limits_ = db.engine->limits();
  }

  std::shared_ptr<Answer> submit(Operation operation, std::string key, std::string value, Mode mode) {
    auto answer = std::make_shared<Answer>(operation, std::move(key), std::move(value), mode, limits());
    return Answer::submitted(*this, std::move(answer));
  }

  Limits limits() const {
    const std::lock_guard lock(mutex_);
    return limits_;
  }

 private:
  mutable std::mutex mutex_;
  Limits limits_{0, SIZE_MAX, SIZE_MAX};
};

Held<Database> make(const std::string& queue, bool direct, double window_s, const Cpus& cpus, const Nodes& nodes,
                    bool one_cpu_each) {
  middleware::Options options;
  if (!queue.empty()) options.queue = queue;
  options.direct = direct;
  options.window = nanoseconds_of("window_s", window_s);
  options.cpus = cpus;
  options.nodes = nodes;
  options.one_cpu_each = one_cpu_each;
  return Held<Database>(new Database(options));
}

// Error text of a call that waited.
void checked(const Database& self, Operation operation, const std::string& key, const std::string& value,
             middleware::Status status) {
  middleware::Request request;
  request.operation = operation;
  request.key = key;
  request.value = value;
  request.status = status;
  check(request, self.limits());
}

py::object get(Database& self, const std::string& key, Mode mode) {
  std::string value;
  const auto status = unlocked([&] { return self.get(key, value, mode); });
  checked(self, Operation::kGet, key, {}, status);
  return status == middleware::Status::kNotFound ? py::object(py::none()) : py::object(py::bytes(value));
}

void put(Database& self, const std::string& key, const std::string& value, Mode mode) {
  checked(self, Operation::kPut, key, value, unlocked([&] { return self.put(key, value, mode); }));
}

bool remove(Database& self, const std::string& key, Mode mode) {
  const auto status = unlocked([&] { return self.remove(key, mode); });
  checked(self, Operation::kRemove, key, {}, status);
  return status == middleware::Status::kOk;
}

Stopped stop(Database& self, const Timeout& timeout) {
  const auto time = nanoseconds_of(timeout);
  const Stopped stopped = unlocked([&] { return self.stop(time, &signalled); });
  if (PyErr_Occurred() != nullptr) throw py::error_already_set();
  return stopped;
}

Pair perform_action(Database& self, int action, const Timeout& timeout) {
  nanoseconds_of(timeout);  // throws before anything is done
  const Pools pools = unlocked([&] { return self.perform_action(action, middleware::Settling::kGoOn); });
  settle(self, timeout);
  return {pools.interactive_threads, pools.batch_threads};
}

}  // namespace

void add_middleware(py::module_& module) {
  py::class_<Stopped>(module, "Stopped", "What a stop left undone.")
      .def_readonly("complete", &Stopped::complete, "Whether all was answered, and the store let go.")
      .def_readonly("unanswered", &Stopped::unanswered, "Requests in the store.")
      .def("__str__", [](const Stopped& self) { return self.complete ? "complete" : describe(self); });

  const auto timeout = py::arg("timeout_s") = py::none();
  py::class_<Database, Held<Database>>(module, "Middleware")
      .def(py::init(&make), py::arg("queue") = "", py::arg("direct") = false, py::arg("window_s") = 1.0,
           py::arg("cpus") = Cpus{}, py::arg("nodes") = Nodes{}, py::arg("one_cpu_each") = false)
      .def("start", [](Database& self, const std::shared_ptr<Store>& db, int interactive, int batch) {
             self.start_over(*db, interactive, batch);
           }, py::arg("db"), py::arg("interactive_threads"), py::arg("batch_threads"), Unlocked())
      .def("stop", &stop, timeout,
           "Answers what was submitted, and stops. After the timeout, or if a signal ends the wait, requests that no worker "
           "has begun are refused; what is in the store may still be answered, and another stop waits for it.")
      .def("get", &get, py::arg("key"), py::arg("mode"), "The value, or None.")
      .def("put", &put, py::arg("key"), py::arg("value"), py::arg("mode"))
      .def("remove", &remove, py::arg("key"), py::arg("mode"), "Whether the key was there.")
      .def("submit_get", [](Database& self, std::string key, Mode mode) {
             return self.submit(Operation::kGet, std::move(key), {}, mode);
           }, py::arg("key"), py::arg("mode"), "get() without a wait: its Answer.")
      .def("submit_put", [](Database& self, std::string key, std::string value, Mode mode) {
             return self.submit(Operation::kPut, std::move(key), std::move(value), mode);
           }, py::arg("key"), py::arg("value"), py::arg("mode"), "put() without a wait: its Answer.")
      .def("submit_remove", [](Database& self, std::string key, Mode mode) {
             return self.submit(Operation::kRemove, std::move(key), {}, mode);
           }, py::arg("key"), py::arg("mode"), "remove() without a wait: its Answer.")
      .def("get_stats", [](const Database& self) { return as_dict(unlocked([&] { return self.get_stats(); })); })
      .def("get_state", [](const Database& self) { return state_of(unlocked([&] { return self.get_state(); })); })
      .def("close_window", [](Database& self) { return as_dict(unlocked([&] { return self.close_window(); })); },
           "Ends the window now and begins the next; its statistics, as get_stats().")
      .def("queue_lengths", [](const Database& self) { return self.queue_lengths(); }, Unlocked(),
           "Requests of the interactive and of the batch class that wait for a worker now.")
      .def("perform_action", &perform_action, py::arg("action"), timeout,
           "The pools after an action of Table 3.3. Waits so long for workers that are too many to leave, as resize().")
      .def("resize", [](Database& self, int interactive, int batch, const Timeout& time) {
             return resize(self, {interactive, batch}, time);
           }, py::arg("interactive_threads"), py::arg("batch_threads"), timeout,
           "Whether workers that are too many have left in time; the pools are set at once.");
}

}  // namespace pmtwin::python
