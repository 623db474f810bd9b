// Stores below the middleware, for Python.
#pragma once

#include <pybind11/pybind11.h>

#include <memory>

#include "middleware/engines/engine.h"
#include "native/common/scratch_folder.h"

namespace pmtwin::python {

struct Store {
  std::shared_ptr<ScratchFolder> folder;  // of its file, if that is to go with it: after the engine has closed it
  std::shared_ptr<middleware::Engine> engine;
};

// Lists of engines and queues, the constructor of a store, and the folder and the memory that one may need.
void add_stores(pybind11::module_& module);

}  // namespace pmtwin::python
