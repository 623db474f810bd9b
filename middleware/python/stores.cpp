#include "middleware/python/stores.h"

#include "middleware/engines/map_engine.h"
#include "middleware/engines/null_engine.h"
#ifdef PMTWIN_HAS_PMEMKV
#include <linux/magic.h>
#include <sys/vfs.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>

#include "middleware/engines/pmemkv_engine.h"
#endif

namespace pmtwin::python {
namespace {

namespace py = pybind11;

std::shared_ptr<Store> store_of(std::shared_ptr<middleware::Engine> engine) {
  return std::make_shared<Store>(Store{std::move(engine)});
}

#ifdef PMTWIN_HAS_PMEMKV
// While it lives, libpmem takes a pool in main memory (tmpfs) for persistent, so that a flush is no system call: there is
// nothing below that could lose anything. libpmem asks once, when the first pool of the process is opened.
class MemoryTakenForPersistent {
 public:
  explicit MemoryTakenForPersistent(const std::string& file) {
    const std::filesystem::path folder = std::filesystem::absolute(file).parent_path();
    struct statfs info {};
    const bool memory = statfs(folder.c_str(), &info) == 0 && info.f_type == TMPFS_MAGIC;
    static std::atomic<bool> seen{false};
    if (!memory && seen) {
      throw middleware::EngineError(
          "this process has opened a pool in main memory, after which libpmem would not flush this one: use another");
    }
    seen = seen || memory;
    set_ = memory && std::getenv(kVariable) == nullptr && setenv(kVariable, "1", 1) == 0;
  }
  ~MemoryTakenForPersistent() {
    if (set_) unsetenv(kVariable);
  }
  MemoryTakenForPersistent(const MemoryTakenForPersistent&) = delete;
  MemoryTakenForPersistent& operator=(const MemoryTakenForPersistent&) = delete;

 private:
  static constexpr const char* kVariable = "PMEM_IS_PMEM_FORCE";
  bool set_ = false;
};
#endif

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
        const MemoryTakenForPersistent while_opening(file);
        return store_of(std::make_shared<middleware::PmemkvEngine>(options));
      },
      py::arg("file"), py::arg("pool_bytes"), py::call_guard<py::gil_scoped_release>(),
      "A pool of pmemkv's cmap, created if it is absent.");
#endif
}

}  // namespace pmtwin::python
