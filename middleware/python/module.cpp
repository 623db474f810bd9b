// The middleware for Python: its interface (Table 3.1), and the replay of traces in windows. The global interpreter lock
// is released around every call that may block.
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <memory>

#ifdef PMTWIN_HAS_EMULATION
#include "middleware/python/emulated.h"
#endif
#include "middleware/python/stores.h"
#include "middleware/replay/window_replay.h"
#include "native/common/errors.h"

namespace py = pybind11;

namespace {

using namespace pmtwin;
using middleware::Middleware;
using middleware::Mode;
using middleware::Pools;
using python::Store;

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

bool signalled() {
  const py::gil_scoped_acquire lock;
  return PyErr_CheckSignals() != 0;
}

// What a status other than ok and not found becomes.
void check(middleware::Status status) {
  if (status != middleware::Status::kOk && status != middleware::Status::kNotFound) {
    throw std::runtime_error(std::string(name_of(status)));
  }
}

py::object get(Middleware& self, const std::string& key, Mode mode) {
  std::string value;
  middleware::Status status;
  {
    const py::gil_scoped_release released;
    status = self.get(key, value, mode);
  }
  check(status);
  return status == middleware::Status::kNotFound ? py::object(py::none()) : py::object(py::bytes(value));
}

template <class T>
py::array_t<T> as_array(std::vector<T>&& values) {
  auto* kept = new std::vector<T>(std::move(values));
  return py::array_t<T>(kept->size(), kept->data(), py::capsule(kept, [](void* of) { delete static_cast<std::vector<T>*>(of); }));
}

py::tuple as_tuple(replay::Window&& window) {
  return py::make_tuple(as_array(std::move(window.latency_ns)), as_array(std::move(window.classes)), window.start,
                        window.end, py::make_tuple(window.waited_ns[0], window.waited_ns[1]), window.mean_outstanding,
                        window.failed, window.paused);
}

std::chrono::milliseconds patience_of(double seconds) {
  return std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1e3));
}

// The window that `run` gives, unless a signal's handler in Python has thrown.
template <class Run>
py::tuple whole(Run run) {
  std::optional<replay::Window> window = unlocked(run);
  if (!window) throw py::error_already_set();
  return as_tuple(std::move(*window));
}

// A middleware over a store, and the clients that replay traces against it.
class Replayed {
 public:
  Replayed(std::shared_ptr<Store> store, const std::string& queue, std::size_t keys, Pair pools)
      : store_(std::move(store)), middleware_(options(queue)) {
    middleware_.start(store_->engine, pools.first, pools.second);
    replay_ = std::make_unique<replay::WindowReplay>(middleware_, *store_->engine, keys, 0);
  }

  void append(Mode mode, const py::array_t<double>& gaps_ns, const py::array_t<std::uint32_t>& bytes,
              const py::array_t<bool>& writes) {
    const auto gap = gaps_ns.unchecked<1>();
    const auto size = bytes.unchecked<1>();
    const auto write = writes.unchecked<1>();
    if (gap.shape(0) != size.shape(0) || gap.shape(0) != write.shape(0)) throw py::value_error("arrays of equal length");
    std::vector<replay::Offered> requests(static_cast<std::size_t>(gap.shape(0)));
    for (py::ssize_t k = 0; k < gap.shape(0); ++k) requests[static_cast<std::size_t>(k)] = {gap(k), size(k), write(k)};
    const py::gil_scoped_release released;
    replay_->append(mode, requests);
  }

  py::tuple run(std::size_t completions, std::pair<std::int64_t, std::int64_t> release, double patience_s) {
    return whole([&] {
      return replay_->run(completions, {release.first, release.second}, patience_of(patience_s), &signalled);
    });
  }

  Middleware& middleware() { return middleware_; }
  replay::WindowReplay& replay() { return *replay_; }

 private:
  static middleware::Options options(const std::string& queue) {
    middleware::Options options;
    if (!queue.empty()) options.queue = queue;
    options.window = std::chrono::nanoseconds(0);  // the replay cuts its own windows
    return options;
  }

  std::shared_ptr<Store> store_;
  Middleware middleware_;
  std::unique_ptr<replay::WindowReplay> replay_;
};

Pair pair_of(Pools pools) { return {pools.interactive_threads, pools.batch_threads}; }

py::dict as_dict(const middleware::WindowStats& s) {
  using namespace py::literals;
  return py::dict("p99_us"_a = s.p99_us, "p99_batch_us"_a = s.p99_batch_us, "mean_us"_a = s.mean_us,
                  "mean_batch_us"_a = s.mean_batch_us, "throughput_ops"_a = s.throughput_ops,
                  "interactive_ops"_a = s.interactive_ops, "batch_ops"_a = s.batch_ops, "duration_s"_a = s.duration_s,
                  "completed"_a = s.completed, "failed"_a = s.failed);
}

py::tuple state_of(const middleware::State& s) {
  return py::make_tuple(s.interactive_threads, s.batch_threads, s.interactive_queue_size, s.batch_queue_size,
                        s.interactive_block_size, s.batch_block_size, s.interactive_write_ratio, s.batch_write_ratio);
}

}  // namespace

