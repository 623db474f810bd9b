// The native module for Python: its parts, and the code that they share.
#include <pybind11/pybind11.h>

#include <memory>

#include "middleware/core/patience.h"
#include "middleware/core/pools.h"
#include "middleware/engines/engine.h"
#include "middleware/python/requests.h"
#include "middleware/python/stores.h"
#include "middleware/python/windows.h"
#include "native/common/errors.h"

namespace py = pybind11;
using namespace pmtwin;
using middleware::Mode;
using python::Store;

PYBIND11_MODULE(_pmtwin_native, module) {
  module.doc() = "The NVM middleware (thesis chapter 3): see the package `middleware`.";

  py::register_exception<pmtwin::InputError>(module, "InputError", PyExc_ValueError);
  py::register_exception<middleware::EngineError>(module, "EngineError");
  py::register_exception<middleware::Stalled>(module, "Stalled");

  py::enum_<Mode>(module, "Mode").value("interactive", Mode::kInteractive).value("batch", Mode::kBatch);

  py::class_<Store, std::shared_ptr<Store>>(module, "Store")
      .def("describe", [](const Store& self) { return self.engine->describe(); });
  python::add_stores(module);

  python::add_requests(module);
  python::add_middleware(module);
  python::add_replayed(module);
#ifdef PMTWIN_HAS_EMULATION
  python::add_emulated(module);
#endif
}
