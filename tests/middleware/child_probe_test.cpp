#include "middleware/engines/child_probe.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <string>

namespace pmtwin::middleware {
namespace {

using std::chrono::milliseconds;

TEST(ChildProbe, SaysWhatTheAttemptSaid) {
  EXPECT_EQ(try_in_child([] { return std::string(); }, milliseconds(60'000)), "");
  EXPECT_EQ(try_in_child([] { return std::string(100'000, 'x'); }, milliseconds(60'000)), std::string(100'000, 'x'));
}

TEST(ChildProbe, SaysHowTheChildDied) {
  EXPECT_EQ(try_in_child([]() -> std::string { raise(SIGBUS); return ""; }, milliseconds(60'000)), "ended with SIGBUS");
  EXPECT_EQ(try_in_child([]() -> std::string { raise(SIGSEGV); return ""; }, milliseconds(60'000)),
            "ended with SIGSEGV");
  EXPECT_EQ(try_in_child([]() -> std::string { _exit(7); }, milliseconds(60'000)), "ended with exit code 7");
}

TEST(ChildProbe, EndsAChildThatHangs) {
  EXPECT_EQ(try_in_child([]() -> std::string { for (;;) pause(); }, milliseconds(50)), "did not end within 50 ms");
}

TEST(ChildProbe, WhatTheChildChangesStaysInTheChild) {
  int number = 1;
  EXPECT_EQ(try_in_child([&]() -> std::string { number = 2; return std::to_string(number); }, milliseconds(60'000)), "2");
  EXPECT_EQ(number, 1);
}

}  // namespace
}  // namespace pmtwin::middleware
