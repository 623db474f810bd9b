"""A threshold autoscaler on the service level: what an operator would configure without learning.

Rules, on the measures of the last window:

1. *Miss*: p99 above its goal, throughput below its goal, or both. A single one is let pass (`CONFIRM_WINDOWS`), since
   one window may be an outlier. Then one move per window, from the list of that kind of miss: a late interactive class
   first gets a thread more, then takes one from the batch class, then tries the other way; and so on (`MOVES`).
2. A move is repeated while the distance from the goals shrinks by at least `PROGRESS`; otherwise the next of the list
   is tried: more threads help a starved pool and hurt a contended device, and the thresholds cannot tell which it is.
3. *Slack*: p99 below `SLACK_LATENCY` of its goal with the throughput met, for `SLACK_WINDOWS` in a row: one thread is
   given back by the larger pool. The gap between the two latency thresholds is the hysteresis; giving back waits
   twice as long after each return that led to a miss.
"""

from pmtwin.policies.base import Policy, PolicyContext
from pmtwin.policies.pools import KEEP, action_for
from pmtwin.policies.registry import register

CONFIRM_WINDOWS = 2
PROGRESS = 0.02
SLACK_LATENCY = 0.5
SLACK_WINDOWS = 10
SLACK_WINDOWS_MAX = 640

LATE, SLOW, BOTH = "late", "slow", "both"
MOVES = {
    LATE: ((1, 0), (0, -1), (-1, 0), (0, 1)),
    SLOW: ((0, 1), (1, 0), (0, -1), (-1, 0)),
    BOTH: ((1, 1), (-1, -1), (1, -1), (-1, 1)),
}
"""Kind of miss -> changes of (interactive, batch) threads, in the order in which they are tried."""


@register("threshold")
class Threshold(Policy):
    """Steps the pools when the service level is missed, gives threads back when there is slack."""

    def start(self, context: PolicyContext):
        """Takes the goals from the context; begins with the scenario's own pools."""
        self._latency_goal_us = context.goals["latency_us"]
        self._throughput_goal_ops = context.goals["throughput_ops"]
        self._missed_windows = 0
        self._slack_windows = 0
        self._slack_needed = SLACK_WINDOWS
        self._gave_back = False
        self._kind = None
        self._move = 0
        self._last_distance = None
        return

    def act(self, observation, info=None):
        """One step by the rules above; keeps the pools while nothing has been measured."""
        if not info or "p99_us" not in info:
            return KEEP
        kind = self._miss(info["p99_us"], info["throughput_ops"])
        if kind is None:
            return self._on_target(observation, info["p99_us"])
        return self._on_miss(kind, self._distance(info["p99_us"], info["throughput_ops"]))

    def exported(self, context: PolicyContext):
        """The goals and every number of the rules; moves as actions of Table 3.3."""
        return {
            "kind": "threshold",
            "latency_goal_us": float(context.goals["latency_us"]),
            "throughput_goal_ops": float(context.goals["throughput_ops"]),
            "confirm_windows": CONFIRM_WINDOWS,
            "progress": PROGRESS,
            "slack_latency": SLACK_LATENCY,
            "slack_windows": SLACK_WINDOWS,
            "slack_windows_max": SLACK_WINDOWS_MAX,
            "moves": {kind: [action_for(*move) for move in moves] for kind, moves in MOVES.items()},
            "give_back_interactive": action_for(-1, 0),
            "give_back_batch": action_for(0, -1),
        }

    def _miss(self, p99_us: float, throughput_ops: float) -> str | None:
        late, slow = p99_us > self._latency_goal_us, throughput_ops < self._throughput_goal_ops
        return BOTH if late and slow else LATE if late else SLOW if slow else None

    def _distance(self, p99_us: float, throughput_ops: float) -> float:
        """How far the goals are missed, as a sum of shares of the goals; 0 when both are met."""
        late = max(0.0, p99_us / self._latency_goal_us - 1.0)
        slow = max(0.0, 1.0 - throughput_ops / self._throughput_goal_ops)
        return late + slow

    def _on_miss(self, kind: str, distance: float) -> int:
        if self._gave_back:
            self._slack_needed = min(2 * self._slack_needed, SLACK_WINDOWS_MAX)
        self._gave_back, self._slack_windows = False, 0
        self._missed_windows += 1
        if self._missed_windows < CONFIRM_WINDOWS:
            return KEEP
        if kind != self._kind:
            self._kind, self._move, self._last_distance = kind, 0, None
        if self._last_distance is not None and distance > (1.0 - PROGRESS) * self._last_distance:
            self._move = (self._move + 1) % len(MOVES[kind])
        self._last_distance = distance
        return action_for(*MOVES[kind][self._move])

    def _on_target(self, observation, p99_us: float) -> int:
        self._missed_windows, self._kind, self._last_distance = 0, None, None
        slack = p99_us < SLACK_LATENCY * self._latency_goal_us
        self._slack_windows = self._slack_windows + 1 if slack else 0
        if self._slack_windows < self._slack_needed:
            return KEEP
        self._slack_windows, self._gave_back = 0, True
        interactive, batch = observation[0], observation[1]
        return action_for(-1, 0) if interactive >= batch else action_for(0, -1)
