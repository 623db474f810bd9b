"""The plan of a validation: cases, the scenario of each side, seeds."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Generic, TypeVar

import numpy as np

from pmtwin.scenarios.comparison.rollout import Context
from pmtwin.scenarios.environments.environment import ControlEnv
from pmtwin.scenarios.scenario import Scenario
from pmtwin.sim.errors import InputError, check_range
from pmtwin.validation.cases import Case

Control = TypeVar("Control", bound=Scenario)
PREDICTED, MEASURED = SIDES = ("predicted", "measured")
REWARD = "reward"


@dataclass(frozen=True)
class ValidationPlan(Generic[Control]):
    """The cases that both sides run, and how often.

    Args:
        cases: each runs on both sides.
        predicted, measured: the scenario over the twin, and over the real system.
        seeds: number of independent runs of each case.
        seed: root of all random numbers.
        warmup_windows: windows before those that count.

    Raises:
        InputError: for a value that is not accepted, or the same case twice.
    """

    cases: tuple[Case, ...]
    predicted: Control
    measured: Control
    seeds: int = 3
    seed: int = 0
    warmup_windows: int = 2

    def __post_init__(self):
        if not self.cases:
            raise InputError("cases", 0, "at least one policy or setting")
        if len(set(self.cases)) < len(self.cases):
            twice = next(case for case in self.cases if self.cases.count(case) > 1)
            raise InputError("cases", twice.policy, "each policy and each setting once", wrong="is given twice")
        check_range("seeds", self.seeds, 1, 1000)
        check_range("seed", self.seed, 0, 2**63 - 1)
        check_range("warmup_windows", self.warmup_windows, 0, 10**6)

    def scenario(self, side: str, case: Case) -> Control:
        """The scenario of a side, with the options of the case."""
        whole = self.predicted if side == PREDICTED else self.measured
        if not case.changes:
            return whole
        options = replace(whole.options, **dict(case.changes))  # type: ignore[type-var]  # all options are dataclasses
        return type(whole)(options)

    def environment(self, side: str, case: Case, mode: str | None = None, context: Context | None = None) -> ControlEnv:
        """A new environment of a side for a case, in a context of its schedule (default: the first).

        Raises:
            InputError: if the side cannot run the case.
        """
        context = case.schedule[0].context if context is None else context
        scenario = self.scenario(side, case)
        return ControlEnv(scenario, context or None, episode_steps=None, warmup_windows=self.warmup_windows, mode=mode)

    def seeds_of(self, run: int) -> tuple[int, np.random.SeedSequence]:
        """(seed of the environment, seed of the policy) of run `run`, the same on both sides and for all cases."""
        env_seed, policy_seed = np.random.SeedSequence(self.seed, spawn_key=(run,)).spawn(2)
        return int(env_seed.generate_state(1, np.uint64)[0] >> np.uint64(1)), policy_seed

    def windows(self) -> int:
        """Number of windows that count, on one side."""
        return self.seeds * sum(case.windows for case in self.cases)
