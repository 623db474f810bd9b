// Layers of a neural network as a policy file holds them.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

namespace pmtwin::policy {

enum class Activation { kTanh, kRelu, kSwish };

inline double activated(Activation activation, double total) {
  switch (activation) {
    case Activation::kTanh: return std::tanh(total);
    case Activation::kRelu: return std::max(total, 0.0);
    case Activation::kSwish: return total / (1.0 + std::exp(-total));
  }
  return total;
}

struct Layer {
  std::vector<std::vector<double>> weights;  // by output, then by input
  std::vector<double> biases;                // by output
};

}  // namespace pmtwin::policy
