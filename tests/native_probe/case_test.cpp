#include "native_probe/case.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "native/common/errors.h"

namespace pmtwin::probe {
namespace {

using nlohmann::json;
using testing::AnyOf;
using testing::HasSubstr;

Case parse(const char* text) {
  return parse_case(json::parse(text));
}

std::string error_of(const char* text) {
  try {
    parse(text);
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Case, WhatIsNotAskedForHasTheDocumentedDefaults) {
  const Case found = parse(R"({"kind": "bandwidth", "operation": "load"})");
  EXPECT_EQ(found.kind, Kind::kBandwidth);
  EXPECT_EQ(found.operation, Operation::kLoad);
  EXPECT_TRUE(found.random);
  EXPECT_FALSE(found.mixed);
  EXPECT_EQ(found.access_bytes, 64u);
  EXPECT_EQ(found.threads, 1);
  EXPECT_EQ(found.repetitions, 10);
  EXPECT_EQ(found.numa, "local");
}

TEST(Case, EveryFieldArrives) {
  const Case found = parse(R"({"kind": "bandwidth", "operation": "mixed", "write_operation": "store_clwb",
      "mix_by": "threads", "pattern": "sequential", "access_size_bytes": 4096, "threads": 4, "write_ratio": 0.25,
      "numa": "remote", "fence_interval_bytes": 256, "stride_bytes": 8192, "min_time_s": 0.5, "repetitions": 3})");
  EXPECT_TRUE(found.mixed);
  EXPECT_EQ(found.write_operation, Operation::kStoreClwb);
  EXPECT_FALSE(found.mix_by_accesses);
  EXPECT_FALSE(found.random);
  EXPECT_EQ(found.access_bytes, 4096u);
  EXPECT_EQ(found.threads, 4);
  EXPECT_EQ(found.writing_threads(), 1);
  EXPECT_EQ(found.numa, "remote");
  EXPECT_EQ(found.fence_interval_bytes, 256u);
  EXPECT_EQ(found.stride_bytes, 8192u);
  EXPECT_EQ(found.min_time_s, 0.5);
  EXPECT_EQ(found.repetitions, 3);
}

TEST(Case, LatenciesOfWritesFindTheirLinesInTheCacheUnlessAskedFor) {
  EXPECT_TRUE(parse(R"({"kind": "latency", "operation": "store_clwb"})").cached);
  EXPECT_FALSE(parse(R"({"kind": "latency", "operation": "store_clwb", "line": "cold"})").cached);
  EXPECT_FALSE(parse(R"({"kind": "latency", "operation": "load"})").cached);
  EXPECT_FALSE(parse(R"({"kind": "latency", "operation": "ntstore"})").cached);
}

struct Refused {
  const char* text;
  const char* field;  // that the error names first
  const char* told;   // and what it says besides: the value, or what is allowed
};

class RefusedCase : public testing::TestWithParam<Refused> {};

TEST_P(RefusedCase, NamesTheFieldAndWhatIsAllowed) {
  const std::string error = error_of(GetParam().text);
  EXPECT_EQ(error.substr(0, error.find_first_of(": ")), GetParam().field) << error;
  EXPECT_THAT(error, HasSubstr(GetParam().told));
  EXPECT_THAT(error, AnyOf(HasSubstr("; allowed: "), HasSubstr(" is missing: ")));
}

#define LOAD R"({"kind": "bandwidth", "operation": "load", )"
#define MIX R"({"kind": "bandwidth", "operation": "mixed", "write_operation": "ntstore", )"

INSTANTIATE_TEST_SUITE_P(
    Bad, RefusedCase,
    testing::Values(
        Refused{"[]", "case", "an object"}, Refused{"null", "case", "an object"},
        Refused{LOAD R"("treads": 2})", "case", "'treads'"}, Refused{R"({"operation": "load"})", "kind", "is missing"},
        Refused{R"({"kind": "bandwidth"})", "operation", "is missing"},
        Refused{R"({"kind": "speed", "operation": "load"})", "kind", "bandwidth, latency, chase"},
        Refused{R"({"kind": 1, "operation": "load"})", "kind", "'1'"},
        Refused{R"({"kind": "bandwidth", "operation": "read"})", "operation", "load, ntstore, store_clwb, store, mixed"},
        Refused{LOAD R"("pattern": "zipf"})", "pattern", "random, sequential"},
        Refused{LOAD R"("threads": 0})", "threads", "'0'"}, Refused{LOAD R"("threads": -1})", "threads", "'-1'"},
        Refused{LOAD R"("threads": 1.5})", "threads", "a whole number"},
        Refused{LOAD R"("threads": "2"})", "threads", "'2'"}, Refused{LOAD R"("threads": null})", "threads", "'null'"},
        Refused{LOAD R"("threads": 1e300})", "threads", "4096"},
        Refused{LOAD R"("access_size_bytes": 63})", "access_size_bytes", "'63'"},
        Refused{LOAD R"("access_size_bytes": 100})", "access_size_bytes", "a multiple of 64 B"},
        Refused{LOAD R"("access_size_bytes": 0})", "access_size_bytes", "'0'"},
        Refused{LOAD R"("access_size_bytes": 2147483648})", "access_size_bytes", "'2147483648'"},
        Refused{LOAD R"("repetitions": 0})", "repetitions", "'0'"},
        Refused{LOAD R"("min_time_s": 0})", "min_time_s", "0.001 to 60"},
        Refused{LOAD R"("min_time_s": 61})", "min_time_s", "'61'"},
        Refused{LOAD R"("numa": "far"})", "numa", "local, remote"},
        Refused{LOAD R"("write_ratio": 0.5})", "write_ratio", "unless operation is mixed"},
        Refused{LOAD R"("write_operation": "ntstore"})", "write_operation", "unless it is a mix"},
        Refused{LOAD R"("fence_interval_bytes": 64})", "fence_interval_bytes", "bandwidth of writes"},
        Refused{LOAD R"("line": "cached"})", "line", "unless kind is latency"},
        Refused{LOAD R"("stride_bytes": 256})", "stride_bytes", "sequential"},
        Refused{LOAD R"("pattern": "sequential", "access_size_bytes": 512, "stride_bytes": 256})", "stride_bytes",
                "at least the access size"},
        Refused{LOAD R"("pattern": "sequential", "stride_bytes": 100})", "stride_bytes", "a multiple of 64 B"},
        Refused{MIX R"("write_ratio": 1.5})", "write_ratio", "0 to 1"},
        Refused{MIX R"("write_ratio": 0.5, "threads": 1})", "write_ratio", "mix_by: accesses"},
        Refused{R"({"kind": "bandwidth", "operation": "mixed"})", "write_operation", "is missing"},
        Refused{R"({"kind": "latency", "operation": "mixed", "write_operation": "ntstore"})", "operation",
                "a bandwidth only"},
        Refused{R"({"kind": "chase", "operation": "ntstore"})", "operation", "load, in a chase"},
        Refused{R"({"kind": "chase", "operation": "load", "access_size_bytes": 256})", "access_size_bytes", "64"},
        Refused{R"({"kind": "latency", "operation": "ntstore", "fence_interval_bytes": 64})", "fence_interval_bytes",
                "bandwidth of writes"}));

TEST(Case, AMixByAccessesNeedsNoWholeNumberOfWriters) {
  const Case found = parse(MIX R"("mix_by": "accesses", "write_ratio": 0.3, "threads": 1})");
  EXPECT_TRUE(found.mix_by_accesses);
  EXPECT_EQ(found.write_ratio, 0.3);
}

TEST(Case, CasesThatDifferHaveNamesThatDiffer) {
  std::set<std::string> names;
  const char* const different[] = {
      LOAD R"("threads": 1})",
      LOAD R"("pattern": "sequential"})",
      LOAD R"("access_size_bytes": 128})",
      LOAD R"("pattern": "sequential", "stride_bytes": 256})",
      LOAD R"("numa": "remote"})",
      R"({"kind": "bandwidth", "operation": "store"})",
      R"({"kind": "bandwidth", "operation": "ntstore"})",
      R"({"kind": "bandwidth", "operation": "ntstore", "fence_interval_bytes": 64})",
      R"({"kind": "latency", "operation": "load"})",
      R"({"kind": "latency", "operation": "load", "line": "cached"})",
      R"({"kind": "chase", "operation": "load"})",
      MIX R"("mix_by": "accesses", "write_ratio": 0.5})",
      MIX R"("mix_by": "accesses", "write_ratio": 0.25})",
      MIX R"("mix_by": "threads", "write_ratio": 0.5, "threads": 2})",
      R"({"kind": "bandwidth", "operation": "mixed", "write_operation": "store", "mix_by": "accesses", "write_ratio": 0.5})"};
  for (const char* text : different) EXPECT_TRUE(names.insert(name_of(parse(text))).second) << text;
}

TEST(Case, TheLabelHasWhatTheReaderGoesBy) {
  const Isa isa{Vector::kAvx2, Flush::kClflush};
  EXPECT_EQ(label_of(parse(MIX R"("mix_by": "accesses", "write_ratio": 0.5})"), isa),
            "operation=mixed write_operation=ntstore mix_by=accesses pattern=random kind=bandwidth numa=local "
            "isa=avx2+clflush");
  EXPECT_EQ(label_of(parse(R"({"kind": "latency", "operation": "store_clwb"})"), isa),
            "operation=store_clwb pattern=random kind=latency line=cached numa=local isa=avx2+clflush");
}

}  // namespace
}  // namespace pmtwin::probe
