#include "middleware/engines/child_probe.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <set>
#include <string>
#include <thread>

namespace pmtwin::middleware {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kLong{60'000};

// What an attempt that ends at once, or dies, comes to.
ChildOutcome outcome_of(const std::function<std::string()>& attempt) {
  return try_in_child([&](const Progress&) { return attempt(); }, kLong);
}

void expect_death(const std::function<std::string()>& attempt, const std::string& how) {
  const ChildOutcome outcome = outcome_of(attempt);
  EXPECT_FALSE(outcome.answered);
  EXPECT_EQ(outcome.text, how);
}

std::set<std::string> pipes_that_a_program_would_inherit() {
  std::set<std::string> found;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code gone;
    const std::string target = std::filesystem::read_symlink(entry.path(), gone).string();
    const int flags = fcntl(std::stoi(entry.path().filename().string()), F_GETFD);
    if (target.starts_with("pipe:") && flags >= 0 && (flags & FD_CLOEXEC) == 0) found.insert(target);
  }
  return found;
}

TEST(ChildProbe, SaysWhatTheAttemptSaid) {
  for (const std::string& text : {std::string(), std::string(".:\n"), std::string(100'000, 'x')}) {
    const ChildOutcome outcome = outcome_of([&] { return text; });
    EXPECT_TRUE(outcome.answered);
    EXPECT_EQ(outcome.text, text);
  }
}

TEST(ChildProbe, SaysHowTheChildDied) {
  expect_death([]() -> std::string { raise(SIGBUS); return ""; }, "ended with SIGBUS");
  expect_death([]() -> std::string { raise(SIGSEGV); return ""; }, "ended with SIGSEGV");
  expect_death([]() -> std::string { _exit(7); }, "ended with exit code 7");
  expect_death([]() -> std::string { _exit(0); }, "ended with exit code 0");
}

TEST(ChildProbe, ADeathIsNoSuccessWhereExitStatusesAreThrownAway) {
  const auto before = signal(SIGCHLD, SIG_IGN);
  expect_death([]() -> std::string { raise(SIGSEGV); return ""; }, "ended without an answer");
  EXPECT_TRUE(outcome_of([] { return std::string(); }).answered);
  signal(SIGCHLD, before);
}

TEST(ChildProbe, ADeathIsNoSuccessWhereAnotherThreadWaitsForAnyChild) {
  std::atomic<bool> end = false;
  std::thread waiting([&] {
    while (!end) waitpid(-1, nullptr, WNOHANG);
  });
  const ChildOutcome dead = outcome_of([]() -> std::string { raise(SIGSEGV); return ""; });
  EXPECT_FALSE(dead.answered);
  EXPECT_TRUE(dead.text.starts_with("ended with")) << dead.text;
  EXPECT_TRUE(outcome_of([] { return std::string(); }).answered);
  end = true;
  waiting.join();
}

TEST(ChildProbe, EndsAChildThatHangs) {
  const ChildOutcome outcome = try_in_child([](const Progress&) -> std::string { for (;;) pause(); }, milliseconds(50));
  EXPECT_FALSE(outcome.answered);
  EXPECT_EQ(outcome.text, "made no progress for 50 ms");
}

TEST(ChildProbe, LetsAChildWorkThatMakesProgress) {
  const milliseconds patience(2000);
  const ChildOutcome outcome = try_in_child(
      [&](const Progress& progress) {
        for (int step = 0; step < 10; ++step) {
          std::this_thread::sleep_for(patience / 8);
          progress();
        }
        return std::string("done");
      },
      patience);
  EXPECT_EQ(outcome.text, "done");
}

TEST(ChildProbe, ItsPipeIsNotLeftToProgramsThatAreStartedMeanwhile) {
  const auto before = pipes_that_a_program_would_inherit();
  const ChildOutcome outcome = outcome_of([&] {
    std::string added;
    for (const std::string& pipe : pipes_that_a_program_would_inherit()) added += before.contains(pipe) ? "" : pipe;
    return added;
  });
  EXPECT_EQ(outcome.text, "");
}

TEST(ChildProbe, WhatTheChildChangesStaysInTheChild) {
  int number = 1;
  EXPECT_EQ(outcome_of([&] { number = 2; return std::to_string(number); }).text, "2");
  EXPECT_EQ(number, 1);
}

}  // namespace
}  // namespace pmtwin::middleware
