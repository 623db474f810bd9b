// The emulated device for Python.
#include <pybind11/stl.h>

#include "middleware/python/emulated.h"
#include "middleware/python/windows.h"

namespace pmtwin::python {

void add_emulated(py::module_& module) {
  py::class_<emulation::ServiceTable, std::shared_ptr<emulation::ServiceTable>>(module, "ServiceTable")
      .def(py::init(&read_table), py::arg("text"), Unlocked());
  module.def("least_dilation", &least_dilation, py::arg("table"));
  py::class_<Emulated, Held<Emulated>>(module, "Emulated")
      .def(py::init([](std::shared_ptr<emulation::ServiceTable> table, double dilation, std::array<std::uint64_t, 2> keys,
                       const std::string& queue, Pair pools) {
             return Held<Emulated>(new Emulated(std::move(table), dilation, keys, queue, middleware::Pools{pools.first, pools.second}));
           }),
           py::arg("table"), py::arg("dilation"), py::arg("keys"), py::arg("queue"), py::arg("pools"), Unlocked())
      .def("run", [](Emulated& self, std::size_t completions, std::array<std::int64_t, 2> release, double patience_s) {
             return whole([&] { return self.run(completions, release, patience_of(patience_s)); });
           }, py::arg("completions"), py::arg("release"), py::arg("patience_s"))
      .def("use", [](Emulated& self, std::shared_ptr<emulation::ServiceTable> table, double dilation) {
             self.use(std::move(table), dilation);
           }, py::arg("table"), py::arg("dilation"), Unlocked())
      .def("set_pace", [](Emulated& self, double interactive, double batch) { self.set_pace({interactive, batch}); },
           py::arg("interactive"), py::arg("batch"), Unlocked())
      .def("resize", [](Emulated& self, int interactive, int batch) { self.resize({interactive, batch}); }, Unlocked())
      .def("validity_warning", &Emulated::validity_warning, Unlocked());
}

}  // namespace pmtwin::python
