#include "middleware/python/stores.h"

#include <pybind11/stl.h>

#include "middleware/engines/registry.h"
#include "middleware/pools/queue_registry.h"
#include "middleware/python/windows.h"
#include "native/common/memory.h"

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

std::shared_ptr<Store> open_store(const std::string& engine, const middleware::GivenOptions& options,
                                  std::shared_ptr<ScratchFolder> folder) {
  return interruptible([&] {
    return std::make_shared<Store>(Store{std::move(folder), middleware::make_engine(engine, options)});
  });
}

std::shared_ptr<ScratchFolder> scratch_folder(const std::string& directory, std::uint64_t needed_bytes) {
  return std::make_shared<ScratchFolder>(directory, needed_bytes, ScratchFolder::OnSignal::kLeaveToOthers);
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
  py::class_<ScratchFolder, std::shared_ptr<ScratchFolder>>(module, "ScratchFolder")
      .def(py::init(&scratch_folder), py::arg("directory"), py::arg("needed_bytes") = 0,
           "A folder of this process's own in a directory, for files whose names begin with `pool`; gone with it.")
      .def_property_readonly("path", &ScratchFolder::path)
      .def("remove", &ScratchFolder::remove, "Removes it now; what has its files open keeps them.")
      .def_property_readonly("removed", &ScratchFolder::removed, "A sentence for each that a killed process had left.");
  module.def("remove_abandoned", &remove_abandoned, py::arg("directory"),
             "Removes the scratch folders of processes that are gone; a sentence for each.");
  module.def("free_bytes_in", &free_bytes_in, py::arg("directory"),
             "Free in its file system, and in the memory where that is in memory; 0 if unknown.");
  module.def("available_memory_bytes", [] { return available_memory_bytes(); },
             "Memory that this process may take, by the machine and its control groups.");
  module.def("open_store", &open_store, py::arg("engine"), py::arg("options") = py::dict(), py::arg("folder") = nullptr,
             "A store of an engine by its name, with these of its options; `folder`, of its file, is gone with the store.");
}

}  // namespace pmtwin::python
