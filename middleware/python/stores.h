// Stores below the middleware, for Python.
#pragma once

#include <pybind11/pybind11.h>

#include <memory>

#include "middleware/engines/engine.h"

namespace pmtwin::python {

struct Store {
  std::shared_ptr<middleware::Engine> engine;
};

// Lists of engines and queues, and the constructor of a store.
void add_stores(pybind11::module_& module);

}  // namespace pmtwin::python
