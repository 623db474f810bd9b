"""The final of a search: the remaining settings under the same requests, and their ranking."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from pmtwin.scenarios.recommendation.attainment import TOLERANCE, is_less, met
from pmtwin.scenarios.recommendation.screening import margins
from pmtwin.scenarios.system import Setting
from pmtwin.sim.control import Goal


class Final:
    """Results of the final on the representative device and host.

    Args:
        goals: goals of the search.
        settings: settings that ran.
        shown: measure -> values, shape (settings, seeds, windows).

    Attributes:
        met: setting -> whether each window meets all goals, shape (seeds, windows).
        ranked: settings, best first.
    """

    def __init__(self, goals: Sequence[Goal], settings: Sequence[Setting], shown: Mapping[str, np.ndarray]):
        self._settings, self._shown = list(settings), shown
        self.met = dict(zip(settings, met(goals, shown), strict=True))
        self.ranked = ranked(goals, settings, shown)

    def attainment(self, setting: Setting) -> float:
        """Share of a setting's windows that meet all goals."""
        return float(self.met[setting].mean())

    def measures(self, setting: Setting) -> dict[str, np.ndarray]:
        """Measure -> values of a setting, shape (seeds, windows)."""
        place = self._settings.index(setting)
        return {name: values[place] for name, values in self._shown.items()}

    def equal(self) -> list[Setting]:
        """The settings whose attainment is within `TOLERANCE` of the greatest, best first."""
        top = max(map(self.attainment, self.met))
        return [setting for setting in self.ranked if self.attainment(setting) >= top - TOLERANCE]

    def finalists(self, count: int) -> list[Setting]:
        """The best `count` settings; those of `equal` come first."""
        return list(dict.fromkeys([*self.equal(), *self.ranked]))[:count]

    def best(self, count: int, by_sample: Mapping[Setting, np.ndarray]) -> Setting:
        """The finalist with the greatest mean attainment over the samples, among those of `equal`.

        Args:
            count: number of finalists.
            by_sample: setting -> its attainment on each sample.
        """
        return max(
            self.equal()[:count],
            key=lambda setting: (round(by_sample[setting].mean(), 3), -self.ranked.index(setting)),
        )

    def ties(self, best: Setting) -> list[Setting]:
        """Settings not significantly worse than `best` under the same requests; empty if `best` keeps no window."""
        if not self.met[best].any():
            return []
        return sorted(other for other in self.met if other != best and not is_less(self.met[other], self.met[best]))


def ranked(goals: Sequence[Goal], settings: Sequence[Setting], shown: Mapping[str, np.ndarray]) -> list[Setting]:
    """The settings, best first."""
    return [settings[place] for place in np.argsort(-_score(goals, shown), kind="stable")]


def _score(goals: Sequence[Goal], shown: Mapping[str, np.ndarray]) -> np.ndarray:
    """Shape (settings,): attainment, with ties broken by the mean margin."""
    margin = np.clip(margins(goals, shown).mean(axis=(1, 2)), -50.0, 50.0)
    return met(goals, shown).mean(axis=(1, 2)) + 1e-4 * margin
