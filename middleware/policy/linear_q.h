// The policy `q-learning`: the action of the highest value, linear in polynomial features of the state.
// The arithmetic, operation by operation, is that of policies/linear_q/{features,sgd}.py, so that ties and near-ties
// fall the same way.
#pragma once

#include <vector>

#include "middleware/policy/policy.h"
#include "middleware/policy/standardise.h"

namespace pmtwin::policy {

struct Term {
  int first;  // column that is multiplied with term `rest` (an earlier one; -1: the column alone)
  int rest;
  double mean, scale;
};

struct LinearQModel {
  double clip;  // standardised columns are kept within +- this
  std::array<Column, std::tuple_size_v<Numbers>> columns;
  std::vector<Term> terms;
  std::vector<std::array<double, kActions>> weights;  // by term
  std::array<double, kActions> intercepts;
};

class LinearQ final : public Policy {
 public:
  explicit LinearQ(LinearQModel model) : model_(std::move(model)), features_(model_.terms.size()) {}

  std::optional<Pools> start() override { return std::nullopt; }
  Choice act(const State& state, const std::optional<WindowStats>&) override;

  // Q(s, a) of all actions.
  std::array<double, kActions> values(const State& state);

 private:
  LinearQModel model_;
  std::vector<double> features_;
};

}  // namespace pmtwin::policy
