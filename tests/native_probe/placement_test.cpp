#include "native/common/placement.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>

#include <thread>

#include "native/common/errors.h"
#include "tests/native_probe/fake_root.h"

namespace pmtwin::probe {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Two nodes of two cores of two threads, numbered as Linux does: 0-3 the first threads, 4-7 the second.
void lay_out_two_nodes(const FakeRoot& root) {
  root.put("sys/devices/system/node/online", "0-1\n");
  root.put("sys/devices/system/node/has_memory", "0-1\n");
  root.put("sys/devices/system/node/node0/cpulist", "0-1,4-5\n");
  root.put("sys/devices/system/node/node1/cpulist", "2-3,6-7\n");
  for (int cpu = 0; cpu < 8; ++cpu) {
    const std::string core = std::to_string(cpu % 4), twin = std::to_string(cpu % 4 + 4);
    root.put("sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/topology/thread_siblings_list", core + "," + twin);
  }
}

const std::vector<int> kAll = {0, 1, 2, 3, 4, 5, 6, 7};

TEST(Placement, EveryCoreGetsAThreadBeforeAnyGetsTwo) {
  const FakeRoot root;
  lay_out_two_nodes(root);
  const auto nodes = usable_nodes(root.path(), {0, 4, 1, 5, 2, 3, 6, 7});
  ASSERT_EQ(nodes.size(), 2u);
  EXPECT_THAT(nodes[0].cpus, ElementsAre(0, 1, 4, 5));
  EXPECT_THAT(nodes[1].cpus, ElementsAre(2, 3, 6, 7));
}

TEST(Placement, LocalIsBesideTheMemoryAndRemoteIsNot) {
  const FakeRoot root;
  lay_out_two_nodes(root);
  const Placement placement(usable_nodes(root.path(), kAll), 1);
  EXPECT_THAT(placement.cpus("local"), ElementsAre(2, 3, 6, 7));
  EXPECT_THAT(placement.cpus("remote"), ElementsAre(0, 1, 4, 5));
  EXPECT_EQ(placement.memory_node(), 1);
  EXPECT_EQ(placement.remote_threads(), 4u);
}

TEST(Placement, OnlyAllowedProcessorsAreUsed) {
  const FakeRoot root;
  lay_out_two_nodes(root);
  const auto nodes = usable_nodes(root.path(), {4, 5, 1});
  ASSERT_EQ(nodes.size(), 1u);
  EXPECT_THAT(nodes[0].cpus, ElementsAre(1, 4, 5)) << "4 is alone on its core here, 5 shares one with 1";
}

std::string error_of(const Placement& placement, const char* numa) {
  try {
    placement.cpus(numa);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(Placement, AMachineWithOneNodeSaysThatNothingIsRemote) {
  const Placement placement({{0, {0, 1}}}, 0);
  EXPECT_THAT(placement.cpus("local"), ElementsAre(0, 1));
  EXPECT_THAT(error_of(placement, "remote"), HasSubstr("one NUMA node only"));
  EXPECT_THAT(error_of(placement, "elsewhere"), HasSubstr("local, remote"));
}

TEST(Placement, MemoryWithoutProcessorsIsLocalToAll) {
  const Placement placement({{0, {0, 1}}, {1, {2, 3}}}, 2);
  EXPECT_THAT(placement.cpus("local"), ElementsAre(0, 1, 2, 3));
  EXPECT_NE(error_of(placement, "remote"), "");
}

TEST(Placement, AKernelWithoutNumaIsOneNode) {
  const FakeRoot root;
  const auto nodes = usable_nodes(root.path(), {0, 1});
  ASSERT_EQ(nodes.size(), 1u);
  EXPECT_THAT(nodes[0].cpus, ElementsAre(0, 1));
}

TEST(Placement, ANodeWithoutMemoryIsRefused) {
  const FakeRoot root;
  root.put("sys/devices/system/node/has_memory", "0,2-3\n");
  for (const int node : {0, 2, 3}) EXPECT_NO_THROW(check_memory_node(node, root.path())) << node;
  for (const int node : {1, 4, 63}) EXPECT_THROW(check_memory_node(node, root.path()), InputError) << node;
  const FakeRoot without_numa;
  EXPECT_NO_THROW(check_memory_node(0, without_numa.path()));
  EXPECT_THROW(check_memory_node(1, without_numa.path()), InputError);
}

TEST(Placement, AThreadRunsWhereItIsPut) {
  std::thread([] {
    const std::vector<int> before = allowed_cpus();
    ASSERT_FALSE(before.empty());
    ASSERT_TRUE(run_on({before.back()}));
    EXPECT_THAT(allowed_cpus(), ElementsAre(before.back()));
    EXPECT_EQ(sched_getcpu(), before.back());
    EXPECT_FALSE(run_on({4095}));
    EXPECT_TRUE(run_on(before));
    EXPECT_EQ(allowed_cpus(), before);
  }).join();
}

}  // namespace
}  // namespace pmtwin::probe
