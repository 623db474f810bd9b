// A store for Python's tests that keeps its operations behind a door.
#include <pybind11/pybind11.h>

#include "middleware/python/stores.h"
#include "tests/middleware/support.h"

namespace py = pybind11;
using pmtwin::middleware::testing::Door;
using pmtwin::middleware::testing::ScriptedEngine;
using pmtwin::python::Store;

PYBIND11_MODULE(_pmtwin_door_store, module) {
  py::class_<Door, std::shared_ptr<Door>>(module, "Door")
      .def(py::init<>())
      .def("open", &Door::open)
      .def("wait_for", &Door::wait_for, py::call_guard<py::gil_scoped_release>())
      .def("store", [](std::shared_ptr<Door> door) {
        auto engine = std::make_shared<ScriptedEngine>([door](std::string_view) { door->pass(); });
        return std::make_shared<Store>(Store{nullptr, std::move(engine)});
      });
}
