// The policy `mlp`: the action, or the pools, of the largest values of a multilayer perceptron over standardised windows.
// The arithmetic equals policies/network (forward.py, atoms.py), operation by operation.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "middleware/policy/layers.h"
#include "middleware/policy/policy.h"
#include "middleware/policy/standardise.h"
#include "middleware/policy/window_history.h"

namespace pmtwin::policy {

// Returns that the outputs of an action are a distribution over, evenly spaced.
struct Atoms {
  std::size_t count;
  double low;
  double high;
};

struct MlpModel {
  double clip;                    // standardised columns are kept within +- this
  std::vector<Measure> measures;  // that are read of a window beside its state
  std::size_t windows;            // that are read, the newest first
  bool jumps;                     // whether outputs are the values of each pool's threads, or those of actions
  std::vector<Column> columns;    // of all windows
  Activation activation;          // of all layers but the last
  std::vector<Layer> layers;      // the last one has kActions outputs (of each atom), or those of both pools
  std::optional<Atoms> atoms;     // of a network whose outputs are distributions; their means are the values
};

class Mlp final : public Policy {
 public:
  explicit Mlp(MlpModel model) : model_(std::move(model)), history_(model_.measures, model_.windows) {}

  std::optional<Pools> start() override {
    history_.clear();
    return std::nullopt;
  }
  Choice act(const State& state, const std::optional<WindowStats>& last) override;

 private:
  const MlpModel model_;
  WindowHistory history_;
};

}  // namespace pmtwin::policy
