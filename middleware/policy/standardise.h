// From the state as numbers to standardised columns: policies/linear_q/features.py, operation by operation.
#pragma once

#include <algorithm>
#include <cmath>

#include "middleware/policy/policy.h"

namespace pmtwin::policy {

struct Column {
  bool log;  // enters as log2(1 + x)
  double mean, scale;
};

// `clip`: a standardised column is kept within +- this.
inline double standardised(double number, const Column& column, double clip) {
  const double value = column.log ? std::log2(1.0 + std::max(number, 0.0)) : number;
  return std::min(std::max((value - column.mean) / column.scale, -clip), clip);
}

inline Numbers standardised(const Numbers& numbers, const std::array<Column, std::tuple_size_v<Numbers>>& columns,
                            double clip) {
  Numbers z;
  for (std::size_t i = 0; i < z.size(); ++i) z[i] = standardised(numbers[i], columns[i], clip);
  return z;
}

}  // namespace pmtwin::policy
