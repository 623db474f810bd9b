// The middleware for Python: its interface (Table 3.1).
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <memory>
#include <string>

#include "middleware/core/middleware.h"
#include "middleware/core/patience.h"
#include "middleware/python/stores.h"
#include "middleware/python/windows.h"
#include "native/common/errors.h"

namespace py = pybind11;

namespace {

using namespace pmtwin;
using middleware::Middleware;
using middleware::Mode;
using middleware::Pools;
using python::Store;

using python::Held;
using python::Pair;
using python::unlocked;
using python::Unlocked;

// What a status other than ok and not found becomes.
void check(middleware::Status status) {
  if (status != middleware::Status::kOk && status != middleware::Status::kNotFound) {
    throw std::runtime_error(std::string(name_of(status)));
  }
}

py::object get(Middleware& self, const std::string& key, Mode mode) {
  std::string value;
  middleware::Status status;
  {
    const py::gil_scoped_release released;
    status = self.get(key, value, mode);
  }
  check(status);
  return status == middleware::Status::kNotFound ? py::object(py::none()) : py::object(py::bytes(value));
}

Pair pair_of(Pools pools) { return {pools.interactive_threads, pools.batch_threads}; }

}  // namespace

PYBIND11_MODULE(_pmtwin_native, module) {
  module.doc() = "The NVM middleware (thesis chapter 3): see the package `middleware`.";

  py::register_exception<pmtwin::InputError>(module, "InputError", PyExc_ValueError);
  py::register_exception<middleware::EngineError>(module, "EngineError");
  py::register_exception<middleware::Stalled>(module, "Stalled");

  py::enum_<Mode>(module, "Mode").value("interactive", Mode::kInteractive).value("batch", Mode::kBatch);

  py::class_<Store, std::shared_ptr<Store>>(module, "Store")
      .def("describe", [](const Store& self) { return self.engine->describe(); });
  python::add_stores(module);

  py::class_<Middleware, Held<Middleware>>(module, "Middleware")
      .def(py::init([](const std::string& queue, bool direct, double window_s, const decltype(middleware::Options::cpus)& cpus,
                       const decltype(middleware::Options::nodes)& nodes, bool one_cpu_each) {
             middleware::Options options;
             if (!queue.empty()) options.queue = queue;
             options.direct = direct;
             options.window = std::chrono::nanoseconds(static_cast<std::int64_t>(window_s * 1e9));
             options.cpus = cpus;
             options.nodes = nodes;
             options.one_cpu_each = one_cpu_each;
             return Held<Middleware>(new Middleware(options));
           }),
           py::arg("queue") = "", py::arg("direct") = false, py::arg("window_s") = 1.0,
           py::arg("cpus") = decltype(middleware::Options::cpus){}, py::arg("nodes") = decltype(middleware::Options::nodes){},
           py::arg("one_cpu_each") = false)
      .def("start", [](Middleware& self, const std::shared_ptr<Store>& db, int interactive, int batch) {
             self.start(db->engine, interactive, batch);
           }, py::arg("db"), py::arg("interactive_threads"), py::arg("batch_threads"), Unlocked())
      .def("stop", [](Middleware& self) { self.stop(); }, Unlocked())
      .def("get", &get, py::arg("key"), py::arg("mode"), "The value, or None.")
      .def("put", [](Middleware& self, const std::string& key, const std::string& value, Mode mode) {
             check(self.put(key, value, mode));
           }, py::arg("key"), py::arg("value"), py::arg("mode"), Unlocked())
      .def("remove", [](Middleware& self, const std::string& key, Mode mode) {
             const auto status = self.remove(key, mode);
             check(status);
             return status == middleware::Status::kOk;
           }, py::arg("key"), py::arg("mode"), Unlocked(), "Whether the key was there.")
      .def("get_stats", [](const Middleware& self) { return python::as_dict(unlocked([&] { return self.get_stats(); })); })
      .def("get_state", [](const Middleware& self) { return python::state_of(unlocked([&] { return self.get_state(); })); })
      .def("perform_action", [](Middleware& self, int action) { return pair_of(self.perform_action(action)); },
           py::arg("action"), Unlocked())
      .def("resize", [](Middleware& self, int interactive, int batch) { self.resize({interactive, batch}); },
           py::arg("interactive_threads"), py::arg("batch_threads"), Unlocked());

  python::add_replayed(module);
#ifdef PMTWIN_HAS_EMULATION
  python::add_emulated(module);
#endif
}
