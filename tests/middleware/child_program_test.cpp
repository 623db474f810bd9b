#include "middleware/engines/child_program.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <string>
#include <system_error>
#include <thread>

#include "native/common/interruption.h"

namespace pmtwin::middleware {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kLong{60'000};

// What a shell comes to that runs this script, which writes what a ChildReport would.
ChildOutcome outcome_of(const std::string& script, milliseconds patience = kLong) {
  return run_child("sh", {"-c", script}, patience);
}

void expect_death(const std::string& script, const std::string& how) {
  const ChildOutcome outcome = outcome_of("printf .; " + script);
  EXPECT_TRUE(outcome.began);
  EXPECT_FALSE(outcome.answered);
  EXPECT_EQ(outcome.text, how);
}

TEST(ChildProgram, SaysWhatTheProgramAnswered) {
  EXPECT_EQ(outcome_of("printf '..:\\n'").text, "");
  EXPECT_EQ(outcome_of("printf '.:.:\\n\\n'").text, ".:\n");
  const ChildOutcome outcome = outcome_of("printf .:; head -c 100000 /dev/zero | tr '\\0' x; echo");
  EXPECT_TRUE(outcome.answered);
  EXPECT_EQ(outcome.text, std::string(100'000, 'x'));
}

TEST(ChildProgram, SaysHowTheProgramDied) {
  expect_death("kill -BUS $$", "ended with SIGBUS");
  expect_death("kill -SEGV $$", "ended with SIGSEGV");
  expect_death("exit 7", "ended with exit code 7");
  expect_death("exit 0", "ended with exit code 0");
  expect_death("printf :half", "ended with exit code 0");
}

TEST(ChildProgram, WhatNeverBeganIsToldFromADeath) {
  const ChildOutcome outcome = outcome_of("exit 127");
  EXPECT_FALSE(outcome.began);
  EXPECT_EQ(outcome.text, "ended with exit code 127");
  try {
    run_child("/no/such/program", {}, kLong);
    ADD_FAILURE() << "it was started";
  } catch (const std::system_error& error) {
    EXPECT_EQ(error.code().value(), ENOENT);
  }
}

TEST(ChildProgram, ADeathIsNoSuccessWhereExitStatusesAreThrownAway) {
  const auto before = signal(SIGCHLD, SIG_IGN);
  expect_death("kill -SEGV $$", "ended without an answer");
  EXPECT_TRUE(outcome_of("printf '.:\\n'").answered);
  signal(SIGCHLD, before);
}

TEST(ChildProgram, ADeathIsNoSuccessWhereAnotherThreadWaitsForAnyChild) {
  std::atomic<bool> end = false;
  std::thread waiting([&] {
    while (!end) waitpid(-1, nullptr, WNOHANG);
  });
  const ChildOutcome dead = outcome_of("printf .; kill -SEGV $$");
  EXPECT_FALSE(dead.answered);
  EXPECT_TRUE(dead.text.starts_with("ended with")) << dead.text;
  EXPECT_TRUE(outcome_of("printf '.:\\n'").answered);
  end = true;
  waiting.join();
}

TEST(ChildProgram, ASignalThatEndsThisProcessIsNoDeathOfItsOwn) {
  EXPECT_EQ(outcome_of("kill -INT $$; kill -TERM $$; printf '.:alive\\n'").text, "alive");
}

TEST(ChildProgram, EndsOneThatHangs) {
  const ChildOutcome outcome = outcome_of("printf .; kill -STOP $$", milliseconds(50));
  EXPECT_FALSE(outcome.answered);
  EXPECT_EQ(outcome.text, "made no progress for 50 ms");
}

// As long as the program runs, it holds the end of a pipe open that another process would keep reading.
TEST(ChildProgram, EndsWithTheWorkThatSomebodyEnds) {
  struct Ended {};
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const auto begin = std::chrono::steady_clock::now();
  const Interruptible within([&] {
    if (std::chrono::steady_clock::now() - begin > milliseconds(100)) throw Ended();
  });
  EXPECT_THROW(outcome_of("printf .; exec sleep 600"), Ended);
  close(ends[1]);
  char byte;
  EXPECT_EQ(read(ends[0], &byte, 1), 0);  // nobody has the other end any more
  close(ends[0]);
}

TEST(ChildProgram, LetsOneWorkThatMakesProgress) {
  const std::string now = "$(date +%s%3N)", script =
      "end=$((" + now + " + 2200)); while [ " + now + " -lt $end ]; do printf .; done; printf ':done\\n'";
  EXPECT_EQ(outcome_of(script, milliseconds(2000)).text, "done");
}

TEST(ChildProgram, GetsOneEndOfThePipeAlone) {
  const std::string script = "me=/proc/$$/fd; printf .:; for file in $me/*; do "
                             "if [ \"$(readlink $file)\" = \"$(readlink $me/1)\" ]; then printf x; fi; done; echo";
  EXPECT_EQ(outcome_of(script).text, "x");
}

}  // namespace
}  // namespace pmtwin::middleware
