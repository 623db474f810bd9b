// The policy `afterstate`: jumps to the pools of the highest value, by a network of the last two windows and of the pools.
// The arithmetic equals policies/value/model.py, operation by operation.
#pragma once

#include <vector>

#include "middleware/policy/layers.h"
#include "middleware/policy/policy.h"
#include "middleware/policy/standardise.h"
#include "middleware/policy/window_history.h"

namespace pmtwin::policy {

inline constexpr std::size_t kWindowsRead = 2;  // the last, and the one before it

struct AfterstateModel {
  double clip;                    // standardised columns are kept within +- this
  std::vector<Measure> measures;  // that are read of a window beside its state
  std::vector<Column> columns;    // of the last window, of the one before it, of the pools
  Activation activation;          // of all layers but the last
  std::vector<Layer> layers;      // the last one has one output
  double hysteresis;              // by which other pools must be better than those in force
};

class Afterstate final : public Policy {
 public:
  explicit Afterstate(AfterstateModel model);

  std::optional<Pools> start() override;
  Choice act(const State& state, const std::optional<WindowStats>& last) override;

 private:
  double value(const std::vector<double>& offset, Pools pools);
  void add(std::size_t layer, std::size_t input, double signal, std::vector<double>& totals) const;

  const AfterstateModel model_;
  std::vector<std::vector<std::vector<double>>> weights_;  // by layer, input and output: sums run over outputs at once
  std::vector<double> signal_, totals_;
  WindowHistory history_;
};

}  // namespace pmtwin::policy
