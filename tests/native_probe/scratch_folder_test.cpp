#include "native/common/scratch_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "native/common/errors.h"
#include "native/common/scratch_owner.h"

namespace pmtwin {
namespace {

namespace fs = std::filesystem;

class Scratch : public testing::Test {
 protected:
  Scratch() {
    std::string pattern = (fs::temp_directory_path() / "pmtwin-scratch-test.XXXXXX").string();
    directory_ = mkdtemp(pattern.data());
  }
  ~Scratch() override { fs::remove_all(directory_); }

  long entries() const { return std::distance(fs::directory_iterator(directory_), fs::directory_iterator()); }

  // Ends a process that holds a scratch folder with a signal.
  void end_owner(int signal_number) const {
    int ready[2];
    ASSERT_EQ(pipe(ready), 0);
    const pid_t child = fork();
    if (child == 0) {
      const ScratchFolder scratch(directory_, 0);
      std::ofstream(scratch.pool_path()) << "pool";
      fs::create_directory(scratch.pool_path() + ".creating-abc");  // as NewPoolFile does
      std::ofstream(scratch.pool_path() + ".creating-abc/pool") << "half a pool";
      static_cast<void>(!write(ready[1], "x", 1));
      for (;;) pause();
    }
    char byte = 0;
    ASSERT_EQ(read(ready[0], &byte, 1), 1);
    kill(child, signal_number);
    waitpid(child, nullptr, 0);
    close(ready[0]);
    close(ready[1]);
  }

