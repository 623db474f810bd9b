#include "native/common/program_options.h"

#include <gtest/gtest.h>

#include "native/common/errors.h"

namespace pmtwin {
namespace {

ProgramOptions parse(std::vector<std::string> words) {
  words.insert(words.begin(), "program");
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  return ProgramOptions(static_cast<int>(arguments.size()), arguments.data(), {{"values", "1,2"}, {"threads", "1"}});
}

TEST(OptionsOf, GivenAndDefault) {
  const ProgramOptions options = parse({"--values=64,4096"});
  EXPECT_EQ(options.numbers("values", 0, 9999), (std::vector<std::uint64_t>{64, 4096}));
  EXPECT_EQ(options.number("threads", 1, 8), 1u);
}

TEST(OptionsOf, WhatIsUnknownOrOutOfRangeIsRefused) {
  const std::pair<const char*, const char*> wrong[] = {
      {"--vlaues=1", "option: '--vlaues=1' is unknown; allowed: --threads, --values, --help"},
      {"values", "option: 'values' is unknown; allowed: --threads, --values, --help"},
      {"--values", "the value of --values is missing: --values=VALUE"}};
  for (const auto& [word, told] : wrong) {
    try {
      parse({word});
      ADD_FAILURE() << "accepted: " << word;
    } catch (const InputError& error) {
      EXPECT_STREQ(error.what(), told);
    }
  }
  for (const char* bad : {"--threads=0", "--threads=9", "--threads=", "--threads=-1", "--threads=2x"}) {
    EXPECT_THROW(parse({bad}).number("threads", 1, 8), InputError) << bad;
  }
  for (const char* bad : {"--threads=nan", "--threads=0.5", "--threads=8.1", "--threads=1e", "--threads="}) {
    EXPECT_THROW(parse({bad}).real("threads", 1, 8), InputError) << bad;
  }
  EXPECT_DOUBLE_EQ(parse({"--threads=1.5"}).real("threads", 1, 8), 1.5);
  EXPECT_THROW(parse({"--values=1,,2"}).numbers("values", 0, 9), InputError);
}

}  // namespace
}  // namespace pmtwin
