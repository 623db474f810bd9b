// The control loop of the thesis (chapter 3): a policy that acts on a middleware after each window.
#pragma once

#include <chrono>
#include <memory>
#include <mutex>
#include <optional>

#include "middleware/core/middleware.h"
#include "middleware/core/periodically.h"
#include "middleware/policy/policy.h"

namespace pmtwin::steering {

// Event at the end of a window.
struct Decision {
  middleware::WindowStats window;
  middleware::State state;  // that the policy saw
  policy::Choice choice;
  middleware::Pools pools;  // after it
};

class Steering {
 public:
  // Begins a run of the policy and sets the pools that it begins with. The middleware must run, must outlive this, and
  // must leave its windows to this (Options.window 0). Throws InputError otherwise, if there is no policy, and if the
  // policy and the middleware do not agree on `direct`.
  Steering(middleware::Middleware& middleware, std::unique_ptr<policy::Policy> policy);
  ~Steering();  // stops, and drops what stop() would throw
  Steering(const Steering&) = delete;
  Steering& operator=(const Steering&) = delete;

  // Closes the window and acts, without waiting for operations that are under way; nothing, and no action, if nothing was
  // answered in it and nothing waited: what it shows is no measurement. Where nothing was answered though requests wait,
  // the policy sees these in the state, and a throughput of 0. Throws InputError if the middleware no longer runs,
  // std::system_error if a thread cannot be made.
  std::optional<Decision> step();

  // From now on, step() after each `period`, in a thread of its own, until stop() or an exception. Throws InputError for a
  // period of 0 or less, or if that thread is there already.
  void start(std::chrono::nanoseconds period);

  // Ends that thread, after the step that it is at, and throws what ended it before, if anything did. One thread at a
  // time, as start().
  void stop();

 private:
  middleware::Middleware& middleware_;
  const std::unique_ptr<policy::Policy> policy_;
  std::mutex acting_;  // of the policy
  std::unique_ptr<middleware::Periodically> steps_;
};

}  // namespace pmtwin::steering
