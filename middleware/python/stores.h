// What Python may run the middleware over.
#pragma once

#include <pybind11/pybind11.h>

#include <memory>

#include "middleware/engines/engine.h"

namespace pmtwin::python {

struct Store {
  std::shared_ptr<middleware::Engine> engine;
};

// The functions that make stores, as far as their engines were built.
void add_stores(pybind11::module_& module);

}  // namespace pmtwin::python
