// Placement of threads on processors: local to the memory or remote, one core each before any core gets two.
#pragma once

#include <pthread.h>

#include <optional>
#include <string>
#include <vector>

namespace pmtwin {

struct Node {
  int id;
  std::vector<int> cpus;  // that this process may use, in the order in which threads are put on them
};

// Nodes with processors that this process may use. `root` is where sys is, for tests; `allowed` the processors.
std::vector<Node> usable_nodes(const std::string& root, const std::vector<int>& allowed);

// Throws InputError, naming the option, unless the NUMA node has memory of its own. `root` as above.
void check_memory_node(int node, const std::string& root, const std::string& option = "--memory-node");

// The processors that this process may use now.
std::vector<int> allowed_cpus();

// Puts a thread on one processor, or on any of several. False if the kernel refuses, or there is no memory.
bool run_on(const std::vector<int>& cpus, pthread_t thread = pthread_self()) noexcept;

class Placement {
 public:
  // `memory_node`: where the memory is, if known; else the first node.
  Placement(std::vector<Node> nodes, std::optional<int> memory_node);

  // Processors for threads beside the memory, or on the other nodes. Throws InputError for `remote` where there is no
  // other node, and for anything but local and remote.
  const std::vector<int>& cpus(const std::string& numa) const;

  int memory_node() const { return memory_node_; }
  std::size_t node_count() const { return nodes_.size(); }
  std::size_t remote_threads() const { return remote_.size(); }

 private:
  std::vector<Node> nodes_;
  int memory_node_;
  std::vector<int> local_, remote_;
};

}  // namespace pmtwin
