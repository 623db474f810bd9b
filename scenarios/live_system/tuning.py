"""Tuning of a live system: a policy runs on it, then its result and the default are compared in alternating blocks."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass

import numpy as np

from pmtwin.policies import Policy, PolicyContext
from pmtwin.policies.action_rules import MINUTE_S, ActionRules, StepBudget
from pmtwin.policies.checked import Checked
from pmtwin.scenarios.comparison.rollout import Block, Trajectory, run_policy
from pmtwin.scenarios.contexts import OWN
from pmtwin.scenarios.environments.environment import ControlEnv
from pmtwin.scenarios.live_system.declaration import Live
from pmtwin.scenarios.live_system.scenario_of import LiveSystem, scenario_of
from pmtwin.scenarios.system import Setting
from pmtwin.sim.control import Column
from pmtwin.sim.errors import InputError, PmtwinError
from pmtwin.sim.numerics.series import SeriesInterval, gain_of_series, steady_part

MOST_TICKS = 10**9
LAST_SHARE = 0.2
"""Share of the ticks, the last ones, whose commonest setting is the result of a policy that names none."""

DEFAULT, RESULT = "default", "result"


@dataclass(frozen=True)
class TuningPlan:
    """How long to tune, and how to compare.

    Args:
        seconds: of tuning; None: only `ticks` count.
        ticks: of tuning, those of an earlier, stopped run included; None: only `seconds` count.
        pairs: pairs of a block at the default and a block at the result, at least two.
        block_ticks: ticks of a block that count, unless they are seen to be warm-up or cool-down.
        settle_ticks: ticks before them, after a change, that do not.
        seed: root of the policy's random numbers.
    """

    seconds: float | None = None
    ticks: int | None = None
    pairs: int = 6
    block_ticks: int = 20
    settle_ticks: int = 3
    seed: int = 0

    @property
    def compared_ticks(self) -> int:
        """Ticks of the comparison, where the rules allow each change at once."""
        return 2 * self.pairs * (self.settle_ticks + self.block_ticks)


@dataclass(frozen=True)
class Tuned:
    """Result of a tuning.

    Args:
        default, result: settings before and after.
        ticks: ticks of the tuning, without those of an earlier run. resumed: ticks of the earlier run.
        refused: actions that the checker did not let pass as they were.
        objective: mean objective while tuning, of five equal parts one after the other.
        blocks: (mean objective at the default, at the result) of each pair.
        gain: of the result over the default, as a share of its magnitude, with a 95 % Student t interval from
            merged ticks (`pmtwin.sim.numerics.series`), at most all of a pair of blocks.
        unsteady_ticks: ticks of all blocks that were left out as warm-up or cool-down.
        left_at: `default` or `result`: the setting that the system has now, the result if the interval lies above 0.
    """

    default: Setting
    result: Setting
    ticks: int
    resumed: int
    refused: int
    objective: list[float]
    blocks: list[tuple[float, float]]
    gain: SeriesInterval
    unsteady_ticks: int
    left_at: str


def tune(
    live: Live,
    columns: Sequence[Column],
    policy: Policy,
    rules: ActionRules,
    plan: TuningPlan,
    on_tick: Callable[[], None] | None = None,
    on_compare: Callable[[], Callable[[], None]] | None = None,
) -> Tuned:
    """Tune a live system; whatever fails, it is set back to its default.

    Args:
        columns: of observations (`columns_of`).
        policy: the policy that tunes. rules: of the action checker before it.
        on_tick: called after each tick of the tuning.
        on_compare: called when the tuning is over; returns what is called after each further tick, of which there are
            `TuningPlan.compared_ticks`, and those that the rules ask for on the way from setting to setting.

    Raises:
        InputError: if the default is not allowed, the system gives wrong numbers, or the policy cannot serve it.
        ScenarioError: if a function of the user's file fails. PolicyError: if the policy fails.
    """
    checked = Checked(policy, rules)
    try:
        trajectory = _tuned(live, columns, checked, plan, on_tick)
        result = policy.preferred() or _commonest(trajectory.setting)
        system = LiveSystem(live, tuple(columns))
        system.start(tuple(map(int, trajectory.setting[-1])))
        way = _Way(system, rules, checked.budget, None if on_compare is None else on_compare())
        pairs = _compared(way, live.initial, result, plan)
        gain = _gain(pairs)
        is_better = result != live.initial and gain["low"] is not None and gain["low"] > 0.0
        way.go(result if is_better else live.initial)
        return Tuned(
            live.initial,
            result,
            len(trajectory.reward),
            policy.resumed(),
            checked.refused,
            [float(part.mean()) for part in np.array_split(trajectory.reward, 5) if len(part)],
            [(float(before.mean()), float(after.mean())) for before, after in pairs],
            gain,
            2 * (plan.pairs * plan.block_ticks - sum(len(before) for before, _ in pairs)),
            RESULT if is_better else DEFAULT,
        )
    except BaseException:
        with suppress(PmtwinError):  # the error that is reported is the first
            live.set(live.initial)
        raise
    finally:
        policy.close()


def _tuned(
    live: Live, columns: Sequence[Column], policy: Policy, plan: TuningPlan, on_tick: Callable[[], None] | None
) -> Trajectory:
    scenario, began, ticks = scenario_of(live, columns), time.monotonic(), 0

    def over(info: dict) -> bool:
        nonlocal ticks
        ticks += 1
        is_full = plan.ticks is not None and ticks + policy.resumed() >= plan.ticks
        return is_full or (plan.seconds is not None and time.monotonic() - began >= plan.seconds)

    env = ControlEnv(scenario, episode_steps=None)
    context = PolicyContext.of(scenario, seed=plan.seed)
    return run_policy(policy, context, env, [Block(OWN, MOST_TICKS)], plan.seed, on_step=on_tick, until=over)


def _commonest(settings: np.ndarray) -> Setting:
    """The commonest setting of the last ticks; of equally common ones the latest."""
    last = [tuple(map(int, row)) for row in settings[-max(round(LAST_SHARE * len(settings)), 1) :]]
    counts = Counter(last)
    return max(reversed(last), key=counts.__getitem__)


def _compared(way: _Way, default: Setting, result: Setting, plan: TuningPlan) -> list[tuple[np.ndarray, np.ndarray]]:
    """Objectives in the blocks of each pair, (at the default, at the result), of the ticks that are steady in both.

    Every second pair begins with the result, so that drifts cancel.
    """
    pairs = []
    for number in range(plan.pairs):
        order = (default, result) if number % 2 == 0 else (result, default)
        blocks = [_block(way, setting, plan) for setting in order]
        ends = [steady_part(block) for block in blocks]
        steady = slice(max(begin for begin, _ in ends), min(end for _, end in ends))
        first, second = (block[steady] for block in blocks)
        pairs.append((first, second) if number % 2 == 0 else (second, first))
    return pairs


def _block(way: _Way, setting: Setting, plan: TuningPlan) -> np.ndarray:
    """Objective of each tick at a setting, without those in which it settles."""
    way.go(setting)
    levels = [way.tick() for _ in range(plan.settle_ticks + plan.block_ticks)]
    return np.array(levels[plan.settle_ticks :])


def _gain(pairs: Sequence[tuple[np.ndarray, np.ndarray]]) -> SeriesInterval:
    """Gain of the result over the default, from the ticks of all pairs one after the other."""
    default, result = (np.concatenate(part) for part in zip(*pairs, strict=True))
    return gain_of_series(result, default, [len(before) for before, _ in pairs])


class _Way:
    """Goes from setting to setting by what the rules allow.

    Args:
        system: the system, at the setting where the policy left it.
        rules: the rules. budget: steps that they still allow after those of the policy.
        on_tick: called after each tick.
    """

    def __init__(self, system: LiveSystem, rules: ActionRules, budget: StepBudget, on_tick: Callable[[], None] | None):
        self._system, self._rules, self._budget, self._on_tick = system, rules, budget, on_tick

    def tick(self) -> float:
        """The objective of a tick."""
        self._system.run_window()
        if self._on_tick is not None:
            self._on_tick()
        (level,) = self._system.measures().values()
        return level

    def go(self, setting: Setting) -> None:
        """Go to a setting, with a tick after each step where the rules allow no more at once.

        Raises:
            InputError: if no step has been possible for more than a minute.
        """
        moved_s = time.monotonic()
        while (before := self._system.setting()) != setting:
            now = time.monotonic()
            left = self._budget.left(now)
            after = self._rules.after(before, setting, left)
            after = self._rules.step_towards(before, setting, left) if after == before else after
            if after != before:
                self._budget.note(now, before, after)
                self._system.apply(after)
                moved_s = now
            elif moved_s <= now - MINUTE_S:  # every parameter has steps left by then
                written = self._rules.settings.written
                wrong = f"cannot be reached from {written(before)}"
                raise InputError("comparison", written(setting), "rules that leave a direct way", wrong=wrong)
            if after != setting:
                self.tick()
