#include "middleware/policy/mlp.h"

#include <algorithm>

namespace pmtwin::policy {

Choice Mlp::act(const State& state, const std::optional<WindowStats>&) {
  const Numbers z = standardised(numbers_of(state), model_.columns, model_.clip);
  std::vector<double> signal(z.begin(), z.end());
  for (std::size_t number = 0; number < model_.layers.size(); ++number) {
    const Layer& layer = model_.layers[number];
    const bool last = number + 1 == model_.layers.size();
    std::vector<double> outputs(layer.biases.size());
    for (std::size_t row = 0; row < outputs.size(); ++row) {
      double total = 0.0;
      for (std::size_t column = 0; column < signal.size(); ++column) total += layer.weights[row][column] * signal[column];
      total += layer.biases[row];
      outputs[row] = last ? total : activated(model_.activation, total);
    }
    signal = std::move(outputs);
  }
  return static_cast<int>(std::max_element(signal.begin(), signal.end()) - signal.begin());  // the first of equals
}

}  // namespace pmtwin::policy
