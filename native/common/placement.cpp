#include "native/common/placement.h"

#include <sched.h>

#include <algorithm>
#include <map>
#include <memory>

#include "native/common/errors.h"
#include "native/common/files.h"

namespace pmtwin {
namespace {

constexpr int kMostCpus = 4096;

struct FreeSet {
  void operator()(cpu_set_t* set) const { CPU_FREE(set); }
};

// The n-th hardware thread of each core comes after all the (n-1)-th.
std::vector<int> cores_first(const std::string& root, const std::vector<int>& cpus) {
  std::map<int, int> rank;
  for (const int cpu : cpus) {
    const std::string path = root + "/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/topology/";
    const auto siblings = parse_cpu_list(read_text(path + "thread_siblings_list").value_or(""));
    rank[cpu] = static_cast<int>(std::count_if(siblings.begin(), siblings.end(), [&](int other) {
      return other < cpu && std::find(cpus.begin(), cpus.end(), other) != cpus.end();
    }));
  }
  std::vector<int> ordered = cpus;
  std::stable_sort(ordered.begin(), ordered.end(), [&](int a, int b) { return rank[a] < rank[b]; });
  return ordered;
}

}  // namespace

std::vector<int> allowed_cpus() {
  const std::unique_ptr<cpu_set_t, FreeSet> set(CPU_ALLOC(kMostCpus));
  const std::size_t bytes = CPU_ALLOC_SIZE(kMostCpus);
  std::vector<int> cpus;
  if (sched_getaffinity(0, bytes, set.get()) != 0) return cpus;
  for (int cpu = 0; cpu < kMostCpus; ++cpu) {
    if (CPU_ISSET_S(cpu, bytes, set.get())) cpus.push_back(cpu);
  }
  return cpus;
}

bool run_on(const std::vector<int>& cpus, pthread_t thread) noexcept {
  const std::unique_ptr<cpu_set_t, FreeSet> set(CPU_ALLOC(kMostCpus));
  if (set == nullptr) return false;
  const std::size_t bytes = CPU_ALLOC_SIZE(kMostCpus);
  CPU_ZERO_S(bytes, set.get());
  for (const int cpu : cpus) CPU_SET_S(cpu, bytes, set.get());
  return pthread_setaffinity_np(thread, bytes, set.get()) == 0;
}

std::vector<Node> usable_nodes(const std::string& root, const std::vector<int>& allowed) {
  std::vector<Node> nodes;
  const std::string folder = root + "/sys/devices/system/node/";
  for (const int id : parse_cpu_list(read_text(folder + "online").value_or(""))) {
    Node node{id, {}};
    const auto all = parse_cpu_list(read_text(folder + "node" + std::to_string(id) + "/cpulist").value_or(""));
    for (const int cpu : all) {
      if (std::find(allowed.begin(), allowed.end(), cpu) != allowed.end()) node.cpus.push_back(cpu);
    }
    node.cpus = cores_first(root, node.cpus);
    if (!node.cpus.empty()) nodes.push_back(node);
  }
  if (nodes.empty()) nodes.push_back({0, cores_first(root, allowed)});  // a kernel without NUMA
  return nodes;
}

void check_memory_node(int node, const std::string& root, const std::string& option) {
  const std::string list = read_text(root + "/sys/devices/system/node/has_memory").value_or("0");  // 0: without NUMA
  const std::vector<int> nodes = parse_cpu_list(list);
  if (std::find(nodes.begin(), nodes.end(), node) != nodes.end()) return;
  throw InputError(option, std::to_string(node), "a node with memory: " + list);
}

Placement::Placement(std::vector<Node> nodes, std::optional<int> memory_node)
    : nodes_(std::move(nodes)), memory_node_(memory_node.value_or(nodes_.front().id)) {
  for (const Node& node : nodes_) {
    std::vector<int>& side = node.id == memory_node_ ? local_ : remote_;
    side.insert(side.end(), node.cpus.begin(), node.cpus.end());
  }
  if (local_.empty()) local_.swap(remote_);  // memory without processors, such as CXL: all are as near as it gets
}

const std::vector<int>& Placement::cpus(const std::string& numa) const {
  if (numa == "local") return local_;
  if (numa != "remote") throw InputError("numa", numa, "local, remote");
  if (remote_.empty()) {
    throw InputError("numa", numa,
                     "local: this process has processors of one NUMA node only, so none is remote");
  }
  return remote_;
}

}  // namespace pmtwin
