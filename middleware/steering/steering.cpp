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
  if (window.completed == 0) {
    middleware_.perform_action(policy::kKeep, Settling::kGoOn);  // throws if it no longer runs
    return std::nullopt;
  }
  const middleware::State state = middleware_.get_state();
  const int action = policy_->act(state, window);
  return Decision{window, state, action, middleware_.perform_action(action, Settling::kGoOn)};
}

void Steering::start(std::chrono::nanoseconds period) {
  if (period.count() <= 0) throw InputError("period", std::to_string(period.count()) + " ns", "above 0");
  if (thread_.joinable()) throw InputError("start", "running", "stop() first");
  ending_ = false;
  thread_ = std::thread([this, period] { steps(period); });
}

void Steering::stop() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_one();
  thread_.join();
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

// Periods count from the last step's end if that came too late for the next one: windows are never cut in a burst.
void Steering::steps(std::chrono::nanoseconds period) {
  auto next = std::chrono::steady_clock::now() + period;
  std::unique_lock lock(mutex_);
  while (!changed_.wait_until(lock, next, [this] { return ending_; })) {
    lock.unlock();
    try {
      step();
    } catch (...) {
      failure_ = std::current_exception();  // read by stop(), after the join
      return;
    }
    const auto now = std::chrono::steady_clock::now();
    next = now < next + period ? next + period : now + period;
    lock.lock();
  }
}

}  // namespace pmtwin::steering
