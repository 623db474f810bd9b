#include "middleware/python/stores.h"

#include "middleware/engines/map_engine.h"
#include "middleware/engines/null_engine.h"
#ifdef PMTWIN_HAS_PMEMKV
#include "middleware/engines/pmemkv_engine.h"
#endif

namespace pmtwin::python {
namespace {

namespace py = pybind11;

std::shared_ptr<Store> store_of(std::shared_ptr<middleware::Engine> engine) {
  return std::make_shared<Store>(Store{std::move(engine)});
}

}  // namespace

void add_stores(py::module_& module) {
  module.def("map_store", [] { return store_of(std::make_shared<middleware::MapEngine>()); });
  module.def("null_store", [] { return store_of(std::make_shared<middleware::NullEngine>()); });
#ifdef PMTWIN_HAS_PMEMKV
  module.def(
      "pmemkv_store",
      [](const std::string& file, std::uint64_t pool_bytes) {
        middleware::PmemkvOptions options;
        options.path = file;
        options.opening = middleware::PmemkvOptions::Opening::kOpenOrCreate;
        options.pool_bytes = pool_bytes;
        return store_of(std::make_shared<middleware::PmemkvEngine>(options));
      },
      py::arg("file"), py::arg("pool_bytes"), py::call_guard<py::gil_scoped_release>(),
      "A pool of pmemkv's cmap, created if it is absent.");
#endif
}

}  // namespace pmtwin::python
