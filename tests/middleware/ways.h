// A middleware behind each queue, and one without a middleware in between.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "middleware/core/middleware.h"
#include "middleware/pools/worker_pool.h"

namespace pmtwin::middleware::testing {

inline std::vector<std::string> ways() {
  std::vector<std::string> all = queue_names();
  all.push_back("direct");
  return all;
}

// Its parameter is one of `ways`.
struct EveryWay : ::testing::TestWithParam<std::string> {
  EveryWay() {
    Options options;
    options.window = std::chrono::milliseconds(1);
    if (GetParam() == "direct") {
      options.direct = true;
    } else {
      options.queue = GetParam();
    }
    middleware.emplace(options);
  }
  std::optional<Middleware> middleware;
};

}  // namespace pmtwin::middleware::testing
