// The files that pmemkv dies of, or hangs on. (tests/middleware/durability_test.cpp: what a kill leaves.)
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <random>

#include "middleware/engines/child_probe.h"
#include "middleware/engines/pmemkv_engine.h"
#include "tests/middleware/scratch.h"

namespace pmtwin::middleware {
namespace {

constexpr std::uint64_t kBytes = std::uint64_t{16} << 20;

PmemkvOptions existing(const std::string& path) {
  PmemkvOptions options;
  options.path = path;
  options.timeout = std::chrono::seconds(5);
  return options;
}

void create(const std::string& path) {
  PmemkvOptions options = existing(path);
  options.opening = PmemkvOptions::Opening::kCreate;
  options.pool_bytes = kBytes;
  PmemkvEngine engine(options);
  for (int i = 0; i < 1000; ++i) engine.put(std::to_string(i), std::string(100, 'v'));
}

std::string error_of(const std::string& path) {
  try {
    PmemkvEngine engine(existing(path));
    return "";
  } catch (const EngineError& error) {
    return error.what();
  }
}

TEST(BadPool, AnEmptyFileIsAnError) {
  const testing::Scratch scratch;
  std::ofstream(scratch / "pool");
  EXPECT_NE(error_of(scratch / "pool").find("0 bytes"), std::string::npos);
}

TEST(BadPool, AFileOfZerosIsAnError) {
  const testing::Scratch scratch;
  std::ofstream(scratch / "pool");
  std::filesystem::resize_file(scratch / "pool", kBytes);
  EXPECT_NE(error_of(scratch / "pool"), "");
}

TEST(BadPool, ATruncatedPoolIsAnError) {
  const testing::Scratch scratch;
  create(scratch / "pool");
  std::filesystem::resize_file(scratch / "pool", kBytes / 2);
  EXPECT_NE(error_of(scratch / "pool"), "");
}

// Whatever is overwritten inside: an error, or a pool that opens. The process lives.
TEST(BadPool, CorruptionInsideNeverKillsTheProcess) {
  const testing::Scratch scratch;
  create(scratch / "good");
  std::mt19937_64 random(5);
  int errors = 0, died = 0;
  for (int round = 0; round < 12; ++round) {
    const std::string path = scratch / "pool";
    std::filesystem::copy_file(scratch / "good", path);
    {
      std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
      // The header with the root object and the heap's, the logs, and the first data.
      const std::uint64_t from = round % 3 == 0 ? 4096 : round % 3 == 1 ? 8192 : (std::uint64_t{3} << 20);
      file.seekp(static_cast<std::streamoff>(from));
      for (int word = 0; word < 65'536; ++word) {
        const std::uint64_t noise = random();
        file.write(reinterpret_cast<const char*>(&noise), sizeof noise);
      }
    }
    PmemkvOptions options = existing(path);
    options.timeout = std::chrono::milliseconds(1500);
    try {
      PmemkvEngine engine(options);
    } catch (const EngineError& error) {
      ++errors;
      died += std::string(error.what()).find("the pool is corrupt: opening it in a child process ") != std::string::npos;
    }
    std::filesystem::remove(path);
  }
  EXPECT_GT(errors, died);
  EXPECT_GT(died, 0);  // or else this shows nothing of what a process dies of
}

TEST(BadPool, AnOpenThatTakesTooLongIsAnError) {
  const testing::Scratch scratch;
  create(scratch / "pool");
  PmemkvOptions options = existing(scratch / "pool");
  options.timeout = std::chrono::milliseconds(0);
  try {
    PmemkvEngine engine(options);
    ADD_FAILURE() << "it was opened";
  } catch (const EngineError& error) {
    EXPECT_NE(std::string(error.what()).find("did not end within 0 ms"), std::string::npos) << error.what();
  }
  EXPECT_EQ(error_of(scratch / "pool"), "");  // the child that tried is gone, and its lock with it
}

TEST(BadPool, OpenedTwiceIsPmemkvsOwnError) {
  const testing::Scratch scratch;
  create(scratch / "pool");
  const PmemkvEngine engine(existing(scratch / "pool"));
  const std::string error = error_of(scratch / "pool");
  EXPECT_NE(error.find("pool"), std::string::npos);
  EXPECT_EQ(error.find("corrupt"), std::string::npos) << error;
}

// The documented exception: shown in a child, which it ends.
TEST(BadPool, TruncatingAnOpenPoolKillsWhoUsesIt) {
  const testing::Scratch scratch;
  create(scratch / "pool");
  const auto use_after_truncation = [&]() -> std::string {
    PmemkvEngine engine(existing(scratch / "pool"));
    std::filesystem::resize_file(scratch / "pool", 1 << 20);
    for (int i = 0; i < 1000; ++i) engine.put(std::to_string(i), std::string(4000, 'w'));
    return "survived";
  };
  EXPECT_EQ(try_in_child(use_after_truncation, std::chrono::seconds(60)), "ended with SIGBUS");
}

}  // namespace
}  // namespace pmtwin::middleware
