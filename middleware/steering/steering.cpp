#include "middleware/steering/steering.h"

#include <string>
#include <utility>

#include "native/common/errors.h"

namespace pmtwin::steering {

using middleware::Settling;

Steering::Steering(middleware::Middleware& middleware, std::unique_ptr<policy::Policy> policy)
    : middleware_(middleware), policy_(std::move(policy)) {
  const middleware::Options& options = middleware_.options();
  if (policy_ == nullptr) throw InputError("policy", "nothing", "a policy");
  if (options.window.count() != 0) {
    throw InputError("window", std::to_string(options.window.count()) + " ns", "0: who steers closes the windows");
  }
  if (options.direct != policy_->direct()) {
    throw InputError("direct", options.direct ? "true" : "false", policy_->direct() ? "true" : "false, for this policy");
  }
  middleware_.resize(policy_->start().value_or(middleware_.pools()), Settling::kGoOn);
  middleware_.close_window();  // what was before is not of the run
}

Steering::~Steering() {
  try {
    stop();
  } catch (...) {
  }
}

std::optional<Decision> Steering::step() {
  const std::lock_guard lock(acting_);
  const middleware::WindowStats window = middleware_.close_window();
  const middleware::State state = middleware_.get_state();
  if (window.completed == 0 && state.interactive_queue_size + state.batch_queue_size == 0) {
    middleware_.perform_action(policy::kKeep, Settling::kGoOn);  // throws if it no longer runs
    return std::nullopt;
  }
  const policy::Choice choice = policy_->act(state, window);
  if (const auto* pools = std::get_if<middleware::Pools>(&choice)) {
    middleware_.resize(*pools, Settling::kGoOn);
    return Decision{window, state, choice, *pools};
  }
  return Decision{window, state, choice, middleware_.perform_action(std::get<int>(choice), Settling::kGoOn)};
}

void Steering::start(std::chrono::nanoseconds period) {
  if (period.count() <= 0) throw InputError("period", std::to_string(period.count()) + " ns", "above 0");
  if (steps_ != nullptr) throw InputError("start", "running", "stop() first");
  steps_ = std::make_unique<middleware::Periodically>(period, [this] { step(); });
}

void Steering::stop() {
  if (const auto steps = std::exchange(steps_, nullptr)) steps->end();
}

}  // namespace pmtwin::steering
