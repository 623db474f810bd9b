// Windows of a replay for Python, and calls that block: the global interpreter lock is released around them.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "middleware/core/patience.h"
#include "middleware/replay/window.h"

namespace pmtwin::python {

namespace py = pybind11;

using Unlocked = py::call_guard<py::gil_scoped_release>;
using Pair = std::pair<int, int>;

// For what answers its last requests, and so may block, as it is deleted.
struct DeleteUnlocked {
  template <class T>
  void operator()(T* self) const {
    const py::gil_scoped_release released;
    delete self;
  }
};
template <class T>
using Held = std::unique_ptr<T, DeleteUnlocked>;

template <class Call>
auto unlocked(Call call) {
  const py::gil_scoped_release released;
  return call();
}

inline bool signalled() {
  const py::gil_scoped_acquire lock;
  return PyErr_CheckSignals() != 0;
}

inline middleware::Patience patience_of(double seconds) {
  return {std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1e3)), &signalled};
}

template <class T>
py::array_t<T> as_array(std::vector<T>&& values) {
  auto* kept = new std::vector<T>(std::move(values));
  return py::array_t<T>(kept->size(), kept->data(), py::capsule(kept, [](void* of) { delete static_cast<std::vector<T>*>(of); }));
}

// The window that `run` gives, unless a signal's handler in Python has thrown.
template <class Run>
py::tuple whole(Run run) {
  std::optional<replay::Window> window = unlocked(run);
  if (!window) throw py::error_already_set();
  return py::make_tuple(as_array(std::move(window->latency_ns)), as_array(std::move(window->classes)), window->start,
                        window->end, py::make_tuple(window->waited_ns[0], window->waited_ns[1]),
                        window->mean_outstanding, window->failed, window->paused);
}

void add_replayed(py::module_& module);
void add_emulated(py::module_& module);

}  // namespace pmtwin::python
