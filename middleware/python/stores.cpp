#include "middleware/python/stores.h"

#include <pybind11/stl.h>

#include "middleware/engines/registry.h"
#include "middleware/pools/queue_registry.h"

namespace pmtwin::python {
namespace {

namespace py = pybind11;
using namespace py::literals;
using middleware::EngineDesign;
using middleware::EngineOption;

py::dict as_dict(const EngineOption& option) {
  return py::dict("name"_a = option.name, "description"_a = option.description,
                  "kind"_a = option.kind == EngineOption::Kind::kText ? "text" : "number",
                  "required"_a = option.required);
}

py::dict as_dict(const EngineDesign& design) {
  py::list options;
  for (const EngineOption& option : design.options) options.append(as_dict(option));
  return py::dict("name"_a = design.name, "description"_a = design.description,
                  "keeps"_a = std::string(name_of(design.keeps)), "options"_a = options);
}

std::shared_ptr<Store> open_store(const std::string& engine, const middleware::GivenOptions& options) {
  return std::make_shared<Store>(Store{middleware::make_engine(engine, options)});
}

}  // namespace

void add_stores(py::module_& module) {
  module.def("engines", [] {
    py::list found;
    for (const auto& [name, design] : middleware::Engines::all()) found.append(as_dict(design));
    return found;
  }, "The engines of this build: name, description, what each keeps, and its options.");
  module.def("queues", [] {
    py::dict found;
    for (const auto& [name, design] : middleware::Queues::all()) found[py::str(name)] = design.description;
    return found;
  }, "The queues of this build, with a description of each.");
  module.def("open_store", &open_store, py::arg("engine"), py::arg("options") = py::dict(),
             py::call_guard<py::gil_scoped_release>(), "A store of an engine by its name, with these of its options.");
}

}  // namespace pmtwin::python
