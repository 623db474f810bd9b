#include "middleware/policy/threshold.h"

#include <algorithm>

namespace pmtwin::policy {

std::optional<Pools> Threshold::start() {
  missed_windows_ = slack_windows_ = 0;
  slack_needed_ = rules_.slack_windows;
  gave_back_ = false;
  kind_ = nullptr;
  move_ = 0;
  last_distance_.reset();
  return std::nullopt;
}

Choice Threshold::act(const State& state, const std::optional<WindowStats>& measures) {
  if (!measures) return kKeep;
  const std::vector<int>* moves = kind_of_miss(*measures);
  return moves == nullptr ? on_target(state, *measures) : on_miss(*moves, distance(*measures));
}

const std::vector<int>* Threshold::kind_of_miss(const WindowStats& measures) const {
  const bool late = measures.p99_us > rules_.latency_goal_us;
  const bool slow = measures.throughput_ops < rules_.throughput_goal_ops;
  return late && slow ? &rules_.both : late ? &rules_.late : slow ? &rules_.slow : nullptr;
}

double Threshold::distance(const WindowStats& measures) const {
  const double late = std::max(0.0, measures.p99_us / rules_.latency_goal_us - 1.0);
  const double slow = std::max(0.0, 1.0 - measures.throughput_ops / rules_.throughput_goal_ops);
  return late + slow;
}

int Threshold::on_miss(const std::vector<int>& moves, double distance) {
  if (gave_back_) slack_needed_ = std::min(2 * slack_needed_, rules_.slack_windows_max);
  gave_back_ = false;
  slack_windows_ = 0;
  if (++missed_windows_ < rules_.confirm_windows) return kKeep;
  if (&moves != kind_) {
    kind_ = &moves;
    move_ = 0;
    last_distance_.reset();
  }
  if (last_distance_ && distance > (1.0 - rules_.progress) * *last_distance_) move_ = (move_ + 1) % moves.size();
  last_distance_ = distance;
  return moves[move_];
}

int Threshold::on_target(const State& state, const WindowStats& measures) {
  missed_windows_ = 0;
  kind_ = nullptr;
  last_distance_.reset();
  const bool slack = measures.p99_us < rules_.slack_latency * rules_.latency_goal_us;
  slack_windows_ = slack ? slack_windows_ + 1 : 0;
  if (slack_windows_ < slack_needed_) return kKeep;
  slack_windows_ = 0;
  gave_back_ = true;
  return state.interactive_threads >= state.batch_threads ? rules_.give_back_interactive : rules_.give_back_batch;
}

}  // namespace pmtwin::policy
