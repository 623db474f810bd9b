"""The load, estimated from what windows answer and leave waiting: rates of both classes, and whether these are tied."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from pmtwin.scenarios.nvm_middleware.rate_estimate import RateEstimate
from pmtwin.sim.load import RateVariation
from pmtwin.sim.load.workload import CLASSES, Workload

BEHIND = 0.5
"""Share of a class's clients in wait from which on it is behind."""

CALM = 0.1
"""Share of a class's clients in wait from which on the latencies of the next window are not those of its rate alone."""

QUEUE_LEFT = 0.3
"""Share of the mean queue of a window, of a class that is not behind, that its end leaves."""

LEAST_SIGMA = 0.03
"""Of the variation of a rate that is believed in."""

MOST_TOLD, MOST_ODDS = 1.0, 4.0
"""Logarithm of the odds of tied classes: what one window changes at most, as its model is a rough one; and the most."""


class LoadEstimate:
    """Both classes' rates, by two filters: one believes in tied classes, and one in classes apart.

    Args:
        workload: whose clients and burstiness are believed.
        values: resolved parameters, how rates vary.
        requests: of a window.
        tied: probability that the classes are tied, before the first window; 0 and 1 are certain.

    Attributes, of the last window, each of both classes:
        waiting: requests that it left. behind: whether it was not answered all that came. calm: whether its latencies
        are those of its rate. noise: variance of the logarithm of its number of requests.
    """

    def __init__(self, workload: Workload, values: Mapping[str, float], requests: float, tied: float):
        self._requests = requests
        self._clients = np.array([max(load.clients, 1) for load in workload.classes], dtype=float)
        self._burstiness = np.array([load.interarrival_cov**2 for load in workload.classes])
        interactive, batch = (max(values[f"{name}_rate_sigma"], LEAST_SIGMA) for name in CLASSES)
        variation = RateVariation((interactive, batch), values["rate_correlation"], values["rate_persistence"])
        self._apart, self._tied = RateEstimate(variation, tied=False), RateEstimate(variation, tied=True)
        self._uncertain = 0.0 < tied < 1.0
        self._odds = float(np.log(tied / (1.0 - tied))) if self._uncertain else MOST_ODDS * (2.0 * tied - 1.0)
        self.waiting = self._queues = np.zeros(2)
        self.behind = np.zeros(2, dtype=bool)
        self.calm = np.ones(2, dtype=bool)
        self.noise = np.zeros(2)

    def update(self, answered: np.ndarray, queues: np.ndarray, anew: bool) -> None:
        """Take a window into account.

        Args:
            answered: operations/s of both classes, above 0. queues: mean number in wait. anew: another context began.
        """
        seconds = self._requests / answered.sum()
        count = np.maximum(answered * seconds, 1.0)
        self.behind = queues > BEHIND * self._clients
        came = np.maximum(count - self.waiting, QUEUE_LEFT * count) / seconds
        self.noise = self._burstiness / count
        noise = self.noise + (QUEUE_LEFT * self.waiting / count) ** 2
        seen = np.log(came), noise, np.log(answered), self.behind, anew
        apart, tied = self._apart.update(*seen), self._tied.update(*seen)
        if self._uncertain and not anew and self.behind.any():
            told = min(max(tied - apart, -MOST_TOLD), MOST_TOLD)
            self._odds = min(max(self._odds + told, -MOST_ODDS), MOST_ODDS)
        self.calm = (self._queues < CALM * self._clients) & ~self.behind
        self._queues = queues
        self.waiting = np.minimum(queues, self._clients) * np.where(self.behind, 1.0, QUEUE_LEFT)

    @property
    def tied(self) -> bool:
        """Whether a slow class holds up the other, as far as is known."""
        return self._odds > 0.0

    @property
    def held_up(self) -> np.ndarray:
        """Which classes were answered no more than the other, to which they are tied, shape (2,)."""
        return ~self.behind & self.behind.any() & self.tied

    def rates(self) -> np.ndarray:
        """Of both classes in the last window, operations/s."""
        return np.exp((self._tied if self.tied else self._apart).mean)

    def coming_rates(self) -> tuple[np.ndarray, np.ndarray]:
        """(mean, covariance) of the logarithms of both rates in the next window."""
        return (self._tied if self.tied else self._apart).coming_rates()
