// The clients of one class and the part of its trace that they have not asked for yet: which client is next, with what,
// and when. Clients that have waited longest come first. For one thread at a time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <queue>
#include <span>
#include <utility>
#include <vector>

#include "middleware/core/request.h"
#include "middleware/replay/window.h"

namespace pmtwin::replay {

using middleware::Nanoseconds;

class WindowReplay;

// For answers that come when the replay is gone.
struct Here {
  std::mutex mutex;
  WindowReplay* replay;
};

struct Client {
  std::shared_ptr<Here> here;
  middleware::Request request;
  Nanoseconds entered = 0;  // when it had its request
  Nanoseconds asked = 0;    // when its latency begins; without a middleware
  std::vector<char> target;
};

// Throws InputError for a pace that is not a number above 0.
void check_pace(double pace);

// Requests that a window without a limit releases; so many are never released together.
constexpr std::int64_t kUnlimited = std::int64_t{1} << 60;

class TraceClients {
 public:
  // From `now` on so many clients; `make` gives one more. Closed: they ask at once, without a trace's times and without
  // a budget. Surplus ones leave when it would be their turn. Drops what of the trace has not been taken.
  void set(int clients, bool closed, Nanoseconds now, const std::function<std::unique_ptr<Client>()>& make);

  void append(std::span<const Offered> requests) { trace_.insert(trace_.end(), requests.begin(), requests.end()); }
  // Speed of the trace over its stated one, from the next gap on; see check_pace().
  void set_pace(double pace) { gap_factor_ = 1.0 / pace; }
  void release(std::int64_t requests) { budget_ = closed_ ? 0 : std::min(budget_ + requests, kUnlimited); }
  // Whether it is the only one.
  bool is_ready(Client& client, Nanoseconds at) {
    ready_.emplace(at, &client);
    return ready_.size() == 1;
  }

  // Whether a client is ready and the trace has a released request for it; when it is to go out, and since when there
  // has been such a client.
  bool may_ask();
  Nanoseconds next_at() const;
  Nanoseconds ready_since() const { return ready_.top().first; }

  // The next client with its request, which leave; if may_ask().
  std::pair<Client*, Offered> take();

  std::size_t ahead() const { return trace_.size(); }  // of the trace, not taken yet
  std::int64_t unreleased() const { return budget_; }
  int clients() const { return static_cast<int>(clients_.size()); }  // surplus ones included

  // The trace is behind its time at `now`; since when that is nobody's fault but of who should have submitted in time.
  bool is_behind(double now) const { return !closed_ && !trace_.empty() && due_ <= now; }
  double late_since(double now);
  // It goes on from `since`, or, if that is now, with its next gap.
  void catch_up(double since, double now);

 private:
  using Ready = std::pair<Nanoseconds, Client*>;

  bool closed_ = true;
  std::int64_t budget_ = 0;
  int surplus_ = 0;
  double due_ = 0;
  double gap_factor_ = 1;  // the inverse of the pace
  std::deque<Offered> trace_;
  std::priority_queue<Ready, std::vector<Ready>, std::greater<>> ready_;
  std::vector<std::unique_ptr<Client>> clients_;
};

}  // namespace pmtwin::replay
