// The policies `fixed` (sets the pools once and keeps them) and `none` (no middleware).
#pragma once

#include "middleware/policy/policy.h"

namespace pmtwin::policy {

class Fixed final : public Policy {
 public:
  explicit Fixed(Pools pools) : pools_(pools) {}

  std::optional<Pools> start() override { return pools_; }
  Choice act(const State&, const std::optional<WindowStats>&) override { return kKeep; }

 private:
  Pools pools_;
};

class NoMiddleware final : public Policy {
 public:
  std::optional<Pools> start() override { return std::nullopt; }
  Choice act(const State&, const std::optional<WindowStats>&) override { return kKeep; }
  bool direct() const override { return true; }
};

}  // namespace pmtwin::policy
