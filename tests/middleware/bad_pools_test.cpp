// The files that pmemkv dies of, or hangs on. (tests/middleware/durability_test.cpp: what a kill leaves.)
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <random>
#include <vector>

#include "middleware/engines/pmemkv_engine.h"
#include "middleware/engines/pool_trial.h"
#include "tests/middleware/forked.h"
#include "tests/middleware/scratch.h"

namespace pmtwin::middleware {
namespace {

constexpr std::uint64_t kBytes = std::uint64_t{16} << 20;

constexpr int kRecords = 1000;

std::string key_of(int number) { return "record-" + std::to_string(number); }

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
  for (int i = 0; i < kRecords; ++i) engine.put(key_of(i), std::string(i % 2 == 0 ? 10 : 100, 'v'));
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

std::string text_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

constexpr const char* kSaved = "refused, for a child had died of it";

// Opens a pool and uses it as its clients would: reads all that was stored, then puts, gets and removes at random.
std::string open_and_use(const PmemkvOptions& options, std::uint64_t seed) {
  std::optional<PmemkvEngine> engine;
  try {
    engine.emplace(options);
  } catch (const EngineError& error) {
    return std::string(error.what()).find("in a child process") == std::string::npos ? "refused" : kSaved;
  }
  std::mt19937_64 random(seed);
  std::array<char, 1024> buffer;
  std::size_t bytes = 0;
  for (int i = 0; i < kRecords; ++i) engine->get(key_of(i), buffer, bytes);
  for (int i = 0; i < 3000; ++i) {
    const std::string key = key_of(static_cast<int>(random() % (2 * kRecords)));
    const auto choice = random() % 8;
    if (choice == 0) {
      engine->remove(key);
    } else if (choice < 4) {
      engine->get(key, buffer, bytes);
    } else {
      engine->put(key, std::string(random() % 400, 'w'));
    }
  }
  engine.reset();  // closes it
  return "used";
}

// Damages copies of a pool, and counts what became of those who opened and used them.
template <class Damage>
std::map<std::string, int> outcomes_of(int seeds, Damage damage) {
  const testing::Scratch scratch;
  create(scratch / "good");
  const std::string good = text_of(scratch / "good");
  std::map<std::string, int> outcomes;
  for (int seed = 0; seed < seeds; ++seed) {
    std::mt19937_64 random(static_cast<std::uint64_t>(seed));
    std::string bad = good;
    damage(bad, random);
    std::ofstream(scratch / "pool", std::ios::binary) << bad;
    const std::string outcome = testing::forked([&] {
      PmemkvOptions options = existing(scratch / "pool");
      options.timeout = std::chrono::milliseconds(1500);
      return open_and_use(options, random());
    });
    ++outcomes[outcome.starts_with("ended") ? outcome + " (seed " + std::to_string(seed) + ")" : outcome];
  }
  return outcomes;
}

void expect_that_nobody_died(const std::map<std::string, int>& outcomes) {
  for (const auto& [text, count] : outcomes) EXPECT_TRUE(text == "refused" || text == kSaved || text == "used") << text;
  EXPECT_GT(outcomes.count(kSaved), 0u);  // or else this shows nothing of what a process dies of
}

void write_word(std::string& pool, std::size_t at, std::uint64_t word) {
  ASSERT_LE(at + sizeof word, pool.size());
  std::memcpy(pool.data() + at, &word, sizeof word);
}

TEST(BadPool, DamagedMetadataNeverKillsItsUser) {
  expect_that_nobody_died(outcomes_of(6, [](std::string& pool, std::mt19937_64& random) {
    // The header with the root object and the heap's, the logs, and the first data.
    constexpr std::size_t kPlaces[] = {4096, 8192, std::size_t{3} << 20};
    const std::size_t from = kPlaces[random() % 3];
    for (std::size_t word = 0; word < 65'536; ++word) write_word(pool, from + 8 * word, random());
  }));
}

// One to ten words in or around the keys of live records: pointers to the next record and to values, sizes, locks.
TEST(BadPool, DamagedRecordsNeverKillTheirUser) {
  const auto outcomes = outcomes_of(40, [](std::string& pool, std::mt19937_64& random) {
    std::vector<std::size_t> records;
    for (std::size_t at = 0; (at = pool.find("record-", at)) != std::string::npos; ++at) records.push_back(at);
    ASSERT_GE(records.size(), static_cast<std::size_t>(kRecords));
    for (std::uint64_t count = 1 + random() % 10; count > 0; --count) {
      const std::size_t record = records[random() % records.size()];
      const std::uint64_t noise[] = {0, random(), std::uint64_t{1} << (random() % 64)};
      write_word(pool, record - 96 + 8 * (random() % 20), noise[random() % 3]);
    }
  });
  expect_that_nobody_died(outcomes);
  EXPECT_GT(outcomes.count("used"), 0u);  // some words hold nothing that matters
}

TEST(BadPool, ASoundPoolPassesTheCheckUnchanged) {
  const testing::Scratch scratch;
  create(scratch / "pool");
  const std::string before = text_of(scratch / "pool");
  for (const std::uint64_t with_changes_up_to : {kBytes, std::uint64_t{0}}) {
    PmemkvOptions options = existing(scratch / "pool");
    options.check_changes_up_to = with_changes_up_to;
    EXPECT_NO_THROW(try_pool(options));
    EXPECT_TRUE(text_of(scratch / "pool") == before);
  }
}

TEST(BadPool, ACheckThatMakesNoProgressIsAnError) {
  const testing::Scratch scratch;
  create(scratch / "pool");
  PmemkvOptions options = existing(scratch / "pool");
  options.timeout = std::chrono::milliseconds(0);
  try {
    PmemkvEngine engine(options);
    ADD_FAILURE() << "it was opened";
  } catch (const EngineError& error) {
    EXPECT_NE(std::string(error.what()).find("made no progress for 0 ms"), std::string::npos) << error.what();
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
  const std::string outcome = testing::forked([&] {
    PmemkvEngine engine(existing(scratch / "pool"));
    std::filesystem::resize_file(scratch / "pool", 1 << 20);
    for (int i = 0; i < 1000; ++i) engine.put(std::to_string(i), std::string(4000, 'w'));
    return std::string("survived");
  });
  EXPECT_EQ(outcome, "ended with SIGBUS");
}

}  // namespace
}  // namespace pmtwin::middleware
