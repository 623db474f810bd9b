#include "middleware/engines/pool_file.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

#include "middleware/engines/engine.h"
#include "native/common/errors.h"
#include "tests/middleware/scratch.h"

namespace pmtwin::middleware {
namespace {

void write_file(const std::string& path, std::size_t bytes) {
  std::ofstream(path).put('p');
  std::filesystem::resize_file(path, bytes);
}

std::string error_of(const std::string& path) {
  try {
    check_pool_file(path);
    return "";
  } catch (const EngineError& error) {
    return error.what();
  }
}

TEST(PoolFile, SizesAreFiveTimesTheLiveDataInHugePages) {
  EXPECT_EQ(pool_bytes_for(0, 0, 0), std::uint64_t{64} << 20);
  const std::uint64_t bytes = pool_bytes_for(100'000, 16, 4096);
  EXPECT_GE(bytes, 5u * 100'000 * (16 + 4096));
  EXPECT_EQ(bytes % (2 << 20), 0u);
}

TEST(PoolFile, WhatCannotBeAPoolIsNamed) {
  const testing::Scratch scratch;
  EXPECT_NE(error_of(scratch / "absent").find("No such file"), std::string::npos);
  write_file(scratch / "short", kLeastPoolBytes - 1);
  EXPECT_NE(error_of(scratch / "short").find("8388607 bytes"), std::string::npos);
  write_file(scratch / "empty", 0);
  EXPECT_NE(error_of(scratch / "empty").find("remove it"), std::string::npos);
  EXPECT_NE(error_of(scratch / "").find("not a regular file"), std::string::npos);
  mkfifo((scratch / "pipe").c_str(), 0600);
  EXPECT_NE(error_of(scratch / "pipe").find("not a regular file"), std::string::npos);
  write_file(scratch / "good", kLeastPoolBytes);
  EXPECT_EQ(error_of(scratch / "good"), "");
}

TEST(NewPoolFile, HasItsNameOnlyOncePublished) {
  const testing::Scratch scratch;
  {
    NewPoolFile file(scratch / "pool", kLeastPoolBytes);
    write_file(file.temporary_path(), 10);
    EXPECT_FALSE(exists(scratch / "pool"));
    file.publish();
    EXPECT_TRUE(exists(scratch / "pool"));
  }
  EXPECT_EQ(scratch.files(), 1u);
}

TEST(NewPoolFile, LeavesNothingUnlessPublished) {
  const testing::Scratch scratch;
  { const NewPoolFile unused(scratch / "pool", kLeastPoolBytes); }
  { NewPoolFile file(scratch / "other", kLeastPoolBytes); write_file(file.temporary_path(), 10); }
  EXPECT_EQ(scratch.files(), 0u);
}

TEST(NewPoolFile, ReplacesNothing) {
  const testing::Scratch scratch;
  NewPoolFile file(scratch / "pool", kLeastPoolBytes);
  write_file(file.temporary_path(), 10);
  write_file(scratch / "pool", 20);  // another process was faster
  EXPECT_THROW(file.publish(), EngineError);
  EXPECT_EQ(std::filesystem::file_size(scratch / "pool"), 20u);
  EXPECT_THROW(NewPoolFile(scratch / "pool", kLeastPoolBytes), EngineError);
}

// Whoever holds the lock lives, whatever its process is called: in another container it may have any number, or none.
TEST(NewPoolFile, RemovesWhatAKilledCreationLeftAndNotWhatALivingOneDoes) {
  const testing::Scratch scratch;
  const pid_t child = fork();
  if (child == 0) {
    NewPoolFile killed(scratch / "pool", kLeastPoolBytes);
    write_file(killed.temporary_path(), 10);
    raise(SIGKILL);
  }
  waitpid(child, nullptr, 0);
  ASSERT_EQ(scratch.files(), 1u);
  const NewPoolFile living(scratch / "pool", kLeastPoolBytes);
  EXPECT_EQ(scratch.files(), 1u);
  write_file(living.temporary_path(), 10);
  const NewPoolFile other(scratch / "pool", kLeastPoolBytes);
  EXPECT_EQ(scratch.files(), 2u);
  EXPECT_TRUE(exists(living.temporary_path()));
}

TEST(NewPoolFile, LeavesAloneWhatIsNotOfACreation) {
  const testing::Scratch scratch;
  write_file(scratch / "pool.creating-notes", 10);
  std::filesystem::create_directory(scratch / "pool.creating-backup");
  write_file(scratch / "pool.creating-backup/mine", 10);
  std::filesystem::create_directory(scratch / "pools.creating-000000");
  const NewPoolFile file(scratch / "pool", kLeastPoolBytes);
  EXPECT_EQ(scratch.files(), 4u);
  EXPECT_TRUE(exists(scratch / "pool.creating-backup/mine"));
}

TEST(NewPoolFile, RefusesSizesAndFoldersThatCannotBe) {
  const testing::Scratch scratch;
  EXPECT_THROW(NewPoolFile(scratch / "pool", kLeastPoolBytes - 1), InputError);
  EXPECT_THROW(NewPoolFile(scratch / "pool", std::uint64_t{1} << 60), InputError);
  EXPECT_THROW(NewPoolFile(scratch / "absent/pool", kLeastPoolBytes), EngineError);
}

}  // namespace
}  // namespace pmtwin::middleware
