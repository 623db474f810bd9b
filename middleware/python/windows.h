// Windows of a replay for Python, and calls that block: the global interpreter lock is released around them.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "middleware/core/patience.h"
#include "middleware/core/window.h"
#include "middleware/replay/window.h"
#include "native/common/errors.h"
#include "native/common/interruption.h"

namespace pmtwin::python {

namespace py = pybind11;

using Unlocked = py::call_guard<py::gil_scoped_release>;
using Pair = std::pair<int, int>;

// Deleter of an object that answers its last requests as it is deleted, and so may block.
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

// A call that a signal's handler in Python may end by throwing, without the interpreter's lock. A system call that the
// signal broke off may show as another error.
template <class Call>
auto interruptible(Call call) {
  auto next = std::chrono::steady_clock::now();
  const Interruptible within([next]() mutable {
    const auto now = std::chrono::steady_clock::now();
    if (now < next) return;
    next = now + std::chrono::milliseconds(20);
    if (signalled()) throw Interrupted();
  });
  try {
    return unlocked(call);
  } catch (const Interrupted&) {
    throw py::error_already_set();
  } catch (const std::runtime_error&) {
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
    throw;
  }
}

inline middleware::Patience patience_of(double seconds) {
  return {std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1e3)), &signalled};
}

template <class T>
py::array_t<T> as_array(std::vector<T>&& values) {
  auto* kept = new std::vector<T>(std::move(values));
  return py::array_t<T>(kept->size(), kept->data(), py::capsule(kept, [](void* of) { delete static_cast<std::vector<T>*>(of); }));
}

inline py::dict as_dict(const middleware::WindowStats& s) {
  using namespace py::literals;
  return py::dict("p99_us"_a = s.p99_us, "p99_batch_us"_a = s.p99_batch_us, "mean_us"_a = s.mean_us,
                  "mean_batch_us"_a = s.mean_batch_us, "throughput_ops"_a = s.throughput_ops,
                  "interactive_ops"_a = s.interactive_ops, "batch_ops"_a = s.batch_ops, "duration_s"_a = s.duration_s,
                  "completed"_a = s.completed, "failed"_a = s.failed);
}

inline py::tuple state_of(const middleware::State& s) {
  return py::make_tuple(s.interactive_threads, s.batch_threads, s.interactive_queue_size, s.batch_queue_size,
                        s.interactive_block_size, s.batch_block_size, s.interactive_write_ratio, s.batch_write_ratio);
}

// The window that `run` gives, unless a signal's handler in Python has thrown.
template <class Run>
py::dict whole(Run run) {
  std::optional<replay::Window> window = unlocked(run);
  if (!window) throw py::error_already_set();
  py::dict found;
  found["latency_ns"] = as_array(std::move(window->latency_ns));
  found["classes"] = as_array(std::move(window->classes));
  found["start_ns"] = window->start;
  found["end_ns"] = window->end;
  found["waited_ns"] = py::make_tuple(window->waited_ns[0], window->waited_ns[1]);
  found["counted"] = window->counted;
  found["stamped"] = window->stamped;
  found["failed"] = window->failed;
  found["paused"] = window->paused;
  found["stats"] = as_dict(window->stats);
  found["state"] = state_of(window->state);
  return found;
}

void add_middleware(py::module_& module);
void add_replayed(py::module_& module);
void add_emulated(py::module_& module);

}  // namespace pmtwin::python