PYBIND11_MODULE(_pmtwin_native, module) {
  module.doc() = "The NVM middleware (thesis chapter 3): see the package `middleware`.";

  py::register_exception<pmtwin::InputError>(module, "InputError", PyExc_ValueError);
  py::register_exception<middleware::EngineError>(module, "EngineError");
  py::register_exception<middleware::Stalled>(module, "Stalled");

  py::enum_<Mode>(module, "Mode").value("interactive", Mode::kInteractive).value("batch", Mode::kBatch);

  py::class_<Store, std::shared_ptr<Store>>(module, "Store")
      .def("describe", [](const Store& self) { return self.engine->describe(); });
  python::add_stores(module);

  py::class_<Middleware, Held<Middleware>>(module, "Middleware")
      .def(py::init([](const std::string& queue, bool direct, double window_s) {
             middleware::Options options;
             if (!queue.empty()) options.queue = queue;
             options.direct = direct;
             options.window = std::chrono::nanoseconds(static_cast<std::int64_t>(window_s * 1e9));
             return Held<Middleware>(new Middleware(options));
           }),
           py::arg("queue") = "", py::arg("direct") = false, py::arg("window_s") = 1.0)
      .def("start", [](Middleware& self, const std::shared_ptr<Store>& db, int interactive, int batch) {
             self.start(db->engine, interactive, batch);
           }, py::arg("db"), py::arg("interactive_threads"), py::arg("batch_threads"), Unlocked())
      .def("stop", [](Middleware& self) { self.stop(); }, Unlocked())
      .def("get", &get, py::arg("key"), py::arg("mode"), "The value, or None.")
      .def("put", [](Middleware& self, const std::string& key, const std::string& value, Mode mode) {
             check(self.put(key, value, mode));
           }, py::arg("key"), py::arg("value"), py::arg("mode"), Unlocked())
      .def("remove", [](Middleware& self, const std::string& key, Mode mode) {
             const auto status = self.remove(key, mode);
             check(status);
             return status == middleware::Status::kOk;
           }, py::arg("key"), py::arg("mode"), Unlocked(), "Whether the key was there.")
      .def("get_stats", [](const Middleware& self) { return as_dict(unlocked([&] { return self.get_stats(); })); })
      .def("get_state", [](const Middleware& self) { return state_of(unlocked([&] { return self.get_state(); })); })
      .def("perform_action", [](Middleware& self, int action) { return pair_of(self.perform_action(action)); },
           py::arg("action"), Unlocked())
      .def("resize", [](Middleware& self, int interactive, int batch) { self.resize({interactive, batch}); },
           py::arg("interactive_threads"), py::arg("batch_threads"), Unlocked());

  py::class_<Replayed, Held<Replayed>>(module, "Replayed")
      .def(py::init<std::shared_ptr<Store>, const std::string&, std::size_t, Pair>(), py::arg("store"),
           py::arg("queue"), py::arg("keys"), py::arg("pools"), Unlocked())
      .def("set_class", [](Replayed& self, Mode mode, int clients, bool closed) {
             self.replay().set_class(mode, clients, closed);
           }, Unlocked())
      .def("append", &Replayed::append)
      .def("ahead", [](Replayed& self, Mode mode) { return self.replay().ahead(mode); }, Unlocked())
      .def("run", &Replayed::run, py::arg("completions"), py::arg("release"), py::arg("patience_s"))
      .def("resize", [](Replayed& self, int interactive, int batch) { self.middleware().resize({interactive, batch}); },
           Unlocked())
      .def("outstanding", [](Replayed& self) { return self.replay().outstanding(); }, Unlocked())
      .def("unreleased", [](Replayed& self) { return self.replay().unreleased(); }, Unlocked());

#ifdef PMTWIN_HAS_EMULATION
  using python::Emulated;
  py::class_<emulation::ServiceTable, std::shared_ptr<emulation::ServiceTable>>(module, "ServiceTable")
      .def(py::init(&python::read_table), py::arg("text"), Unlocked());
  module.def("least_dilation", &python::least_dilation, py::arg("table"));
  py::class_<Emulated, Held<Emulated>>(module, "Emulated")
      .def(py::init([](std::shared_ptr<emulation::ServiceTable> table, double dilation, std::array<std::uint64_t, 2> keys,
                       const std::string& queue, Pair pools) {
             return Held<Emulated>(new Emulated(std::move(table), dilation, keys, queue, Pools{pools.first, pools.second}));
           }),
           py::arg("table"), py::arg("dilation"), py::arg("keys"), py::arg("queue"), py::arg("pools"), Unlocked())
      .def("run", [](Emulated& self, std::size_t completions, std::array<std::int64_t, 2> release, double patience_s) {
             return whole([&] { return self.run(completions, release, {patience_of(patience_s), &signalled}); });
           }, py::arg("completions"), py::arg("release"), py::arg("patience_s"))
      .def("use", [](Emulated& self, std::shared_ptr<emulation::ServiceTable> table, double dilation) {
             self.use(std::move(table), dilation);
           }, py::arg("table"), py::arg("dilation"), Unlocked())
      .def("resize", [](Emulated& self, int interactive, int batch) { self.resize({interactive, batch}); }, Unlocked())
      .def("doubt", &Emulated::doubt, Unlocked());
#endif
}
