"""Threshold autoscaler on the goals, as an operator configures one without learning.

Rules on the measures of the last window; the first number of a setting serves the first goal, and so on:

1. *Miss*: goals are missed for `confirm-windows` windows in a row. Then the policy makes one move per window, from a
   list for the missed goals (`moves_of`): the number that serves the missed goal plus one, the others minus one, ...
2. A move is repeated while the distance from the goals shrinks by at least `progress`; otherwise the next move of the
   list is tried: more threads help a starved pool, but hurt on a contended device.
3. *Slack*: all goals are met, and latencies are below the share `slack-latency` of their goals, for `slack-windows`
   windows in a row. Then the largest number is reduced by one. The gap between goal and slack is the hysteresis. After
   each reduction that led to a miss the wait doubles.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from types import MappingProxyType

import numpy as np

from pmtwin.policies.base import Action, Policy, PolicyContext
from pmtwin.policies.registry import register
from pmtwin.policies.value.inputs import check_served
from pmtwin.sim.control import LOWER, Goal
from pmtwin.sim.errors import InputError
from pmtwin.sim.options import Options, option

LATENCY, THROUGHPUT = "p99_us", "throughput_ops"
"""Measures with goals in the C++ middleware, named only for its file format (docs/steering-policy.md)."""

Move = tuple[int, ...]
"""Change of each number of the setting."""


@dataclass(frozen=True)
class ThresholdOptions(Options):
    """Parameters of the rules."""

    confirm_windows: int = option(2, "consecutive windows that miss a goal before a move", low=1, high=10**6)
    progress: float = option(
        0.02, "minimum reduction of the distance from the goals that repeats a move, as a share", low=0.0, high=1.0
    )
    slack_latency: float = option(0.5, "maximum latency with slack, as a share of the goal", low=0.0, high=1.0)
    slack_windows: int = option(10, "consecutive windows of slack before a reduction", low=1, high=10**6)
    slack_windows_max: int = option(
        640, "maximum of slack-windows after reductions that led to a miss", low=1, high=10**6
    )


def moves_of(missed: Sequence[int], goals: Sequence[Goal], size: int) -> tuple[Move, ...]:
    """The moves to try, in this order, when goals are missed; without repetition.

    Args:
        missed: indices of the missed goals, at least one.
        goals: all goals.
        size: number of numbers in a setting.
    """
    is_serving = np.arange(size) == missed[0] % size
    serving, others = is_serving.astype(int), (~is_serving).astype(int)
    if len(missed) > 1:
        moves = (serving + others, -serving - others, serving - others, others - serving)
    elif goals[missed[0]].measure.better == LOWER:
        moves = (serving, -others, -serving, others)
    else:
        moves = (serving, others, -serving, -others)
    return tuple(dict.fromkeys(tuple(move.tolist()) for move in moves if move.any()))


@register("threshold")
class Threshold(Policy):
    """Steps the setting up or down while a goal is missed, and down by one after enough slack."""

    Takes = ThresholdOptions
    options: ThresholdOptions
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
        """Refuse scenarios without goals or without a setting in the observations.

        Raises:
            InputError: for a scenario without settings or goals, or whose observations do not show the setting.
        """
        check_served(context, cls.called())
        _ = context.setting_columns

    def start(self, context: PolicyContext):
        """Begin a run at the scenario's initial setting.

        Raises:
            InputError: as `check_scenario`.
        """
        self.check_scenario(context)
        self._goals, self._settings = context.goals, context.controlled
        self._actions = {move: action for action, move in enumerate(self._settings.moves)}
        self._columns, self._still = context.setting_columns, (0,) * len(self._settings.names)
        self._missed_windows = 0
        self._slack_windows = 0
        self._slack_needed = self.options.slack_windows
        self._gave_back = False
        self._kind: tuple[int, ...] = ()
        self._move = 0
        self._last_distance: float | None = None

    def act(self, observation: np.ndarray, info: Mapping | None = None):
        """One step by the rules above; no change before the first measurement."""
        if not info or any(goal.measure.name not in info for goal in self._goals):
            return self._moved(observation, self._still)
        kind = tuple(number for number, goal in enumerate(self._goals) if _beyond(goal, info))
        return self._moved(observation, self._on_miss(kind, info) if kind else self._on_target(observation, info))

    def exported(self, context: PolicyContext):
        """Goals, parameters of the rules, and moves as numbers of actions (Table 3.3).

        Raises:
            InputError: for a scenario without the goals and the actions of the thesis' middleware.
        """
        try:
            latency, throughput = context.goal(LATENCY), context.goal(THROUGHPUT)
        except InputError as error:
            raise self.unserved(context, f"goals of {LATENCY} and {THROUGHPUT}") from error
        kinds = {"late": (0,), "slow": (1,), "both": (0, 1)}
        moves = {kind: moves_of(missed, (latency, throughput), 2) for kind, missed in kinds.items()}
        actions = {move: action for action, move in enumerate(context.settings.moves if context.settings else ())}
        if not {(0, 0), *(move for moves_of_kind in moves.values() for move in moves_of_kind)} <= actions.keys():
            raise self.unserved(context, "two pools that each action changes by a thread (Table 3.3)")
        return {
            "kind": "threshold",
            "latency_goal_us": float(latency.limit),
            "throughput_goal_ops": float(throughput.limit),
            **asdict(self.options),
            "moves": {kind: [actions[move] for move in moves_of_kind] for kind, moves_of_kind in moves.items()},
            "give_back_interactive": actions[-1, 0],
            "give_back_batch": actions[0, -1],
        }

    def _moved(self, observation: np.ndarray, move: Move) -> Action:
        """The numbered action of a move if there is one, else the setting to jump to."""
        action = self._actions.get(move)
        if action is not None:
            return action
        return self._settings.clipped(np.add(self._setting(observation), move).tolist())

    def _setting(self, observation: np.ndarray) -> list[int]:
        return [round(float(observation[column])) for column in self._columns]

    def _on_miss(self, kind: tuple[int, ...], info: Mapping[str, float]) -> Move:
        distance = sum(_distance(self._goals[number], info) for number in kind)
        if self._gave_back:
            self._slack_needed = min(2 * self._slack_needed, self.options.slack_windows_max)
        self._gave_back, self._slack_windows = False, 0
        self._missed_windows += 1
        if self._missed_windows < self.options.confirm_windows:
            return self._still
        if kind != self._kind:
            self._kind, self._move, self._last_distance = kind, 0, None
        moves = moves_of(kind, self._goals, len(self._columns))
        if self._last_distance is not None and distance > (1.0 - self.options.progress) * self._last_distance:
            self._move = (self._move + 1) % len(moves)
        self._last_distance = distance
        return moves[self._move]

    def _on_target(self, observation: np.ndarray, info: Mapping[str, float]) -> Move:
        self._missed_windows, self._kind, self._last_distance = 0, (), None
        share = self.options.slack_latency
        latencies = [goal for goal in self._goals if goal.measure.better == LOWER]
        slack = all(info[goal.measure.name] < share * goal.limit for goal in latencies)
        if not latencies:
            slack = all(share * info[goal.measure.name] > goal.limit for goal in self._goals)
        self._slack_windows = self._slack_windows + 1 if slack else 0
        if self._slack_windows < self._slack_needed:
            return self._still
        self._slack_windows, self._gave_back = 0, True
        largest = int(np.argmax(self._setting(observation)))
        return tuple(-1 if number == largest else 0 for number in range(len(self._still)))


def _beyond(goal: Goal, info: Mapping[str, float]) -> bool:
    """Whether a measure is on the wrong side of its goal."""
    value = info[goal.measure.name]
    return value > goal.limit if goal.measure.better == LOWER else value < goal.limit


def _distance(goal: Goal, info: Mapping[str, float]) -> float:
    """Distance of a measure beyond its goal, as a share of the goal; infinite for a goal of 0."""
    value = info[goal.measure.name]
    if not goal.limit:
        return float("inf")
    return max(0.0, value / goal.limit - 1.0 if goal.measure.better == LOWER else 1.0 - value / goal.limit)
