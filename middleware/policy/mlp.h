// The policy `mlp`: the action of the largest output of a multilayer perceptron over the standardised state.
// The arithmetic, operation by operation, is that of policies/network/perceptron.py.
#pragma once

#include <vector>

#include "middleware/policy/layers.h"
#include "middleware/policy/policy.h"
#include "middleware/policy/standardise.h"

namespace pmtwin::policy {

struct MlpModel {
  double clip;  // standardised columns are kept within +- this
  std::array<Column, std::tuple_size_v<Numbers>> columns;
  Activation activation;      // of all layers but the last
  std::vector<Layer> layers;  // the last one has kActions outputs
};

class Mlp final : public Policy {
 public:
  explicit Mlp(MlpModel model) : model_(std::move(model)) {}

  std::optional<Pools> start() override { return std::nullopt; }
  Choice act(const State& state, const std::optional<WindowStats>&) override;

 private:
  MlpModel model_;
};

}  // namespace pmtwin::policy
