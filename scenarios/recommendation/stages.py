"""The stages of a search that run windows of the twin, each under different requests."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from pmtwin.scenarios.recommendation.attainment import met
from pmtwin.scenarios.recommendation.final import Final, ranked
from pmtwin.scenarios.recommendation.plan import RecommendationPlan
from pmtwin.scenarios.recommendation.reach import Reach
from pmtwin.scenarios.recommendation.windows import Windows
from pmtwin.scenarios.scenario import Scenario
from pmtwin.scenarios.system import Setting
from pmtwin.sim.control import Goal


class Stages:
    """Rounds and final on the representative device and host, and the finalists on samples of both.

    Args:
        scenario: the scenario, with its options.
        context: name of the context, or `OWN`.
        goals: goals of the search.
        seed: root of all random numbers.
        threads: number of threads that run windows.
        plan: size of the search.
        on_windows: called with the number of windows that have just run.

    Attributes:
        sampled: the scenario with the samples.
        reach: best values of the goals' measures in rounds and final.
    """

    def __init__(
        self,
        scenario: Scenario,
        context: int | str,
        goals: Sequence[Goal],
        seed: int,
        threads: int,
        plan: RecommendationPlan,
        on_windows: Callable[[int], object],
    ):
        self._goals, self._plan, self.reach = goals, plan, Reach(goals)
        self.sampled = scenario.sampled_systems(plan.samples)
        self._representative = Windows(scenario, context, threads, on_windows)
        self._plausible = Windows(self.sampled, context, threads, on_windows)
        self._seeds = _seeds(seed, len(plan.rounds), plan.final_seeds, plan.samples)

    @property
    def extrapolated(self) -> bool:
        """Whether any window used the device model outside the data that it was fitted to."""
        return self._representative.extrapolated or self._plausible.extrapolated

    def final(self, settings: Sequence[Setting]) -> Final:
        """Reduce the settings round by round, and run the final with the remaining ones."""
        for (windows, stay), word in zip(self._plan.rounds, self._seeds[0], strict=True):
            shown = self._representative.run(settings, windows, self._plan.warmup_windows, [word])
            settings = ranked(self._goals, settings, self.reach.seen(shown))[:stay]
        return Final(self._goals, settings, self.reach.seen(self._final_windows(settings)))

    def further(self, settings: Sequence[Setting]) -> dict[Setting, dict[str, np.ndarray]]:
        """Run further settings under the requests of the final: setting -> measures."""
        if not settings:
            return {}
        final = Final(self._goals, settings, self._final_windows(settings))
        return {setting: final.measures(setting) for setting in settings}

    def on_samples(self, settings: Sequence[Setting]) -> dict[Setting, np.ndarray]:
        """Run settings on the samples: setting -> attainment on each sample."""
        if not settings:
            return {}
        plan = self._plan
        shown = self._plausible.run(settings, plan.sample_windows, plan.warmup_windows, self._seeds[2])
        return dict(zip(settings, met(self._goals, shown).mean(axis=2), strict=True))

    def _final_windows(self, settings: Sequence[Setting]) -> Mapping[str, np.ndarray]:
        plan = self._plan
        return self._representative.run(settings, plan.final_windows, plan.warmup_windows, self._seeds[1])


def _seeds(seed: int, *counts: int) -> list[list[int]]:
    """Seeds of each stage: settings are chosen and reported with different seeds."""
    words = np.random.SeedSequence(seed).generate_state(sum(counts), np.uint64) >> np.uint64(1)
    return [part.tolist() for part in np.split(words, np.cumsum(counts)[:-1])]
