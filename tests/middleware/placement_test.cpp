// Where workers run: on processors of this machine, and on nodes of one that is not here.
#include "middleware/core/placement.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>

#include "middleware/core/middleware.h"
#include "native/common/errors.h"
#include "native/common/placement.h"
#include "tests/middleware/support.h"
#include "tests/native_probe/fake_root.h"

namespace pmtwin::middleware {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string error_of(const std::vector<int>& cpus, std::optional<int> node, const std::string& root = "") {
  try {
    placement_of(Mode::kBatch, cpus, node, root);
    return "";
  } catch (const InputError& error) {
    return error.what();
  }
}

// The first processor of this process on node 0, one that it has not on node 1, and memory alone on node 2.
void lay_out(const probe::FakeRoot& root, int cpu) {
  root.put("sys/devices/system/node/online", "0-2\n");
  root.put("sys/devices/system/node/node0/cpulist", std::to_string(cpu) + "\n");
  root.put("sys/devices/system/node/node1/cpulist", "4000-4003\n");
  root.put("sys/devices/system/node/node2/cpulist", "\n");
}

TEST(PoolPlacement, ANodeIsItsProcessorsThatThisProcessMayUse) {
  const probe::FakeRoot root;
  const int cpu = allowed_cpus().front();
  lay_out(root, cpu);
  EXPECT_THAT(placement_of(Mode::kBatch, {}, 0, root.path()), ElementsAre(cpu));
  EXPECT_THAT(placement_of(Mode::kBatch, {cpu}, std::nullopt, root.path()), ElementsAre(cpu));
  EXPECT_TRUE(placement_of(Mode::kBatch, {}, std::nullopt, root.path()).empty());
}

TEST(PoolPlacement, WhatCannotBeIsNamedWithWhatIsAllowed) {
  const probe::FakeRoot root;
  lay_out(root, allowed_cpus().front());
  for (const int node : {-1, 1, 2, 3}) {  // none, without a processor for this process, without any, none
    EXPECT_THAT(error_of({}, node, root.path()), HasSubstr("batch_node: '" + std::to_string(node) + "'")) << node;
    EXPECT_THAT(error_of({}, node, root.path()), HasSubstr("may use: 0")) << node;
  }
  EXPECT_THAT(error_of({100000}, std::nullopt), HasSubstr("batch_cpus: '100000'"));
  EXPECT_THAT(error_of({allowed_cpus().front()}, 0, root.path()), HasSubstr("not both"));
  Options options;
  options.nodes[1] = 100000;
  EXPECT_THROW(Middleware{options}, InputError);
  options.nodes[1] = std::nullopt;
  options.cpus[0] = {100000};
  EXPECT_THROW(Middleware{options}, InputError);
}

// The processors of the threads that carry out requests of either class, under these options.
std::array<std::vector<int>, kModes> processors_under(Options options) {
  std::array<std::vector<int>, kModes> found;
  Middleware middleware(std::move(options));
  middleware.start(std::make_shared<testing::ScriptedEngine>([&](std::string_view key) {
    found[key == "batch"] = allowed_cpus();
  }), 1, 1);
  middleware.put("interactive", "", Mode::kInteractive);
  middleware.put("batch", "", Mode::kBatch);
  return found;
}

TEST(PoolPlacement, WorkersRunOnTheProcessorsThatTheyWereGiven) {
  const std::vector<int> all = allowed_cpus();
  Options options;
  options.cpus[1] = {all.back()};
  EXPECT_THAT(processors_under(options), ElementsAre(all, std::vector{all.back()}));
}

TEST(PoolPlacement, WorkersRunOnTheNodeThatTheyWereGiven) {
  const Node node = usable_nodes("", allowed_cpus()).front();  // 0 on a machine of one node
  Options options;
  options.nodes[0] = node.id;
  EXPECT_THAT(processors_under(options)[0], ::testing::UnorderedElementsAreArray(node.cpus));
}

}  // namespace
}  // namespace pmtwin::middleware
