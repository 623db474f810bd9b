#include "native_probe/output.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <system_error>

#include "native/common/errors.h"
#include "tests/native_probe/fake_root.h"

namespace pmtwin::probe {
namespace {

namespace fs = std::filesystem;

TEST(Output, TryingMakesNothing) {
  const FakeRoot root;
  const Output output(root / "out.json");
  EXPECT_TRUE(root.empty());
}

TEST(Output, ReplacesAFileInOneStepAndLeavesNothingBeside) {
  const FakeRoot root;
  root.put("out.json", "old");
  const Output output(root / "out.json");
  EXPECT_EQ(root.text_of("out.json"), "old");
  output.write("new");
  EXPECT_EQ(root.text_of("out.json"), "new");
  EXPECT_EQ(std::distance(fs::directory_iterator(root.path()), {}), 1);
}

TEST(Output, WritesThroughALinkAndKeepsIt) {
  const FakeRoot root;
  root.put("real/out.json", "old");
  fs::create_symlink("real/out.json", root / "link.json");
  Output(root / "link.json").write("new");
  EXPECT_TRUE(fs::is_symlink(root / "link.json"));
  EXPECT_EQ(root.text_of("real/out.json"), "new");
}

TEST(Output, NeverADeviceAFifoOrAFolder) {
  const FakeRoot root;
  ASSERT_EQ(mkfifo((root / "fifo").c_str(), 0600), 0);
  for (const std::string& name : {root / "fifo", root.path(), std::string("/dev/null"), root / "no/such/folder/out"}) {
    EXPECT_THROW(Output{name}, InputError) << name;
  }
  EXPECT_TRUE(fs::is_fifo(root / "fifo"));
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST(Output, WhatCannotBeWrittenLeavesTheOldFile) {
  const FakeRoot root;
  root.put("folder/out.json", "old");
  const Output output(root / "folder/out.json");
  fs::rename(root / "folder", root / "moved");
  EXPECT_THROW(output.write("new"), std::system_error);
  EXPECT_EQ(root.text_of("moved/out.json"), "old");
}

TEST(Output, AReaderThatHasGoneIsAnError) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  close(ends[0]);
  signal(SIGPIPE, SIG_IGN);
  EXPECT_THROW(write_all(ends[1], "text"), std::system_error);
  close(ends[1]);
}

}  // namespace
}  // namespace pmtwin::probe
