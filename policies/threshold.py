"""Threshold autoscaler on the service level, as an operator configures one without learning.

Rules, on the measures of the last window:

1. *Miss*: p99 above its goal, throughput below its goal, or both, for `confirm-windows` in a row. Then one move per
   window, from the list of that kind of miss (`MOVES`).
2. A move is repeated while the distance from the goals shrinks by at least `progress`; otherwise the next of the list
   is tried: more threads help a starved pool and hurt a contended device.
3. *Slack*: p99 below `slack-latency` of its goal with the throughput met, for `slack-windows` in a row: the larger pool
   gives one thread back. The gap between the two latency thresholds is the hysteresis; after each return that led to a
   miss the wait doubles.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from types import MappingProxyType

from pmtwin.policies.base import Policy, PolicyContext
from pmtwin.policies.registry import register
from pmtwin.sim.errors import InputError
from pmtwin.sim.options import Options, option

LATENCY, THROUGHPUT = "p99_us", "throughput_ops"

LATE, SLOW, BOTH = "late", "slow", "both"
MOVES = {
    LATE: ((1, 0), (0, -1), (-1, 0), (0, 1)),
    SLOW: ((0, 1), (1, 0), (0, -1), (-1, 0)),
    BOTH: ((1, 1), (-1, -1), (1, -1), (-1, 1)),
}
"""Kind of miss -> changes of (interactive, batch) threads, in the order in which they are tried."""

GIVE_BACK = ((-1, 0), (0, -1))
"""One thread less: in the interactive pool, in the batch pool."""


@dataclass(frozen=True)
class ThresholdOptions(Options):
    """The numbers of the rules."""

    confirm_windows: int = option(2, "consecutive windows that miss a goal before a move", low=1, high=10**6)
    progress: float = option(
        0.02, "minimum reduction of the distance for another such move, as a share", low=0.0, high=1.0
    )
    slack_latency: float = option(0.5, "maximum latency with slack, as a share of the goal", low=0.0, high=1.0)
    slack_windows: int = option(10, "consecutive windows of slack before a thread is given back", low=1, high=10**6)
    slack_windows_max: int = option(640, "maximum of slack-windows after returns that led to a miss", low=1, high=10**6)


@register("threshold")
class Threshold(Policy):
    """Steps the pools when the service level is missed, gives threads back when there is slack."""

    Takes = ThresholdOptions
    trainable = "pmtwin.policies.training.search_options:SearchTraining"
    searched = MappingProxyType(
        {
            "confirm_windows": (1, 5),
            "progress": (0.0, 0.5),
            "slack_latency": (0.0, 1.0),
            "slack_windows": (1, 200),
            "slack_windows_max": (1, 1000),
        }
    )

    @classmethod
    def check_scenario(cls, context: PolicyContext):
        """Two pools are controlled, with goals of p99 and throughput."""
        cls().start(context)

    def start(self, context: PolicyContext):
        """Takes the goals from the context; begins with the scenario's own pools.

        Raises:
            InputError: unless two pools are controlled, with goals of p99 and throughput.
        """
        self._latency_goal_us, self._throughput_goal_ops = self._service_level(context)
        self._actions = self._moves(context)
        self._keep, self._columns = context.stay(), context.setting_columns
        self._missed_windows = 0
        self._slack_windows = 0
        self._slack_needed = self.options.slack_windows
        self._gave_back = False
        self._kind = None
        self._move = 0
        self._last_distance = None

    def act(self, observation, info=None):
        """One step by the rules above; keeps the pools while nothing has been measured."""
        if not info or LATENCY not in info:
            return self._keep
        kind = self._miss(info[LATENCY], info[THROUGHPUT])
        if kind is None:
            return self._on_target(observation, info[LATENCY])
        return self._on_miss(kind, self._distance(info[LATENCY], info[THROUGHPUT]))

    def exported(self, context: PolicyContext):
        """The goals and every number of the rules; moves as actions of Table 3.3."""
        latency_us, throughput_ops = self._service_level(context)
        actions = self._moves(context)
        return {
            "kind": "threshold",
            "latency_goal_us": float(latency_us),
            "throughput_goal_ops": float(throughput_ops),
            **asdict(self.options),
            "moves": {kind: [actions[move] for move in moves] for kind, moves in MOVES.items()},
            "give_back_interactive": actions[GIVE_BACK[0]],
            "give_back_batch": actions[GIVE_BACK[1]],
        }

    def _service_level(self, context: PolicyContext) -> tuple[float, float]:
        """Goals of p99 in us and of throughput in operations/s."""
        try:
            return context.goal(LATENCY).limit, context.goal(THROUGHPUT).limit
        except InputError as error:
            raise self.unserved(context, f"goals of {LATENCY} and {THROUGHPUT}") from error

    def _moves(self, context: PolicyContext) -> dict[tuple[int, int], int]:
        """Change of (interactive, batch) threads -> action."""
        actions = {move: action for action, move in enumerate(context.settings.moves if context.settings else ())}
        if not {(0, 0), *(move for moves in MOVES.values() for move in moves)} <= actions.keys():
            raise self.unserved(context, "two pools that each action changes by a thread (Table 3.3)")
        return actions

    def _miss(self, p99_us: float, throughput_ops: float) -> str | None:
        late, slow = p99_us > self._latency_goal_us, throughput_ops < self._throughput_goal_ops
        return BOTH if late and slow else LATE if late else SLOW if slow else None

    def _distance(self, p99_us: float, throughput_ops: float) -> float:
        """Sum of the distances from the goals, as shares of the goals; 0 when both are met."""
        late = max(0.0, p99_us / self._latency_goal_us - 1.0)
        slow = max(0.0, 1.0 - throughput_ops / self._throughput_goal_ops)
        return late + slow

    def _on_miss(self, kind: str, distance: float) -> int:
        if self._gave_back:
            self._slack_needed = min(2 * self._slack_needed, self.options.slack_windows_max)
        self._gave_back, self._slack_windows = False, 0
        self._missed_windows += 1
        if self._missed_windows < self.options.confirm_windows:
            return self._keep
        if kind != self._kind:
            self._kind, self._move, self._last_distance = kind, 0, None
        if self._last_distance is not None and distance > (1.0 - self.options.progress) * self._last_distance:
            self._move = (self._move + 1) % len(MOVES[kind])
        self._last_distance = distance
        return self._actions[MOVES[kind][self._move]]

    def _on_target(self, observation, p99_us: float) -> int:
        self._missed_windows, self._kind, self._last_distance = 0, None, None
        slack = p99_us < self.options.slack_latency * self._latency_goal_us
        self._slack_windows = self._slack_windows + 1 if slack else 0
        if self._slack_windows < self._slack_needed:
            return self._keep
        self._slack_windows, self._gave_back = 0, True
        interactive, batch = (observation[column] for column in self._columns)
        return self._actions[GIVE_BACK[0] if interactive >= batch else GIVE_BACK[1]]
