#include "native_probe/device.h"

#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <filesystem>

#include "native/common/files.h"

namespace pmtwin::probe {
namespace {

namespace fs = std::filesystem;

// The folder of the device and all above it, such as .../ndbus0/region0/namespace0.0/block/pmem0.
fs::path device_folder(const Folder& folder) {
  struct stat found {};
  if (fstat(folder.fd(), &found) != 0) return {};
  std::error_code none;
  return fs::canonical(
      "/sys/dev/block/" + std::to_string(major(found.st_dev)) + ":" + std::to_string(minor(found.st_dev)), none);
}

std::optional<int> number_above(fs::path path, const char* prefix, const char* file) {
  for (; path.has_relative_path(); path = path.parent_path()) {
    if (!path.filename().string().starts_with(prefix)) continue;
    if (const auto text = read_text(path / file); text && !text->empty()) {
      const int value = std::atoi(text->c_str());
      if (value >= 0) return value;
    }
  }
  return std::nullopt;
}

bool emulated(fs::path path) {
  for (; path.has_relative_path(); path = path.parent_path()) {
    if (path.filename().string().starts_with("ndbus")) return read_text(path / "provider").value_or("") == "e820";
  }
  return false;
}

// What a node's memory is: the kernel names the device of memory that was made main memory (dax, kmem).
Device examine_node(int node) {
  Device device{.media = "dram", .dimms = std::nullopt, .node = node, .warning = ""};
  std::error_code none;
  for (const fs::directory_entry& entry : fs::directory_iterator("/sys/bus/dax/devices", none)) {
    if (read_text(entry.path() / "target_node").value_or("") != std::to_string(node)) continue;
    const std::string path = fs::canonical(entry.path(), none).string();
    if (path.find("cxl") != std::string::npos) device.media = "cxl";
    if (path.find("ndbus") != std::string::npos) device.media = "pmem";
  }
  const std::string cpus = "/sys/devices/system/node/node" + std::to_string(node) + "/cpulist";
  if (read_text(cpus).value_or("0").empty() && device.media == "dram") device.media = "cpuless";
  return device;
}

}  // namespace

Device examine_device(const Folder& folder, const Region& region) {
  if (folder.node()) return examine_node(*folder.node());
  const fs::path path = device_folder(folder);
  Device device{.media = "dram",
                .dimms = number_above(path, "region", "mappings"),
                .node = number_above(path, "", "numa_node"),
                .warning = ""};
  if (folder.lives_in_memory()) return device;
  if (!region.direct_access()) {
    device.warning = folder.path() + " (" + folder.file_system() +
                     ") has no direct access: what is measured is the page cache, in main memory, disturbed by its "
                     "being written back; for DRAM use /dev/shm, for persistent memory a file system mounted with dax";
  } else if (emulated(path)) {
    device.warning =
        "the kernel makes this persistent memory of DRAM (memmap=): neither its speed nor its persistence "
        "is that of a device";
  } else {
    device.media = "pmem";
  }
  return device;
}

}  // namespace pmtwin::probe