  std::string refusal(const std::string& path, std::uint64_t bytes = 0) const {
    try {
      const ScratchFolder scratch(path, bytes);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  }

  std::string directory_;
};

TEST_F(Scratch, IsGoneWithItsObject) {
  {
    const ScratchFolder scratch(directory_, 0);
    std::ofstream(scratch.pool_path()) << "pool";
    EXPECT_EQ(entries(), 1);
  }
  EXPECT_EQ(entries(), 0);
}

TEST_F(Scratch, IsGoneAfterSignals) {
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    end_owner(number);
    EXPECT_EQ(entries(), 0) << number;
  }
}

TEST_F(Scratch, WhatAKillLeftIsRemovedByTheNext) {
  end_owner(SIGKILL);
  EXPECT_EQ(entries(), 1);
  const ScratchFolder scratch(directory_, 0);
  ASSERT_EQ(scratch.removed().size(), 1u);
  EXPECT_THAT(scratch.removed()[0], testing::MatchesRegex("removed .*pmtwin-scratch.*, left by process [0-9]+, which was "
                                                          "killed: kv_access_test.*"));
  EXPECT_EQ(entries(), 1);
}

TEST_F(Scratch, WhatAKillLeftBeforeItsMarkWasWrittenIsRemovedByTheNext) {
  fs::create_directory(directory_ + "/pmtwin-scratch.abcdef");
  fs::create_directory(directory_ + "/pmtwin-scratch.ghijkl");
  std::ofstream(directory_ + "/pmtwin-scratch.ghijkl/owner").flush();
  EXPECT_EQ(remove_abandoned(directory_).size(), 2u);
  EXPECT_EQ(entries(), 0);
}

TEST_F(Scratch, BothFoldersOfAProcessAreGoneAfterASignal) {
  const pid_t child = fork();
  if (child == 0) {
    const ScratchFolder first(directory_, 0), second(directory_, 0);
    raise(SIGTERM);
  }
  waitpid(child, nullptr, 0);
  EXPECT_EQ(entries(), 0);
}

TEST_F(Scratch, ASignalThatIsIgnoredStaysIgnored) {
  const pid_t child = fork();
  if (child == 0) {
    signal(SIGHUP, SIG_IGN);  // nohup
    const ScratchFolder scratch(directory_, 0);
    raise(SIGHUP);
    _exit(7);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 7);
}

// Its process lives, and has given up the lock, as one in a container does whose folder is seen from outside by a file
// system without locks.
TEST_F(Scratch, AFolderWhoseProcessLivesIsLeftAloneWithoutALockToo) {
  const std::string folder = directory_ + "/pmtwin-scratch.abcdef";
  fs::create_directory(folder);
  ScratchOwner owner = this_process();
  std::ofstream(folder + "/owner") << mark_of(owner);
  EXPECT_TRUE(remove_abandoned(directory_).empty());
  owner.started += "0";  // another process had the number before
  std::ofstream(folder + "/owner") << mark_of(owner);
  EXPECT_EQ(remove_abandoned(directory_).size(), 1u);
}

TEST_F(Scratch, ACopyThatSomebodyKeepsIsLeftAlone) {
  end_owner(SIGKILL);
  const fs::path left = fs::directory_iterator(directory_)->path();
  fs::copy(left, left.string() + ".bak", fs::copy_options::recursive);
  EXPECT_EQ(remove_abandoned(directory_).size(), 1u);
  EXPECT_TRUE(fs::exists(left.string() + ".bak/pool"));
}

TEST_F(Scratch, AFolderOfAnotherMachineIsLeftAlone) {
  const std::string folder = directory_ + "/pmtwin-scratch.abcdef";
  fs::create_directory(folder);
  ScratchOwner owner = this_process();
  owner.boot = "another";
  std::ofstream(folder + "/owner") << mark_of(owner);
  ASSERT_EQ(remove_abandoned(directory_).size(), 1u);  // this machine before it was started anew
  fs::create_directory(folder);
  owner.host = "another";
  std::ofstream(folder + "/owner") << mark_of(owner);
  EXPECT_TRUE(remove_abandoned(directory_).empty());
}

TEST_F(Scratch, AFolderInUseIsLeftAlone) {
  const ScratchFolder first(directory_, 0);
  const ScratchFolder second(directory_, 0);
  EXPECT_TRUE(second.removed().empty());
  EXPECT_TRUE(fs::exists(first.path()));
}

TEST_F(Scratch, WhatIsNotProvablyOursIsLeftAlone) {
  const std::string alike = directory_ + "/pmtwin-scratch.abcdef";
  fs::create_directory(alike);
  std::ofstream(alike + "/owner") << "somebody else's\n";
  std::ofstream(alike + "/pool") << "precious";
  fs::create_directory(directory_ + "/pmtwin-scratch.full");
  std::ofstream(directory_ + "/pmtwin-scratch.full/notes") << "precious";
  std::ofstream(directory_ + "/pmtwin-scratch.file") << "precious";
  fs::create_symlink(alike, directory_ + "/pmtwin-scratch.link");
  const ScratchFolder scratch(directory_, 0);
  EXPECT_TRUE(scratch.removed().empty());
  EXPECT_TRUE(fs::exists(alike + "/pool"));
  EXPECT_TRUE(fs::exists(directory_ + "/pmtwin-scratch.file"));
  EXPECT_TRUE(fs::exists(directory_ + "/pmtwin-scratch.full/notes"));
}

TEST_F(Scratch, PathsThatWillNotDoAreNamed) {
  EXPECT_THAT(refusal(directory_ + "/absent"), testing::HasSubstr("No such file"));
  EXPECT_THAT(refusal("/dev/null"), testing::HasSubstr("is no directory"));
  const std::string fifo = directory_ + "/fifo";
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  EXPECT_THAT(refusal(fifo), testing::HasSubstr("is no directory"));
  EXPECT_THAT(refusal(directory_, std::uint64_t{1} << 60), testing::HasSubstr("MiB free; allowed: "));
}

TEST_F(Scratch, AReadOnlyDirectoryIsRefused) {
  if (geteuid() == 0) GTEST_SKIP() << "root may write anywhere";
  fs::permissions(directory_, fs::perms::owner_read | fs::perms::owner_exec);
  EXPECT_THAT(refusal(directory_), testing::HasSubstr("Permission denied"));
  fs::permissions(directory_, fs::perms::owner_all);
}

}  // namespace
}  // namespace pmtwin
