#include "middleware/core/placement.h"

#include <algorithm>

#include "native/common/errors.h"
#include "native/common/placement.h"

namespace pmtwin::middleware {
namespace {

std::vector<int> cpus_of_node(const std::string& field, int wanted, const std::string& root, const std::vector<int>& allowed) {
  std::string ids;
  for (const Node& node : usable_nodes(root, allowed)) {
    if (node.id == wanted) return node.cpus;
    ids += (ids.empty() ? "" : ", ") + std::to_string(node.id);
  }
  throw InputError(field, std::to_string(wanted), "NUMA nodes with processors that this process may use: " + ids);
}

}  // namespace

std::vector<int> placement_of(Mode pool, const std::vector<int>& cpus, std::optional<int> node, const std::string& root) {
  const std::string name = pool == Mode::kInteractive ? "interactive" : "batch";
  const std::vector<int> allowed = allowed_cpus();
  if (node) {
    if (!cpus.empty()) throw InputError(name + "_node", std::to_string(*node), "processors or a node for a pool, not both");
    return cpus_of_node(name + "_node", *node, root, allowed);
  }
  for (const int cpu : cpus) {
    if (std::find(allowed.begin(), allowed.end(), cpu) != allowed.end()) continue;
    throw InputError(name + "_cpus", std::to_string(cpu), "processors that this process may use (taskset -cp says which)");
  }
  return cpus;
}

}  // namespace pmtwin::middleware
