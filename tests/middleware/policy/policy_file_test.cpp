// Bad files are refused by name; what the policies decide is held against Python's in tests/middleware/policy.
#include "middleware/policy/policy_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace pmtwin::policy {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

class PolicyFile : public testing::Test {
 protected:
  std::string write(const std::string& text) {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    path_ = std::filesystem::temp_directory_path() / (std::string(test->name()) + std::to_string(::getpid()) + ".json");
    std::ofstream(path_) << text;
    return path_;
  }

  std::string of(const std::string& fields) {
    return write(R"({"format": "pmtwin-steering-policy", "schema": 1, )" + fields + "}");
  }

  void TearDown() override { std::filesystem::remove(path_); }

  std::filesystem::path path_;
};

TEST_F(PolicyFile, FixedPoolsBeginTheRunAndStay) {
  const auto policy = load_policy(of(R"("kind": "fixed", "pools": [10, 12])"));
  EXPECT_EQ(policy->start(), (Pools{10, 12}));
  EXPECT_EQ(policy->act({}, WindowStats{.p99_us = 1e6}), Choice(kKeep));
  EXPECT_FALSE(policy->direct());
}

TEST_F(PolicyFile, NoMiddlewareIsDirect) {
  const auto policy = load_policy(of(R"("kind": "none")"));
  EXPECT_TRUE(policy->direct());
  EXPECT_EQ(policy->start(), std::nullopt);
}

TEST_F(PolicyFile, WhatIsNoPolicyIsRefusedWithTheFileAndTheField) {
  const auto message = [](const char* part) { return ThrowsMessage<PolicyFileError>(HasSubstr(part)); };
  EXPECT_THAT([] { load_policy("/absent/policy.json"); }, message("/absent/policy.json"));
  EXPECT_THAT([this] { load_policy(write("")); }, message("is not JSON"));
  EXPECT_THAT([this] { load_policy(write("[1, 2")); }, message("is not JSON"));
  EXPECT_THAT([this] { load_policy(write("[]")); }, message("format"));
  EXPECT_THAT([this] { load_policy(write(R"({"format": "pmtwin-steering-policy", "schema": 2})")); }, message("schema"));
  EXPECT_THAT([this] { load_policy(of(R"("kind": "oracle")")); }, message("kind"));
  EXPECT_THAT([this] { load_policy(of(R"("kind": "fixed", "pools": [0, 12])")); }, message("pools"));
  EXPECT_THAT([this] { load_policy(of(R"("kind": "fixed", "pools": [1.5, 12])")); }, message("pools"));
  EXPECT_THAT([this] { load_policy(of(R"("kind": "fixed", "pools": [1])")); }, message("pools"));
  EXPECT_THAT([this] { load_policy(of(R"("kind": "threshold", "moves": {})")); }, message("latency_goal_us"));
  EXPECT_THAT([this] { load_policy(of(R"("kind": "linear-q", "clip": 0)")); }, message("clip"));
}

std::string linear(const std::string& term) {
  std::string columns;
  for (int i = 0; i < 8; ++i) columns += std::string(i ? ", " : "") + R"({"log": false, "mean": 0, "scale": 1})";
  return R"("kind": "linear-q", "clip": 3, "columns": [)" + columns + R"(], "terms": [)" + term +
         R"(], "intercepts": [0, 0, 0, 0, 0, 0, 0, 0, 0])";
}

TEST_F(PolicyFile, TheFirstOfEqualValuesIsTheAction) {
  const auto policy = load_policy(
      of(linear(R"({"first": 0, "rest": -1, "mean": 0, "scale": 1, "weights": [0, 1, 2, 2, 0, 0, 0, 0, 0]})")));
  EXPECT_EQ(policy->act({1}, std::nullopt), Choice(2));
  EXPECT_EQ(policy->act({0}, std::nullopt), Choice(0));
  EXPECT_EQ(policy->act({-1}, std::nullopt), Choice(0));
}

TEST_F(PolicyFile, ATermMayUseEarlierTermsOnly) {
  const auto refused = ThrowsMessage<PolicyFileError>(HasSubstr("rest"));
  EXPECT_THAT([this] { load_policy(of(linear(R"({"first": 0, "rest": 0, "mean": 0, "scale": 1, "weights": []})"))); },
              refused);
}

std::string network(const std::string& layers, const std::string& activation = "tanh") {
  std::string columns;
  for (int i = 0; i < 8; ++i) columns += std::string(i ? ", " : "") + R"({"log": false, "mean": 0, "scale": 1})";
  return R"("kind": "mlp", "clip": 3, "columns": [)" + columns + R"(], "activation": ")" + activation +
         R"(", "layers": [)" + layers + "]";
}

constexpr const char* kFirstColumn = R"({"weights": [[1, 0, 0, 0, 0, 0, 0, 0]], "biases": [0]})";

