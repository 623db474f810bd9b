#include "native_probe/session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "native/common/errors.h"
#include "native_probe/context.h"
#include "tests/native_probe/fake_root.h"

namespace pmtwin::probe {
namespace {

using nlohmann::json;

constexpr std::uint64_t kBytes = 16u << 20;

SessionOptions in(const FakeRoot& root) {
  return {.path = root.path(), .node = std::nullopt, .region_bytes = kBytes, .memory_node = std::nullopt, .isa = std::nullopt};
}

json run(Session& session, const char* text) {
  return session.run(parse_case(json::parse(text)));
}

class ASession : public testing::Test {  // one region for all: it takes half a second
 protected:
  static void SetUpTestSuite() {
    root = new FakeRoot;
    session = new Session(in(*root));
  }
  static void TearDownTestSuite() {
    delete session;
    delete root;
  }
  static FakeRoot* root;
  static Session* session;
};
FakeRoot* ASession::root = nullptr;
Session* ASession::session = nullptr;

TEST_F(ASession, TheContextIsGoogleBenchmarksAndOurs) {
  const json& context = session->context();
  EXPECT_EQ(context.at("json_schema_version"), kSchemaVersion);
  for (const char* name : {"date", "host_name", "num_cpus", "mhz_per_cpu", "caches", "load_avg", "library_version"}) {
    EXPECT_TRUE(context.contains(name)) << name;
  }
  EXPECT_EQ(context.at("memory").at("region_bytes"), kBytes);
  EXPECT_GT(context.at("timing").at("tick_ns").get<double>(), 0.0);
  EXPECT_TRUE(context.at("warnings").is_array());
  EXPECT_THAT(context.at("warnings").dump(), testing::HasSubstr("smaller than four times the last-level cache"));
  EXPECT_TRUE(root->empty());
}

TEST_F(ASession, ABandwidthIsBytesOverTimeOfAllThreads) {
  const json found = run(
      *session, R"({"kind": "bandwidth", "operation": "load", "access_size_bytes": 256, "repetitions": 3, "min_time_s": 0.004})");
  ASSERT_EQ(found.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) {
    const json& one = found[i];
    EXPECT_EQ(one.at("repetition_index"), i);
    EXPECT_EQ(one.at("access_size_bytes"), 256);
    EXPECT_EQ(one.at("threads"), 1);
    EXPECT_FALSE(one.contains("histogram"));
    const double most = one.at("accesses").get<double>() * 256 / 0.004 / 1048576.0;  // it ran at least that long
    EXPECT_LE(one.at("bandwidth_mib_s").get<double>(), 1.02 * most);
    EXPECT_GT(one.at("bandwidth_mib_s").get<double>(), 0.0);
    EXPECT_NEAR(one.at("slowest_thread_mib_s").get<double>(), one.at("bandwidth_mib_s").get<double>(), 1e-3);
  }
}

TEST_F(ASession, ALatencyComesWithItsRawHistogram) {
  const json found = run(
      *session, R"({"kind": "latency", "operation": "ntstore", "repetitions": 2, "min_time_s": 0.004})");
  ASSERT_EQ(found.size(), 2u);
  for (const json& one : found) {
    std::uint64_t counted = 0;
    for (const json& count : one.at("histogram").at("count")) counted += count.get<std::uint64_t>();
    EXPECT_EQ(counted, one.at("samples").get<std::uint64_t>());
    EXPECT_LE(one.at("latency_min_ns").get<double>(), one.at("latency_p50_ns").get<double>());
    EXPECT_LE(one.at("latency_p50_ns").get<double>(), one.at("latency_p999_ns").get<double>());
    EXPECT_LE(one.at("latency_p999_ns").get<double>(), one.at("latency_max_ns").get<double>());
  }
}

TEST_F(ASession, ChasesAreLinkedAnewAfterWrites) {
  const char* const chase = R"({"kind": "chase", "operation": "load", "repetitions": 1, "min_time_s": 0.004})";
  const char* const write = R"({"kind": "bandwidth", "operation": "store", "repetitions": 1, "min_time_s": 0.004})";
  EXPECT_GT(run(*session, chase)[0].at("latency_mean_ns").get<double>(), 0.0);
  run(*session, write);  // over the links: following them now would end the test
  EXPECT_GT(run(*session, chase)[0].at("latency_mean_ns").get<double>(), 0.0);
}

TEST_F(ASession, TheThreadsAreAllowedEverywhereAgainAfterwards) {
  const std::vector<int> before = allowed_cpus();
  run(*session, R"({"kind": "bandwidth", "operation": "load", "repetitions": 1, "min_time_s": 0.001})");
  EXPECT_EQ(allowed_cpus(), before);
}

TEST_F(ASession, MoreThreadsThanProcessorsAreRefused) {
  EXPECT_THROW(run(*session, R"({"kind": "bandwidth", "operation": "load", "threads": 4096})"), InputError);
}

TEST(Session, WhatItCannotHaveIsRefused) {
  const FakeRoot root;
  SessionOptions odd = in(root), tiny = in(root), elsewhere = in(root), huge = in(root);
  odd.region_bytes = (16u << 20) + 64;
  tiny.region_bytes = 2u << 20;
  elsewhere.memory_node = 63;
  huge.region_bytes = std::uint64_t{1} << 40;
  for (const SessionOptions& wrong : {odd, tiny, elsewhere, huge}) EXPECT_THROW(Session{wrong}, InputError);
  EXPECT_TRUE(root.empty());
}

}  // namespace
}  // namespace pmtwin::probe
