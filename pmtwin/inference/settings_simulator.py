"""Simulator for an inference: windows of a scenario at settings in contexts, for a draw of its parameters."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from pmtwin.inference.side import InferenceSide
from pmtwin.scenarios.environments.environment import ControlEnv
from pmtwin.scenarios.scenario import Scenario

ATTAINMENT = "attainment"
STATISTICS = {"min": 0, "q1": 25, "median": 50, "q3": 75, "max": 100}
"""Statistics of a measure over the windows: name -> percentile."""


@dataclass(frozen=True)
class Case:
    """A setting in a context; a setting of None is the scenario's mode without settings."""

    context: int | str
    setting: tuple[int, ...] | None


def quantity_name(scenario: Scenario, case: Case, measure: str, statistic: str) -> str:
    """Name of a quantity."""
    setting = "none" if case.setting is None else scenario.settings.written(case.setting)
    end = measure if measure == ATTAINMENT else f"{measure}:{statistic}"
    return f"{scenario.contexts.noun} {case.context}/{setting}/{end}"


@dataclass(frozen=True)
class SettingsSimulator:
    """A `pmtwin.calibrate.inference.run.Simulator`.

    Args:
        side: inference of the scenario.
        cases: settings in contexts to run.
        windows, warmup_windows: numbers of measured and of discarded windows of each case.
    """

    side: InferenceSide
    cases: tuple[Case, ...]
    windows: int = 24
    warmup_windows: int = 3

    @cached_property
    def quantities(self) -> tuple[str, ...]:
        """Names of the quantities: each measure and statistic of each case."""
        scenario = self.side.scenario
        pairs = [(measure.name, statistic) for measure in scenario.measures for statistic in STATISTICS]
        pairs.append((ATTAINMENT, ""))
        return tuple(quantity_name(scenario, case, *pair) for case in self.cases for pair in pairs)

    def identity(self) -> dict:
        """Plain values that determine the quantities, besides the draw and the seed."""
        scenario = self.side.with_values({})
        cases = [[case.context, None if case.setting is None else list(case.setting)] for case in self.cases]
        shape = {"windows": self.windows, "warmup_windows": self.warmup_windows}
        return {"scenario": scenario.name, "cases": cases, **shape, **scenario.record(), **scenario.origin()}

    def simulate(self, draw: Mapping[str, float], seed: int) -> dict[str, float]:
        """The quantities of all cases."""
        scenario = self.side.with_values(draw)
        quantities: dict[str, float] = {}
        for case in self.cases:
            quantities |= self._run(scenario, case, seed)
        return quantities

    def _run(self, scenario: Scenario, case: Case, seed: int) -> dict[str, float]:
        env = ControlEnv(
            scenario,
            case.context,
            scenario.settings.low if case.setting is None else case.setting,
            episode_steps=None,
            warmup_windows=self.warmup_windows,
            mode=scenario.modes[1] if case.setting is None else None,
        )
        rows, met = [], []
        with closing(env):
            env.reset(seed=seed)
            setting = tuple(env.setting)
            for _ in range(self.windows):
                info = env.carry_out(setting)[4]
                rows.append([info[measure.name] for measure in scenario.measures])
                met.append(all(info[f"met_{goal.name}"] for goal in scenario.goals))
        return self._summary(case, np.array(rows, dtype=float), np.array(met))

    def _summary(self, case: Case, rows: np.ndarray, met: np.ndarray) -> dict[str, float]:
        scenario = self.side.scenario
        percentiles = {
            quantity_name(scenario, case, measure.name, statistic): float(np.percentile(rows[:, k], percent))
            for k, measure in enumerate(scenario.measures)
            for statistic, percent in STATISTICS.items()
        }
        share = (met.sum() + 0.25) / (met.size + 0.5)
        return percentiles | {quantity_name(scenario, case, ATTAINMENT, ""): float(share)}
