// What decides on the two pools, without Python: a policy that `pmtwin export` wrote, window after window.
#pragma once

#include <array>
#include <optional>
#include <string>

namespace pmtwin::policy {

// Table 3.2 of the thesis, in its order: interactive and batch threads, mean queue sizes (requests), mean block sizes
// (bytes), write ratios (0 to 1).
using State = std::array<double, 8>;

// What the last window showed.
struct Measures {
  double p99_us;          // of interactive requests, from submission to answer
  double throughput_ops;  // completed requests of both classes per second
};

struct Pools {
  int interactive;
  int batch;

  bool operator==(const Pools&) const = default;
};

// Actions of Table 3.3; the first changes nothing.
inline constexpr int kActions = 9;
inline constexpr int kKeep = 0;

// Not safe for use from several threads at once.
class Policy {
 public:
  virtual ~Policy() = default;

  // Begins a run, forgetting earlier ones. Returns the pools to begin with, or nothing to leave those that are set.
  virtual std::optional<Pools> start() = 0;

  // The action of Table 3.3 for the next window; `measures` is nothing before the first window has passed.
  virtual int act(const State& state, const std::optional<Measures>& measures) = 0;

  // True: clients access the memory themselves and actions have no effect.
  virtual bool direct() const { return false; }
};

}  // namespace pmtwin::policy
