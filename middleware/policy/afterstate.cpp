#include "middleware/policy/afterstate.h"

#include <limits>
#include <utility>

namespace pmtwin::policy {

Afterstate::Afterstate(AfterstateModel model)
    : model_(std::move(model)), history_(model_.measures, kWindowsRead) {
  for (const Layer& layer : model_.layers) {
    auto& by_input = weights_.emplace_back(layer.weights.front().size(), std::vector<double>(layer.biases.size()));
    for (std::size_t input = 0; input < by_input.size(); ++input) {
      for (std::size_t row = 0; row < layer.biases.size(); ++row) by_input[input][row] = layer.weights[row][input];
    }
  }
}

std::optional<Pools> Afterstate::start() {
  history_.clear();
  return std::nullopt;
}

Choice Afterstate::act(const State& state, const std::optional<WindowStats>& last) {
  const Pools present{state.interactive_threads, state.batch_threads};
  if (!last) return present;
  const std::vector<double> seen = history_.add(state, last);

  // what was seen is the same for all pools: its share of the first layer is summed once
  std::vector<double> offset = model_.layers.front().biases;
  for (std::size_t input = 0; input < seen.size(); ++input) {
    add(0, input, standardised(seen[input], model_.columns[input], model_.clip), offset);
  }
  Pools best{};
  double most = -std::numeric_limits<double>::infinity();
  for (int interactive = middleware::kLeastWorkers; interactive <= middleware::kMostWorkers; ++interactive) {
    for (int batch = middleware::kLeastWorkers; batch <= middleware::kMostWorkers; ++batch) {
      const double worth = value(offset, {interactive, batch});
      if (worth <= most) continue;  // the first of equals
      most = worth;
      best = {interactive, batch};
    }
  }
  return most < value(offset, present) + model_.hysteresis ? present : best;
}

double Afterstate::value(const std::vector<double>& offset, Pools pools) {
  const std::size_t seen = model_.columns.size() - middleware::kModes;
  const double threads[middleware::kModes] = {static_cast<double>(pools.interactive_threads),
                                              static_cast<double>(pools.batch_threads)};
  totals_ = offset;
  for (std::size_t mode = 0; mode < middleware::kModes; ++mode) {
    add(0, seen + mode, standardised(threads[mode], model_.columns[seen + mode], model_.clip), totals_);
  }
  for (std::size_t layer = 1; layer < model_.layers.size(); ++layer) {
    for (double& total : totals_) total = activated(model_.activation, total);
    std::swap(signal_, totals_);
    totals_ = model_.layers[layer].biases;
    for (std::size_t input = 0; input < signal_.size(); ++input) add(layer, input, signal_[input], totals_);
  }
  return totals_.front();
}

void Afterstate::add(std::size_t layer, std::size_t input, double signal, std::vector<double>& totals) const {
  const std::vector<double>& weights = weights_[layer][input];
  for (std::size_t row = 0; row < totals.size(); ++row) totals[row] += signal * weights[row];
}

}  // namespace pmtwin::policy
