#pragma once
// Real time as dilated virtual time: an event at virtual time v is due at `origin + dilation * v`. If it comes later than
// a slack allows, all later ones come later by as much: no interval between two events is shorter in real time than
// dilated, but for the slack.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <utility>

namespace pmtwin::emulation {

class Pace {
 public:
  using Time = std::chrono::steady_clock::time_point;

  Pace(double dilation, std::chrono::nanoseconds slack, Time origin)
      : dilation_(dilation), slack_(slack), origin_(origin) {}

  double dilation() const { return dilation_; }

  Time due(double virtual_ns) const {
    return origin_ + std::chrono::nanoseconds(static_cast<std::int64_t>(dilation_ * virtual_ns));
  }
  double virtual_at(Time now) const {
    return std::max(0.0, std::chrono::duration<double, std::nano>(now - origin_).count() / dilation_);
  }

  // An event due at `virtual_ns` happened now.
  void happened(double virtual_ns, Time now) {
    const auto lag = now - due(virtual_ns);
    most_lag_ = std::max(most_lag_, lag);
    if (lag <= slack_) return;
    origin_ += lag - slack_;
    slipped_ += lag - slack_;
  }

  // Time stands still from now on, or no longer; events are later by as much as it stood, and none of that is a slip.
  void pause(Time now) {
    if (!paused_since_) paused_since_ = now;
  }
  void resume(Time now) {
    if (!paused_since_) return;
    origin_ += now - *paused_since_;
    paused_ += now - *paused_since_;
    paused_since_.reset();
  }

  // A time that stands still with the pauses, for differences between two calls.
  Time unpaused(Time now) const { return paused_since_.value_or(now) - paused_; }

  // From `virtual_ns`, which is now, on.
  void dilate(double dilation, double virtual_ns, Time now) {
    dilation_ = dilation;
    origin_ = paused_since_.value_or(now) - std::chrono::nanoseconds(static_cast<std::int64_t>(dilation_ * virtual_ns));
  }

  std::chrono::nanoseconds slipped() const { return slipped_; }
  std::chrono::nanoseconds take_most_lag() { return std::exchange(most_lag_, std::chrono::nanoseconds(0)); }

 private:
  double dilation_;
  std::chrono::nanoseconds slack_;
  Time origin_;
  std::chrono::nanoseconds slipped_{0}, most_lag_{0}, paused_{0};
  std::optional<Time> paused_since_;
};

}  // namespace pmtwin::emulation
