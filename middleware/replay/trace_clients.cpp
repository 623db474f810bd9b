#include "middleware/replay/trace_clients.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "native/common/errors.h"

namespace pmtwin::replay {

void TraceClients::set(int clients, bool closed, Nanoseconds now, const std::function<std::unique_ptr<Client>()>& make) {
  int change = clients - (static_cast<int>(clients_.size()) - surplus_);
  const int stay = std::clamp(change, 0, surplus_);
  surplus_ -= stay;
  for (change -= stay; change > 0; --change) {
    clients_.push_back(make());
    is_ready(*clients_.back(), now);
  }
  surplus_ += std::max(-change, 0);
  closed_ = closed;
  budget_ = 0;
  trace_.clear();
  due_ = static_cast<double>(now);
}

bool TraceClients::may_ask() {
  for (; surplus_ > 0 && !ready_.empty(); --surplus_) {
    std::erase_if(clients_, [gone = ready_.top().second](const auto& one) { return one.get() == gone; });
    ready_.pop();
  }
  return !ready_.empty() && !trace_.empty() && (closed_ || budget_ > 0);
}

Nanoseconds TraceClients::next_at() const {
  return std::max(closed_ ? Nanoseconds{0} : static_cast<Nanoseconds>(due_), ready_since());
}

void check_pace(double pace) {
  if (!(pace > 0.0) || !std::isfinite(pace)) throw InputError("pace", std::to_string(pace), "a number above 0");
}

std::pair<Client*, Offered> TraceClients::take() {
  const std::pair<Client*, Offered> next{ready_.top().second, trace_.front()};
  ready_.pop();
  trace_.pop_front();
  if (!closed_) {
    --budget_;
    due_ += trace_.empty() ? 0.0 : gap_factor_ * trace_.front().gap_ns;
  }
  return next;
}

double TraceClients::late_since(double now) {
  const bool late = !closed_ && may_ask() && static_cast<double>(ready_since()) <= now;
  return late ? std::min(now, std::max(due_, static_cast<double>(ready_since()))) : now;
}

void TraceClients::catch_up(double since, double now) {
  due_ = since < now ? std::max(due_, since) : now + gap_factor_ * trace_.front().gap_ns;
}

}  // namespace pmtwin::replay
