// The last windows as one row of numbers, the newest first: sim/control/window_history.py.
#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include "middleware/policy/policy.h"

namespace pmtwin::policy {

using Measure = double WindowStats::*;

class WindowHistory {
 public:
  // `measures`: that are kept of a window behind its state. `windows`: that are kept, at least 1.
  WindowHistory(std::vector<Measure> measures, std::size_t windows)
      : measures_(std::move(measures)), windows_(windows) {}

  void clear() { seen_.clear(); }

  // Whether a window has been measured, where measures are asked for.
  bool shown_by(const std::optional<WindowStats>& last) const { return measures_.empty() || last.has_value(); }

  // Notes a window. Where fewer have passed than are kept, the oldest stands in for those before it.
  std::vector<double> add(const State& state, const std::optional<WindowStats>& last) {
    const Numbers numbers = numbers_of(state);
    std::vector<double> window(numbers.begin(), numbers.end());
    for (const Measure measure : measures_) window.push_back((*last).*measure);
    seen_.push_front(std::move(window));
    if (seen_.size() > windows_) seen_.pop_back();
    std::vector<double> row;
    for (std::size_t i = 0; i < windows_; ++i) {
      const auto& each = i < seen_.size() ? seen_[i] : seen_.back();
      row.insert(row.end(), each.begin(), each.end());
    }
    return row;
  }

 private:
  std::vector<Measure> measures_;
  std::size_t windows_;
  std::deque<std::vector<double>> seen_;
};

}  // namespace pmtwin::policy
