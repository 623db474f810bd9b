// Clients that each ask, wait for the answer and ask again: a thread each, as in the thesis.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
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

  // Starts all clients. Client c of n takes requests c, c + n, c + 2n, ... of its class' stream. What loads point to
  // must outlive this.
  ClosedLoop(std::array<ClassLoad, kModes> loads, Ask ask);
  ~ClosedLoop();  // stops

  // So far: requests answered, and of these: is_failure() of their status.
  std::uint64_t answered() const;
  std::uint64_t failed() const;

  // Lets the clients finish what they wait for, and ends them.
  void stop();

  // After stop(): time from asking to answer as the clients saw it, on the steady clock.
  Histogram latency_ns(Mode mode) const;

 private:
  struct alignas(64) Client {
    std::atomic<std::uint64_t> answered = 0, failed = 0;
    Histogram latency_ns;
    Mode mode;
    std::thread thread;
  };

  void run(Client& client, const ClassLoad& load, std::uint64_t first);

  const std::array<ClassLoad, kModes> loads_;
  const Ask ask_;
  std::atomic<bool> stopping_ = false;
  std::vector<std::unique_ptr<Client>> clients_;
};

}  // namespace pmtwin::middleware
