#include "middleware/policy/linear_q.h"

#include <algorithm>

namespace pmtwin::policy {

std::array<double, kActions> LinearQ::values(const State& state) {
  const Numbers z = standardised(numbers_of(state), model_.columns, model_.clip);
  // Products are of the terms as they are, before they are standardised.
  for (std::size_t k = 0; k < features_.size(); ++k) {
    const Term& term = model_.terms[k];
    const double value = z[static_cast<std::size_t>(term.first)];
    features_[k] = term.rest < 0 ? value : value * features_[static_cast<std::size_t>(term.rest)];
  }
  std::array<double, kActions> totals{};
  for (std::size_t k = 0; k < features_.size(); ++k) {
    const double x = (features_[k] - model_.terms[k].mean) / model_.terms[k].scale;
    for (std::size_t a = 0; a < totals.size(); ++a) totals[a] += model_.weights[k][a] * x;
  }
  for (std::size_t a = 0; a < totals.size(); ++a) totals[a] += model_.intercepts[a];
  return totals;
}

Choice LinearQ::act(const State& state, const std::optional<WindowStats>&) {
  const auto found = values(state);
  return static_cast<int>(std::max_element(found.begin(), found.end()) - found.begin());  // the first of equals
}

}  // namespace pmtwin::policy
