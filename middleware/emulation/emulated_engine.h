#pragma once
// A store slowed to what the twin says of a calibrated device and its host: its operations are real, and take as long as
// on the emulated machine. Operations that the service table's workload does not have are refused (fill the store beneath).

#include <memory>

#include "middleware/core/request_hooks.h"
#include "middleware/emulation/machine.h"
#include "middleware/engines/engine.h"

namespace pmtwin::emulation {

class EmulatedEngine : public middleware::Engine, private middleware::RequestHooks {
 public:
  EmulatedEngine(std::shared_ptr<middleware::Engine> store, std::shared_ptr<Machine> machine)
      : store_(std::move(store)), machine_(std::move(machine)) {}

  middleware::Status get(std::string_view key, std::span<char> target, std::size_t& bytes) noexcept override;
  middleware::Status put(std::string_view key, std::string_view value) noexcept override;
  middleware::Status remove(std::string_view key) noexcept override;
  middleware::Limits limits() const override { return store_->limits(); }
  std::string describe() const override;
  const middleware::Clock& clock() const override { return machine_->clock(); }
  middleware::RequestHooks* hooks() override { return this; }

 protected:
  void resized(middleware::Pools pools) override;
  void submitted(middleware::Request& request) override;
  void queued() override { machine_->queued(); }
  void withdrawn(middleware::Request& request) override;
  void dispatched(middleware::Request& request, bool woken) override;
  void completed(middleware::Request& request) override;
  void idle(middleware::Mode mode) override;

 private:
  std::shared_ptr<middleware::Engine> store_;
  std::shared_ptr<Machine> machine_;
};

}  // namespace pmtwin::emulation
