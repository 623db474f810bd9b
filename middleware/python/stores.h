// What Python may run the middleware over.
#pragma once

#include <pybind11/pybind11.h>

#include <memory>

#include "middleware/engines/engine.h"

namespace pmtwin::python {

struct Store {
  std::shared_ptr<middleware::Engine> engine;
};

// What lists engines and queues, and what makes a store of one.
void add_stores(pybind11::module_& module);

}  // namespace pmtwin::python
