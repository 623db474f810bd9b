#include "middleware/load/client_threads.h"

#include <utility>

namespace pmtwin::middleware {

ClientThreads::ClientThreads(std::function<void(Request&, bool)> access, std::function<void()> idle)
    : access_(std::move(access)), idle_(std::move(idle)) {}

ClientThreads::~ClientThreads() {
  ending_ = true;
  queue_.wake(static_cast<int>(threads_.size()));
  for (std::thread& thread : threads_) thread.join();
}

void ClientThreads::grow_to(int threads) {
  while (threads_.size() < static_cast<std::size_t>(threads)) threads_.emplace_back([this] { live(); });
}

void ClientThreads::live() {
  struct {
    ClientThreads& clients;
    bool leave() { return clients.ending_; }
    bool holds() const { return false; }
    void let_go() {}
    void idle() { clients.idle_(); }
  } attendant{*this};
  for (;;) {
    const Taken taken = queue_.pop(attendant);
    if (taken.request == nullptr) return;
    access_(*taken.request, taken.woken);
  }
}

}  // namespace pmtwin::middleware
