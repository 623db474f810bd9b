"""Changes that would alter a recommendation: other limits, by simulation, and other loads, by formulas.

An entry has `change`, as text; `kept`: attainment of the recommended setting under the change; `setting`: the best
setting under the change; `gain`: its gain in attainment, 0 for the recommended setting; `by`: simulation or formulas;
`beyond_load`: goals that ask for more than clients offer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from pmtwin.scenarios.recommendation.attainment import TOLERANCE, met
from pmtwin.scenarios.recommendation.reach import asks_for_more
from pmtwin.scenarios.recommendation.screening import Screen, kept_share, screen
from pmtwin.scenarios.scenario import Scenario
from pmtwin.scenarios.system import Setting
from pmtwin.sim.control import Goal

FACTORS = (0.8, 1.25)
"""Factors on the load and on each limit."""

PRESENT_LOAD = "load x 1"
"""Name of the entry for the present load, with the formulas' attainment, for comparison with the simulated one."""

MANY_LOADS, RIVALS = 64, 40
"""Numbers of loads and of settings in the formulas under other loads."""


def other_limits(goals: Sequence[Goal]) -> dict[str, list[Goal]]:
    """Text of the change -> the goals with one limit changed."""
    return {
        f"{goal.measure.name} {goal.limit * factor:,.10g}": [
            Goal(other.name, other.measure, other.limit * (factor if other is goal else 1.0)) for other in goals
        ]
        for factor in FACTORS
        for goal in goals
    }


def rivals_of(best: Setting, screened: Screen, limits: Mapping[str, Sequence[Goal]]) -> list[Setting]:
    """The settings that the formulas prefer under other limits, without the recommended one."""
    preferred = dict.fromkeys(screened.judged(goals).best() for goals in limits.values())
    return [setting for setting in preferred if setting != best]


def limit_changes(
    best: Setting,
    screened: Screen,
    limits: Mapping[str, Sequence[Goal]],
    shown: Mapping[Setting, Mapping[str, np.ndarray]],
) -> list[dict]:
    """Entries for the changes of `other_limits`.

    Args:
        shown: setting -> measures, for the recommended setting and those of `rivals_of`.
    """
    changes = []
    for name, goals in limits.items():
        rival = screened.judged(goals).best()
        kept, rivals = (float(met(goals, shown[setting]).mean()) for setting in (best, rival))
        changes.append(_change(name, best, kept, rival, rivals, "simulation"))
    return changes


def load_changes(scenario: Scenario, context: int | str, goals: Sequence[Goal], seed: int, best: Setting) -> list[dict]:
    """Entries for other loads and, for comparison, the present one; empty without formulas or for unlimited load."""
    offered = scenario.offered_load(context)
    if offered is None:
        return []
    changes = []
    for factor in sorted((1.0, *FACTORS)):
        screened = screen(scenario, context, goals, seed, factor)
        settings = list(dict.fromkeys([best, *(screened.first(RIVALS) if screened else [])]))
        measures = scenario.predicted(context, settings, MANY_LOADS, seed, factor)
        if measures is None:  # without formulas
            return []
        share = kept_share(goals, measures)
        most = int(np.argmax(share))
        kept, rivals = float(share[0]), float(share[most])
        beyond = [str(goal) for goal in goals if asks_for_more(goal, factor * offered)]
        name = PRESENT_LOAD if factor == 1.0 else f"load x {factor:g}"
        changes.append(_change(name, best, kept, settings[most], rivals, "formulas", beyond))
    return changes


def _change(
    name: str, best: Setting, kept: float, rival: Setting, rivals: float, by: str, beyond: Sequence[str] = ()
) -> dict:
    """An entry; kept, rivals: attainment of the recommended setting, and of the best setting under the change."""
    is_better = rivals - kept > TOLERANCE
    setting, gain = (rival, rivals - kept) if is_better else (best, 0.0)
    entry = {"change": name, "setting": list(setting), "gain": gain, "kept": kept, "by": by}
    return entry | {"beyond_load": list(beyond)}
