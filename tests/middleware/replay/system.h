// A middleware over a store, and the clients that replay a trace against it.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "middleware/replay/window_replay.h"

namespace pmtwin::replay {

constexpr std::chrono::milliseconds kPatience = std::chrono::minutes(10);

inline std::vector<Offered> gets(std::size_t count, double gap_ns = 0, std::uint32_t bytes = 100) {
  return std::vector<Offered>(count, Offered{gap_ns, bytes, false});
}

struct System {
  // `most_accesses` is that of WindowReplay.
  explicit System(std::shared_ptr<middleware::Engine> engine, int workers = 2,
                  middleware::Options options = {.window = std::chrono::nanoseconds(0)}, int most_accesses = 0)
      : store(std::move(engine)), core(options) {
    core.start(store, workers, workers);
    replay.emplace(core, *store, 100, 0, most_accesses);
  }

  void append(Mode mode, const std::vector<Offered>& requests) { replay->append(mode, requests); }
  Window run(std::size_t completions, std::int64_t interactive, std::int64_t batch = 0) {
    return *replay->run(completions, {interactive, batch}, {kPatience});
  }

  std::shared_ptr<middleware::Engine> store;
  middleware::Middleware core;
  std::optional<WindowReplay> replay;
};

}  // namespace pmtwin::replay
