// With a store beneath: what is written down at libpmem's door against the instructions that ran, and against what a put
// must do whatever the library.

#include "native_probe/kv_access/count_operations.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "native_probe/kv_access/restart.h"
#include "native/common/scratch_folder.h"

namespace pmtwin::probe {
namespace {

constexpr char kDirectory[] = "/dev/shm";

Json counts_of(std::uint64_t value_bytes, std::uint64_t steps, std::uint64_t traced) {
  return count_operations({kDirectory, 16, value_bytes, 8, steps, traced})["operations"];
}

class CountOperations : public testing::TestWithParam<std::uint64_t> {
 protected:
  void SetUp() override {
    if (!is_memory_file_system(kDirectory)) GTEST_SKIP() << kDirectory << " is no memory file system here";
  }
};

TEST_P(CountOperations, WhatLibpmemWasAskedForIsWhatRan) {
  const Json operations = counts_of(GetParam(), 1, 0);
  for (const char* operation : {"get", "put", "insert"}) {
    const Json& stepped = operations[operation]["stepped"];
    for (const std::string name : {"flushed_lines", "fences", "streamed_bytes"}) {
      EXPECT_EQ(stepped[name], stepped["asked_" + name]) << operation << ' ' << name;
    }
    EXPECT_GT(stepped["instructions"], 100);
  }
}

TEST_P(CountOperations, AGetWritesNothingAndAPutAtLeastItsValue) {
  const Json operations = counts_of(GetParam(), 0, 0);
  EXPECT_EQ(operations["get"]["counted"]["flushed_lines"], 0);
  EXPECT_EQ(operations["get"]["counted"]["fences"], 0);
  for (const char* operation : {"put", "insert"}) {
    const Json& counted = operations[operation]["counted"];
    EXPECT_GE(64.0 * counted["flushed_lines"].get<double>() + counted["streamed_bytes"].get<double>(), GetParam());
    EXPECT_GE(counted["rounds"], 2) << "a log has to be durable before what it protects is overwritten";
    EXPECT_GE(counted["media_line_writes"], counted["media_lines"]);
  }
}

TEST_P(CountOperations, AGetReadsItsValueBehindAChain) {
  const Json traced = counts_of(GetParam(), 0, 8)["get"]["traced"];
  // an access that begins in the last line but one may end in the last: widths are not seen
  EXPECT_GE(64.0 * (traced["value_lines"].get<double>() + 1.0), GetParam());
  EXPECT_GE(traced["dependent_reads"], 2) << "a bucket points to a node";
  EXPECT_LE(traced["dependent_reads"], 8);
}

INSTANTIATE_TEST_SUITE_P(ValueBytes, CountOperations, testing::Values(8, 64, 1000));

TEST(CountOperationsFolder, NothingStaysBehind) {
  if (!is_memory_file_system(kDirectory)) GTEST_SKIP() << kDirectory << " is no memory file system here";
  std::string directory = std::string(kDirectory) + "/pmtwin-kv-test.XXXXXX";
  ASSERT_NE(mkdtemp(directory.data()), nullptr);
  count_operations({directory, 16, 64, 1, 0, 0});
  EXPECT_TRUE(std::filesystem::is_empty(directory));
  std::filesystem::remove_all(directory);
}

}  // namespace
}  // namespace pmtwin::probe

int main(int argc, char** argv) {
  pmtwin::probe::restart_as_persistent(argv, pmtwin::probe::kDirectory);
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
