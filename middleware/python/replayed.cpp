// The replay of traces in windows, over a store in real time, for Python.
#include <pybind11/stl.h>

#include "middleware/core/middleware.h"
#include "middleware/python/stores.h"
#include "middleware/python/waits.h"
#include "middleware/python/windows.h"
#include "middleware/replay/window_replay.h"
#include "native/common/errors.h"

namespace pmtwin::python {
namespace {

using middleware::Middleware;
using middleware::Mode;
using Cpus = decltype(middleware::Options::cpus);
using Nodes = decltype(middleware::Options::nodes);

// A middleware over a store, and the clients that replay traces against it.
class Replayed {
 public:
  // `direct_accesses`: without a middleware, by so many clients at once; 0: with one.
  // Workers are placed as `middleware::Options` say.
  Replayed(std::shared_ptr<Store> store, const std::string& queue, std::size_t keys, Pair pools, int direct_accesses,
           const Cpus& cpus, const Nodes& nodes, bool one_cpu_each)
      : store_(std::move(store)), middleware_(options(queue, direct_accesses > 0, cpus, nodes, one_cpu_each)) {
    if (direct_accesses < 0) throw InputError("direct_accesses", std::to_string(direct_accesses), "0 or more");
    middleware_.start(store_->engine, pools.first, pools.second);
    replay_ = std::make_unique<replay::WindowReplay>(middleware_, *store_->engine, keys, 0, direct_accesses);
  }

  void append(Mode mode, const py::array_t<double>& gaps_ns, const py::array_t<std::uint32_t>& bytes,
              const py::array_t<bool>& writes) {
    const auto gap = gaps_ns.unchecked<1>();
    const auto size = bytes.unchecked<1>();
    const auto write = writes.unchecked<1>();
    if (gap.shape(0) != size.shape(0) || gap.shape(0) != write.shape(0)) throw py::value_error("arrays of equal length");
    std::vector<replay::Offered> requests(static_cast<std::size_t>(gap.shape(0)));
    for (py::ssize_t k = 0; k < gap.shape(0); ++k) requests[static_cast<std::size_t>(k)] = {gap(k), size(k), write(k)};
    interruptible([&] { replay_->append(mode, requests); });
  }

  py::dict run(std::size_t completions, std::pair<std::int64_t, std::int64_t> release, double patience_s) {
    return whole([&] {
      return replay_->run(completions, {release.first, release.second}, patience_of(patience_s));
    });
  }

  Middleware& middleware() { return middleware_; }
  replay::WindowReplay& replay() { return *replay_; }

 private:
  static middleware::Options options(const std::string& queue, bool direct, const Cpus& cpus, const Nodes& nodes,
                                     bool one_cpu_each) {
    middleware::Options options;
    options.direct = direct;
    if (!queue.empty()) options.queue = queue;
    options.window = std::chrono::nanoseconds(0);  // the replay cuts its own windows
    options.cpus = cpus;
    options.nodes = nodes;
    options.one_cpu_each = one_cpu_each;
    return options;
  }

  std::shared_ptr<Store> store_;
  Middleware middleware_;
  std::unique_ptr<replay::WindowReplay> replay_;
};

}  // namespace

void add_replayed(py::module_& module) {
  py::class_<Replayed, Held<Replayed>>(module, "Replayed")
      .def(py::init<std::shared_ptr<Store>, const std::string&, std::size_t, Pair, int, const Cpus&, const Nodes&, bool>(),
           py::arg("store"), py::arg("queue"), py::arg("keys"), py::arg("pools"), py::arg("direct_accesses"),
           py::arg("cpus") = Cpus{}, py::arg("nodes") = Nodes{}, py::arg("one_cpu_each") = false, Unlocked())
      .def("set_class", [](Replayed& self, Mode mode, int clients, bool closed) {
             self.replay().set_class(mode, clients, closed);
           }, Unlocked())
      .def("set_pace", [](Replayed& self, Mode mode, double pace) { self.replay().set_pace(mode, pace); }, Unlocked())
      .def("append", &Replayed::append)
      .def("ahead", [](Replayed& self, Mode mode) { return self.replay().ahead(mode); }, Unlocked())
      .def("run", &Replayed::run, py::arg("completions"), py::arg("release"), py::arg("patience_s"))
      .def("resize", [](Replayed& self, int interactive, int batch) {
             resize(self.middleware(), {interactive, batch}, std::nullopt);
           })
      .def("outstanding", [](Replayed& self) { return self.replay().outstanding(); }, Unlocked())
      .def("unreleased", [](Replayed& self) { return self.replay().unreleased(); }, Unlocked());
}

}  // namespace pmtwin::python
