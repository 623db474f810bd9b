#include "native_probe/room.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "native/common/errors.h"
#include "native/common/memory.h"
#include "tests/native_probe/fake_root.h"

namespace pmtwin::probe {
namespace {

using testing::HasSubstr;

constexpr std::uint64_t kMib = 1u << 20;
constexpr const char* kEightGib = "MemTotal: 16777216 kB\nMemFree: 1000 kB\nMemAvailable: 8388608 kB\nBuffers: 5 kB\n";

TEST(Room, MemoryIsWhatTheKernelSaysIsAvailable) {
  const FakeRoot root;
  root.put("proc/meminfo", kEightGib);
  EXPECT_EQ(available_memory_bytes(root.path()), 8192 * kMib);
}

TEST(Room, ALimitOfTheGroupOrOfOneAroundItIsLess) {
  const FakeRoot root;
  root.put("proc/meminfo", kEightGib);
  root.put("proc/self/cgroup", "0::/user/job\n");
  root.put("sys/fs/cgroup/user/job/memory.max", "max\n");
  root.put("sys/fs/cgroup/user/job/memory.current", "5000\n");
  EXPECT_EQ(available_memory_bytes(root.path()), 8192 * kMib);
  root.put("sys/fs/cgroup/user/memory.max", std::to_string(1000 * kMib));
  root.put("sys/fs/cgroup/user/memory.current", std::to_string(400 * kMib));
  EXPECT_EQ(available_memory_bytes(root.path()), 600 * kMib);
  root.put("sys/fs/cgroup/user/memory.current", std::to_string(2000 * kMib));
  EXPECT_EQ(available_memory_bytes(root.path()), 0u);
}

TEST(Room, ControlGroupsOfVersionOneToo) {
  const FakeRoot root;
  root.put("proc/meminfo", kEightGib);
  root.put("proc/self/cgroup", "5:cpu:/a\n4:memory:/docker/x\n0::/\n");
  root.put("sys/fs/cgroup/memory/docker/x/memory.limit_in_bytes", std::to_string(300 * kMib));
  root.put("sys/fs/cgroup/memory/docker/x/memory.usage_in_bytes", std::to_string(100 * kMib));
  EXPECT_EQ(available_memory_bytes(root.path()), 200 * kMib);
}

TEST(Room, OfANodeItIsWhatTheNodeHasFree) {
  const FakeRoot root;
  root.put("proc/meminfo", kEightGib);
  root.put("sys/devices/system/node/node2/meminfo", "Node 2 MemTotal:  4194304 kB\nNode 2 MemFree:   2097152 kB\n");
  EXPECT_EQ(room_on(2, root.path()).file_system_bytes, 2048 * kMib);
  EXPECT_EQ(room_on(2, root.path()).memory_bytes, 8192 * kMib);
  EXPECT_EQ(room_on(0, root.path()).file_system_bytes, 8192 * kMib) << "a kernel that does not tell";
}

TEST(Room, TheDefaultIsBeyondTheCacheButNeverOverHalfOfWhatIsFree) {
  const Room plenty{1'000'000 * kMib, 1'000'000 * kMib};
  EXPECT_EQ(default_region_bytes(32 * kMib, 16, plenty, true), 1024 * kMib);
  EXPECT_EQ(default_region_bytes(512 * kMib, 16, plenty, true), 8192 * kMib);
  EXPECT_EQ(default_region_bytes(512 * kMib, 4, plenty, true), 2048 * kMib);
  EXPECT_EQ(default_region_bytes(32 * kMib, 4, plenty, true), 1024 * kMib);
  EXPECT_EQ(default_region_bytes(32 * kMib, 16, {1'000'000 * kMib, 500 * kMib}, true), 250 * kMib);
  EXPECT_EQ(default_region_bytes(32 * kMib, 16, {101 * kMib, 1'000'000 * kMib}, true), 50 * kMib);
  EXPECT_EQ(default_region_bytes(32 * kMib, 16, {1'000'000 * kMib, 500 * kMib}, false), 1024 * kMib)
      << "a file on a device takes no memory";
}

std::string error_of(std::uint64_t bytes, const Room& room, bool in_memory) {
  try {
    check_room(bytes, room, in_memory, "/mnt/pmem0");
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(Room, SomeIsLeftToEverybodyElse) {
  const Room room{1000 * kMib, 100 * kMib};
  EXPECT_EQ(error_of(900 * kMib, room, false), "");
  EXPECT_THAT(error_of(902 * kMib, room, false), HasSubstr("1000 MiB free"));
  EXPECT_EQ(error_of(84 * kMib, room, true), "");
  const std::string error = error_of(86 * kMib, room, true);
  EXPECT_THAT(error, HasSubstr("/mnt/pmem0"));
  EXPECT_THAT(error, HasSubstr("100 MiB of memory available"));
  EXPECT_THAT(error_of(1600 * kMib, {10'000 * kMib, 100 * kMib}, false), HasSubstr("100 MiB of memory available"))
      << "the order of the lines of a random chase takes memory on any device";
}

TEST(Room, ARegionHasAnUpperLimit) {
  const Room endless{~std::uint64_t{0}, ~std::uint64_t{0}};
  EXPECT_THAT(error_of(std::uint64_t{1} << 38, endless, true), HasSubstr("--region-bytes"));
}

}  // namespace
}  // namespace pmtwin::probe