TEST_F(PolicyFile, ANetworkTakesTheFirstOfItsLargestOutputs) {
  const std::string last = R"({"weights": [[0], [0], [1], [1], [0], [-1], [0], [0], [0]], "biases": [0, 0, 0, 0, 0, 0, 0, 0, 0]})";
  const auto policy = load_policy(of(network(std::string(kFirstColumn) + ", " + last)));
  EXPECT_EQ(policy->act({1}, std::nullopt), Choice(2));
  EXPECT_EQ(policy->act({0}, std::nullopt), Choice(0));
  EXPECT_EQ(policy->act({-1}, std::nullopt), Choice(5));
  const auto rectified = load_policy(of(network(std::string(kFirstColumn) + ", " + last, "relu")));
  EXPECT_EQ(rectified->act({-1}, std::nullopt), Choice(0));
}

TEST_F(PolicyFile, DistributionsOverReturnsAreJudgedByTheirMeans) {
  std::string weights, biases;  // action 4 alone is likelier to have the larger return
  for (int output = 0; output < 18; ++output) {
    weights += std::string(output ? ", " : "") + (output == 9 ? "[1]" : "[0]");
    biases += output ? ", 0" : "0";
  }
  const std::string layers =
      std::string(kFirstColumn) + R"(, {"weights": [)" + weights + R"(], "biases": [)" + biases + "]}";
  const auto policy = load_policy(of(network(layers, "swish") + R"(, "atoms": {"count": 2, "low": -1, "high": 3})"));
  EXPECT_EQ(policy->act({2}, std::nullopt), Choice(4));
  EXPECT_EQ(policy->act({-1}, std::nullopt), Choice(0));  // swish of -1 is below 0
  const auto message = [](const char* part) { return ThrowsMessage<PolicyFileError>(HasSubstr(part)); };
  const auto refused = [&](const std::string& atoms) { return [=, this] { load_policy(of(network(layers) + atoms)); }; };
  EXPECT_THAT(refused(""), message("a last layer of 9 outputs"));
  EXPECT_THAT(refused(R"(, "atoms": {"count": 1, "low": -1, "high": 3})"), message("count"));
  EXPECT_THAT(refused(R"(, "atoms": {"count": 2, "low": 3, "high": 3})"), message("high"));
  EXPECT_THAT(refused(R"(, "atoms": {"count": 2, "low": -1, "high": 3}, "jumps": true)"), message("atoms"));
}

TEST_F(PolicyFile, LayersThatDoNotFitAreRefused) {
  const auto message = [](const char* part) { return ThrowsMessage<PolicyFileError>(HasSubstr(part)); };
  EXPECT_THAT([this] { load_policy(of(network(kFirstColumn))); }, message("a last layer of 9 outputs"));
  EXPECT_THAT([this] { load_policy(of(network(R"({"weights": [[1, 2]], "biases": [0]})"))); }, message("weights"));
  EXPECT_THAT([this] { load_policy(of(network(R"({"weights": [], "biases": [0]})"))); }, message("weights"));
  EXPECT_THAT([this] { load_policy(of(network(kFirstColumn, "gelu"))); }, message("activation"));
  EXPECT_THAT([this] { load_policy(of(network("1"))); }, message("biases"));
}

// One layer over the two pools alone: the value is w . (interactive threads, batch threads).
std::string values(const std::string& weights, const std::string& measures = R"("p99_us")") {
  std::string columns;
  for (int i = 0; i < 20; ++i) columns += std::string(i ? ", " : "") + R"({"log": false, "mean": 0, "scale": 100})";
  return R"("kind": "afterstate", "clip": 3, "measures": [)" + measures + R"(], "columns": [)" + columns +
         R"(], "activation": "relu", "layers": [{"weights": [[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, )" +
         weights + R"(]], "biases": [0]}])";
}

TEST_F(PolicyFile, AfterstateValuesJumpToTheFirstOfTheBestPools) {
  const WindowStats seen{.p99_us = 150};
  EXPECT_EQ(load_policy(of(values("1, -1")))->act({5, 6}, seen), Choice(Pools{32, 1}));
  EXPECT_EQ(load_policy(of(values("0, 1")))->act({5, 6}, seen), Choice(Pools{1, 32}));
  EXPECT_EQ(load_policy(of(values("0, 0")))->act({5, 6}, seen), Choice(Pools{1, 1}));
  EXPECT_EQ(load_policy(of(values("1, 1")))->act({5, 6}, std::nullopt), Choice(Pools{5, 6}));  // nothing was measured
}

TEST_F(PolicyFile, AfterstateValuesOfUnknownMeasuresOrOtherColumnsAreRefused) {
  const auto message = [](const char* part) { return ThrowsMessage<PolicyFileError>(HasSubstr(part)); };
  EXPECT_THAT([this] { load_policy(of(values("1, 1", R"("p42_us")"))); }, message("measures"));
  EXPECT_THAT([this] { load_policy(of(values("1, 1", ""))); }, message("columns"));
  EXPECT_THAT([this] { load_policy(of(values("1"))); }, message("weights"));
}

}  // namespace
}  // namespace pmtwin::policy
