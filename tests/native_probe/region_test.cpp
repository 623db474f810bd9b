#include "native_probe/region.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>

#include "native/common/errors.h"
#include "native/common/files.h"
#include "native_probe/access.h"
#include "tests/native_probe/fake_root.h"

namespace pmtwin::probe {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

constexpr std::uint64_t kBytes = 4u << 20;

std::string error_of(const std::string& path) {
  try {
    const Folder folder(path);
  } catch (const InputError& error) {
    return error.what();
  }
  return "opened";
}

TEST(Folder, OnlyADirectoryIsOpened) {
  const FakeRoot root;
  root.put("file", "mine");
  ASSERT_EQ(mkfifo((root / "fifo").c_str(), 0600), 0);
  EXPECT_EQ(error_of(root.path()), "opened");
  EXPECT_THAT(error_of(root / "file"), HasSubstr("Not a directory"));
  EXPECT_THAT(error_of(root / "fifo"), HasSubstr("Not a directory"));  // and opening did not wait for a writer
  EXPECT_THAT(error_of("/dev/null"), HasSubstr("Not a directory"));
  EXPECT_THAT(error_of(root / "missing"), HasSubstr("No such file"));
  EXPECT_THAT(error_of(""), HasSubstr("--path"));
  EXPECT_EQ(root.text_of("file"), "mine");
}

TEST(Region, NeverHasANameWhileItIsThereNorAfter) {
  const FakeRoot root;
  root.put("theirs", "do not touch");
  int calls = 0;
  {
    const Folder folder(root.path());
    const auto only_theirs = [&] {
      ++calls;
      int entries = 0;
      for (const auto& entry : fs::directory_iterator(root.path())) entries += entry.path().filename() != "theirs";
      EXPECT_EQ(entries, 0);
    };
    const Region region(folder, kBytes, std::nullopt, only_theirs);
    only_theirs();
  }
  EXPECT_GE(calls, 2);
  EXPECT_EQ(root.text_of("theirs"), "do not touch");
}

TEST(Region, IsAllocatedAndEveryLineOfItWritten) {
  const FakeRoot root;
  const Folder folder(root.path());
  const Region region(folder, kBytes, std::nullopt, [] {});
  ASSERT_EQ(region.bytes(), kBytes);
  for (std::uint64_t at = 0; at < kBytes; at += kLineBytes) {
    ASSERT_EQ(std::memcmp(region.data() + at, kStoredLine, kLineBytes), 0) << at;
  }
}

TEST(Region, IsGoneWhenWorkOnItIsStopped) {
  const FakeRoot root;
  const Folder folder(root.path());
  EXPECT_THROW(Region(folder, kBytes, std::nullopt, [] { throw Interrupted(); }), Interrupted);
  EXPECT_TRUE(root.empty());
}

std::string error_of_region(const std::string& path, std::uint64_t bytes) {
  const Folder folder(path);
  try {
    const Region region(folder, bytes, std::nullopt, [] {});
  } catch (const InputError& error) {
    return error.what();
  }
  return "made";
}

TEST(Region, WhereNothingCanBeMadeItSaysSo) {
  EXPECT_THAT(error_of_region("/proc/self", kBytes), HasSubstr("' takes no file: "));
}

TEST(Region, MoreThanTheFileSystemCanHoldIsAnErrorAndNoSignal) {
  const FakeRoot root;
  EXPECT_THAT(error_of_region(root.path(), std::uint64_t{1} << 55), HasSubstr("allowed"));
  EXPECT_TRUE(root.empty());
}

TEST(Region, KnowsWhatItLiesOn) {
  if (!fs::is_directory("/dev/shm")) GTEST_SKIP() << "no /dev/shm here";
  const Folder folder("/dev/shm");
  EXPECT_EQ(folder.file_system(), "tmpfs");
  EXPECT_TRUE(folder.lives_in_memory());
  const Region region(folder, kBytes, std::nullopt, [] {});
  EXPECT_FALSE(region.direct_access());
  EXPECT_FALSE(region.synchronous());
  if (fs::is_directory("/sys/devices/system/node/node0")) {
    ASSERT_TRUE(region.node().has_value());
    EXPECT_GE(*region.node(), 0);
  }
}

TEST(Region, LiesOnTheNodeThatItIsBoundTo) {
  if (!fs::is_directory("/sys/devices/system/node/node0")) GTEST_SKIP() << "a kernel without NUMA";
  const FakeRoot root;
  const Region region(Folder(root.path()), kBytes, 0, [] {});
  EXPECT_EQ(region.node(), 0);
}

TEST(Region, TellsHugePagesFromSmallOnes) {
  const std::string setting = read_text("/sys/kernel/mm/transparent_hugepage/shmem_enabled").value_or("");
  if (setting.find("[never]") == std::string::npos && setting.find("[deny]") == std::string::npos) {
    GTEST_SKIP() << "the kernel may use huge pages in /dev/shm";
  }
  const Folder folder("/dev/shm");
  const Region region(folder, kBytes, std::nullopt, [] {});
  EXPECT_FALSE(region.huge_pages());
}

}  // namespace
}  // namespace pmtwin::probe
