"""Tuning of a live system: a policy runs on it, then its result and the default are compared in alternating blocks."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass

import numpy as np

from pmtwin.policies import Policy, PolicyContext
from pmtwin.policies.action_rules import ActionRules, StepBudget
from pmtwin.policies.checked import Checked
from pmtwin.scenarios.comparison.rollout import Block, Trajectory, run_policy
from pmtwin.scenarios.contexts import OWN
from pmtwin.scenarios.environments.environment import ControlEnv
from pmtwin.scenarios.live_system.declaration import Live
from pmtwin.scenarios.live_system.scenario_of import LiveSystem, scenario_of
from pmtwin.scenarios.system import Setting
from pmtwin.sim.control import Column
from pmtwin.sim.errors import PmtwinError
from pmtwin.sim.numerics.statistics import Interval, mean_interval

MOST_TICKS = 10**9
LAST_SHARE = 0.2
"""Share of the ticks, the last ones, whose commonest setting is the result of a policy that names none."""

DEFAULT, RESULT = "default", "result"
MOST_MOVING = 10_000
"""Ticks that the way to a setting may take under the rules."""


@dataclass(frozen=True)
class TuningPlan:
    """How long to tune, and how to compare.

    Args:
        seconds: of tuning; None: only `ticks` count.
        ticks: of tuning, those of an earlier, stopped run included; None: only `seconds` count.
        pairs: pairs of a block at the default and a block at the result, at least two.
        block_ticks: ticks of a block that count.
        settle_ticks: ticks before them, after a change, that do not.
        seed: root of the policy's random numbers.
    """

    seconds: float | None = None
    ticks: int | None = None
    pairs: int = 6
    block_ticks: int = 20
    settle_ticks: int = 3
    seed: int = 0


@dataclass(frozen=True)
class Tuned:
    """Result of a tuning.

    Args:
        default, result: settings before and after.
        ticks: ticks of the tuning, without those of an earlier run. resumed: ticks of the earlier run.
        refused: actions that the checker did not let pass as they were.
        objective: mean objective while tuning, of five equal parts one after the other.
        blocks: (mean objective at the default, at the result) of each pair.
        gain: of the result over the default, as a share: mean over the pairs with a 95 % Student t interval.
        left_at: `default` or `result`: the setting that the system has now, the result if the interval lies above 0.
    """

    default: Setting
    result: Setting
    ticks: int
    resumed: int
    refused: int
    objective: list[float]
    blocks: list[tuple[float, float]]
    gain: Interval
    left_at: str


def tune(
    live: Live,
    columns: Sequence[Column],
    policy: Policy,
    rules: ActionRules,
    plan: TuningPlan,
    on_tick: Callable[[], None] | None = None,
) -> Tuned:
    """Tune a live system; whatever fails, it is set back to its default.

    Args:
        columns: of observations (`columns_of`).
        policy: the policy that tunes. rules: of the action checker before it.
        on_tick: called after each tick.

    Raises:
        InputError: if the default is not allowed, the system gives wrong numbers, or the policy cannot serve it.
        ScenarioError: if a function of the user's file fails. PolicyError: if the policy fails.
    """
    checked = Checked(policy, rules)
    try:
        trajectory = _tuned(live, columns, checked, plan, on_tick)
        result = policy.preferred() or _commonest(trajectory.setting)
        blocks = _compared(live, columns, rules, result, plan, on_tick)
        gain = mean_interval([after / before - 1.0 if before else np.nan for before, after in blocks])
        is_better = result != live.initial and gain["low"] is not None and gain["low"] > 0.0
        if not is_better:
            live.set(live.initial)
        return Tuned(
            live.initial,
            result,
            len(trajectory.reward),
            policy.resumed(),
            checked.refused,
            [float(part.mean()) for part in np.array_split(trajectory.reward, 5) if len(part)],
            blocks,
            gain,
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


def _compared(
    live: Live,
    columns: Sequence[Column],
    rules: ActionRules,
    result: Setting,
    plan: TuningPlan,
    on_tick: Callable[[], None] | None,
) -> list[tuple[float, float]]:
    """Means of the blocks of each pair; every second pair begins with the result, so that drifts cancel."""
    system, budget = LiveSystem(live, tuple(columns)), StepBudget(rules)
    system.start(result if rules.refusal(live.initial) else live.initial)
    pairs = []
    for number in range(plan.pairs):
        order = (live.initial, result) if number % 2 == 0 else (result, live.initial)
        means = [_block(system, setting, rules, budget, plan, on_tick) for setting in order]
        pairs.append((means[0], means[1]) if number % 2 == 0 else (means[1], means[0]))
    _move(system, result, rules, budget, on_tick)
    return pairs


def _block(
    system: LiveSystem,
    setting: Setting,
    rules: ActionRules,
    budget: StepBudget,
    plan: TuningPlan,
    on_tick: Callable[[], None] | None,
) -> float:
    """Mean objective of the ticks at a setting that count."""
    _move(system, setting, rules, budget, on_tick)
    levels: list[float] = []
    for tick in range(plan.settle_ticks + plan.block_ticks):
        system.run_window()
        if on_tick is not None:
            on_tick()
        if tick >= plan.settle_ticks:
            levels.extend(system.measures().values())
    return float(np.mean(levels))


def _move(
    system: LiveSystem, setting: Setting, rules: ActionRules, budget: StepBudget, on_tick: Callable[[], None] | None
) -> None:
    """Go to a setting by steps that the rules allow, a tick each where they allow no more at once."""
    for _ in range(MOST_MOVING):
        now = time.monotonic()
        before = system.setting()
        if before == setting:
            return
        after = rules.after(before, setting, budget.left(now))
        after = rules.step_towards(before, setting, budget.left(now)) if after == before else after
        if after != before:
            budget.note(now, before, after)
            system.apply(after)
        if after != setting:
            system.run_window()
            if on_tick is not None:
                on_tick()
