// Layers of a neural network as a policy file holds them.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

namespace pmtwin::policy {

enum class Activation { kTanh, kRelu };

inline double activated(Activation activation, double total) {
  return activation == Activation::kTanh ? std::tanh(total) : std::max(total, 0.0);
}

struct Layer {
  std::vector<std::vector<double>> weights;  // by output, then by input
  std::vector<double> biases;                // by output
};

}  // namespace pmtwin::policy
