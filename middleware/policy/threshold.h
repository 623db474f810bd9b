// The policy `threshold`: steps the pools when the service level is missed, gives threads back when there is slack.
// Its rules are told in policies/threshold.py; every number of them comes from the exported file.
#pragma once

#include <array>
#include <vector>

#include "middleware/policy/policy.h"

namespace pmtwin::policy {

struct ThresholdRules {
  double latency_goal_us;
  double throughput_goal_ops;
  int confirm_windows;
  double progress;
  double slack_latency;
  int slack_windows;
  int slack_windows_max;
  std::vector<int> late, slow, both;  // actions in the order in which they are tried
  int give_back_interactive;          // action that takes a thread from that pool
  int give_back_batch;
};

class Threshold final : public Policy {
 public:
  explicit Threshold(ThresholdRules rules) : rules_(std::move(rules)) { Threshold::start(); }

  std::optional<Pools> start() override;
  Choice act(const State& state, const std::optional<WindowStats>& measures) override;

 private:
  const std::vector<int>* kind_of_miss(const WindowStats& measures) const;
  double distance(const WindowStats& measures) const;
  int on_miss(const std::vector<int>& moves, double distance);
  int on_target(const State& state, const WindowStats& measures);

  ThresholdRules rules_;
  int missed_windows_, slack_windows_, slack_needed_;
  bool gave_back_;
  const std::vector<int>* kind_;
  std::size_t move_;
  std::optional<double> last_distance_;
};

}  // namespace pmtwin::policy
