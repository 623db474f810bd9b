// Clients that each ask, wait for the answer and ask again: a thread each, as in the thesis.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <thread>
#include <vector>

#include "middleware/core/request.h"
#include "middleware/load/stream.h"
#include "native/common/histogram.h"

namespace pmtwin::middleware {

struct ClassLoad {
  int clients = 0;
  const Stream* stream = nullptr;
  const Records* records = nullptr;
};

class ClosedLoop {
 public:
  // Carries out a request and returns when it is answered; called by all clients at once.
  using Ask = std::function<void(Request&)>;

  // Starts all clients. Client c of n takes requests c, c + n, c + 2n, ... of its class' stream; so do clients of both
  // classes, of each class' stream in turn: however fast either class is answered, their shares are equal. What loads
  // point to must outlive this.
  ClosedLoop(std::array<ClassLoad, kModes> loads, Ask ask, int clients_of_both = 0);
  ~ClosedLoop();  // stops

  // Answered requests so far, and failed ones among them (is_failure() of their status).
  std::uint64_t answered() const;
  std::uint64_t answered(Mode mode) const;
  std::uint64_t failed() const;

  // The end of a warm-up: times of requests that were asked before do not count. One thread.
  void forget_latency() { ++epoch_; }

  // Lets the clients finish what they wait for, and ends them.
  void stop();

  // After stop(): time from asking to answer as the clients saw it, on the steady clock.
  Histogram latency_ns(Mode mode) const;

 private:
  struct alignas(64) Client {
    std::array<std::atomic<std::uint64_t>, kModes> answered{};
    std::atomic<std::uint64_t> failed = 0;
    std::uint64_t epoch = 0;  // that the times are of
    std::array<Histogram, kModes> latency_ns;
    std::thread thread;
  };

  void start(int clients, const std::vector<Mode>& modes);
  void run(Client& client, const std::vector<Mode>& modes, std::uint64_t first, std::uint64_t step);
  void ask(Client& client, Mode mode, Operation operation, std::string_view key, std::vector<char>& buffer);

  const std::array<ClassLoad, kModes> loads_;
  const Ask ask_;
  std::atomic<bool> stopping_ = false;
  std::atomic<std::uint64_t> epoch_ = 0;
  std::vector<std::unique_ptr<Client>> clients_;
};

}  // namespace pmtwin::middleware
