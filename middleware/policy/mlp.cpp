#include "middleware/policy/mlp.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace pmtwin::policy {

namespace {

// Place of the largest of some outputs, the first of equals.
int largest(std::vector<double>::const_iterator first, std::vector<double>::const_iterator last) {
  return static_cast<int>(std::max_element(first, last) - first);
}

// Means of distributions, whose outputs are the logarithms of weights.
std::vector<double> means(const std::vector<double>& outputs, const Atoms& atoms) {
  const double step = (atoms.high - atoms.low) / static_cast<double>(atoms.count - 1);
  std::vector<double> values;
  for (auto first = outputs.begin(); first != outputs.end(); first += static_cast<std::ptrdiff_t>(atoms.count)) {
    const double most = *std::max_element(first, first + static_cast<std::ptrdiff_t>(atoms.count));
    double total = 0.0;
    double sum = 0.0;
    for (std::size_t atom = 0; atom < atoms.count; ++atom) {
      const double weight = std::exp(first[static_cast<std::ptrdiff_t>(atom)] - most);
      total += weight;
      sum += weight * (atoms.low + step * static_cast<double>(atom));
    }
    values.push_back(sum / total);
  }
  return values;
}

}  // namespace

Choice Mlp::act(const State& state, const std::optional<WindowStats>& last_window) {
  if (!history_.shown_by(last_window)) return kKeep;
  std::vector<double> signal = history_.add(state, last_window);
  for (std::size_t i = 0; i < signal.size(); ++i) signal[i] = standardised(signal[i], model_.columns[i], model_.clip);
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
  if (model_.atoms) signal = means(signal, *model_.atoms);
  if (!model_.jumps) return largest(signal.begin(), signal.end());
  const auto batch = signal.begin() + kPoolSizes;
  return Pools{middleware::kLeastWorkers + largest(signal.begin(), batch),
               middleware::kLeastWorkers + largest(batch, signal.end())};
}

}  // namespace pmtwin::policy
