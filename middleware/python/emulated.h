// The middleware over an emulated device, with the twin's clients in virtual time.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "middleware/core/middleware.h"
#include "middleware/emulation/emulated_engine.h"
#include "middleware/emulation/machine.h"
#include "middleware/emulation/replay_clients.h"
#include "middleware/engines/map_engine.h"
#include "middleware/replay/window_replay.h"

namespace pmtwin::python {

class Emulated {
 public:
  using Table = std::shared_ptr<const emulation::ServiceTable>;

  // `keys`: of the random numbers of each class. Whether there is a middleware is the table's to say. Throws InputError for a dilation at which the emulation would lie.
  Emulated(Table table, double dilation, std::array<std::uint64_t, emulation::kClasses> keys,
           const std::string& queue, middleware::Pools pools);
  ~Emulated();

  // Lets a window pass; virtual time stands still before and after it. Nothing if interrupted; throws Stalled.
  std::optional<replay::Window> run(std::size_t completions, std::array<std::int64_t, emulation::kClasses> release,
                                    const middleware::Patience& patience);

  void resize(middleware::Pools pools) { middleware_.resize(pools, middleware::Settling::kGoOn); }

  // Another phase begins between two windows: what is in flight is carried over, and stays what it was. Throws InputError
  // likewise.
  void use(Table table, double dilation);

  // Each class's requests come so many times as fast as the trace says, from the next gap on. Throws InputError for a pace
  // that is not above 0.
  void set_pace(std::array<double, emulation::kClasses> pace);

  // Why the windows since the last call must not be believed; empty if they may be.
  std::string validity_warning();

 private:
  std::shared_ptr<middleware::MapEngine> store_;
  std::shared_ptr<emulation::Machine> machine_;
  middleware::Middleware middleware_;
  std::unique_ptr<emulation::ReplayClients> clients_;
};

// A dilation at which rates and tails of this table can be believed, and little more.
double least_dilation(const emulation::ServiceTable& table);

// Service table from the JSON of `pmtwin.scenarios.nvm_middleware.model.service.table`. Throws InputError.
std::shared_ptr<emulation::ServiceTable> read_table(const std::string& text);

}  // namespace pmtwin::python
