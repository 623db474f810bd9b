#include "native_probe/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "native/common/errors.h"

namespace pmtwin::probe {
namespace {

using testing::HasSubstr;

TEST(ProbeOptions, AreReadInBothForms) {
  const Options options = parse_options({"--path", "/mnt/pmem0", "--cases=-", "-o", "out.json", "--region-bytes=2097152",
                                         "--memory-node", "1", "--isa", "sse2+clflush"});
  EXPECT_EQ(options.session.path, "/mnt/pmem0");
  EXPECT_EQ(options.cases, "-");
  EXPECT_EQ(options.output, "out.json");
  EXPECT_EQ(options.session.region_bytes, 2097152u);
  EXPECT_EQ(options.session.memory_node, 1);
  EXPECT_EQ(name_of(*options.session.isa), "sse2+clflush");
  EXPECT_TRUE(parse_options({"--path=/x", "--serve"}).serve);
  EXPECT_EQ(parse_options({"--node=2", "--serve"}).session.node, 2);
  EXPECT_TRUE(parse_options({"--help"}).help);
  EXPECT_TRUE(parse_options({"--version"}).version);
}

TEST(ProbeOptions, WhatIsWrongIsNamed) {
  const std::pair<std::vector<std::string>, const char*> wrong[] = {
      {{}, "--path is missing: "},
      {{"--path", "/x"}, "--cases is missing: "},
      {{"--path", "/x", "--serve", "--cases", "a"}, "--cases a does not go with --serve"},
      {{"--path"}, "the value of --path is missing"},
      {{"--pahts", "/x"}, "'--pahts' is unknown; allowed: --path, "},
      {{"/x"}, "'/x'"},
      {{"--path", "/x", "--serve", "--region-bytes", "-1"}, "--region-bytes"},
      {{"--path", "/x", "--serve", "--cache-multiple", "0"}, "'0' is not accepted; allowed: a whole number from 1 to 64"},
      {{"--path", "/x", "--serve", "--region-bytes", "1G"}, "'1G' is not accepted; allowed: a multiple of 2 MiB"},
      {{"--path", "/x", "--serve", "--region-bytes", "99999999999999999999999"}, "--region-bytes"},
      {{"--path", "/x", "--serve", "--memory-node", "1024"}, "0 to 1023"},
      {{"--path", "/x", "--serve", "--node", "0"}, "--node 0 does not go with --path"},
      {{"--node", "0", "--serve", "--memory-node", "0"}, "--memory-node"},
      {{"--path", "/x", "--serve", "--isa", "neon"}, "neon"}};
  for (const auto& [words, told] : wrong) {
    try {
      parse_options(words);
      ADD_FAILURE() << "accepted, without: " << told;
    } catch (const InputError& error) {
      EXPECT_THAT(error.what(), HasSubstr(told));
    }
  }
}

}  // namespace
}  // namespace pmtwin::probe
