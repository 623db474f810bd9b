#include "middleware/load/client_threads.h"

#include <atomic>
#include <utility>

#include "middleware/pools/handoff_queue.h"

namespace pmtwin::middleware {

struct ClientThreads::Shared {
  const std::function<void(Request&, bool)> access;
  const std::function<void()> on_idle;
  std::atomic<bool> ending = false;
  HandoffQueue queue{};

  // -- as an attendant of the queue
  bool leave() { return ending; }
  bool holds() const { return false; }
  void let_go() {}
  void idle() { on_idle(); }

  void live() {
    for (;;) {
      const Taken taken = queue.pop(*this);
      if (taken.request == nullptr) return;
      access(*taken.request, taken.woken);
    }
  }
};

ClientThreads::ClientThreads(std::function<void(Request&, bool)> access, std::function<void()> idle)
    : shared_(new Shared{std::move(access), std::move(idle)}) {}

ClientThreads::~ClientThreads() {
  end();
  for (std::thread& thread : threads_) thread.join();
}

// Whoever has the queue's lock after this finds that it is to leave: none sleeps or takes a request any more.
void ClientThreads::end() {
  shared_->ending = true;
  shared_->queue.wake(static_cast<int>(threads_.size()));
}

std::size_t ClientThreads::abandon() {
  end();
  std::size_t undone = 0;
  while (shared_->queue.take() != nullptr) ++undone;
  for (std::thread& thread : threads_) thread.detach();
  threads_.clear();
  return undone;
}

void ClientThreads::grow_to(int threads) {
  while (threads_.size() < static_cast<std::size_t>(threads)) {
    threads_.emplace_back([shared = shared_] { shared->live(); });
  }
}

void ClientThreads::push(Request& request) { shared_->queue.push(request); }

std::size_t ClientThreads::waiting() const { return shared_->queue.size(); }

}  // namespace pmtwin::middleware
