"""The joint posterior of a store's parameters: priors, the likelihood of measured operations, and posterior samples.

The logarithm of a measured throughput is normal around the law's. Its variance is that of the measurement plus that of
the law's own error, which is inferred too. Each machine but the first has a speed factor, since published tables seldom
state clock, memory and DIMMs.

Samples are drawn by differential evolution: an ensemble of walkers, each moved by the difference of two others, which
follows the correlations between parameters (ter Braak, "A Markov Chain Monte Carlo version of the genetic algorithm
Differential Evolution", Stat. Comput. 16, 2006). The walkers are one array, so that half of them need one call of the
law.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pmtwin.calibrate.store.measurements import Measured
from pmtwin.sim.device.profile import Profile
from pmtwin.sim.parameters.store_law import STORE_PARAMETERS
from pmtwin.sim.store.file import MODEL_ERROR
from pmtwin.sim.store.law import place, solve

WALKERS, BURN_IN, STEPS = 96, 2000, 2000
LONG_JUMP_EVERY = 10
"""Period in steps of moves by the unscaled difference, which can lead from one mode of the density to another."""

DIFFERENCE = 1.4
"""Scale of the other moves, to be divided by the root of twice the number of dimensions. Less than 2.38, the optimum
for a normal density, since this density is curved."""

JITTER = 1e-4
MODEL_ERROR_PRIOR = (0.04, 0.4, 0.01, 0.3)
"""Prior of the law's own error, a standard deviation of log throughput: median, log sd, low and high."""

MACHINE_LOG_SD = 0.15
"""Standard deviation of the log speed of another machine of the same kind: cores of 2.1 to 3.9 GHz, unstated DIMMs."""


@dataclass(frozen=True)
class Posterior:
    """Samples of all parameters.

    Args:
        names: names of the columns: `STORE_PARAMETERS`, then `MODEL_ERROR`, then a log speed for each further machine.
        rows: shape (samples, names), in the parameters' units.
        acceptance: share of the moves that were accepted.
    """

    names: tuple[str, ...]
    rows: np.ndarray
    acceptance: float

    def columns(self) -> dict[str, np.ndarray]:
        """Name -> shape (samples,)."""
        return dict(zip(self.names, self.rows.T, strict=True))


class Problem:
    """Log posterior density of many walkers at once.

    A walker holds the logarithms of the parameters and of the model error, then the log speeds of further machines.
    """

    def __init__(self, profile: Profile, measured: Sequence[Measured]):
        self.measured = tuple(measured)
        self.placed = [place(profile, each.point, each.dimms) for each in measured]
        self.log_measured = np.log([[each.throughput_ops] for each in measured])
        self.log_error = np.array([[each.log_error] for each in measured])
        machines = sorted({each.machine for each in measured}, key=[each.machine for each in measured].index)
        self.further = tuple(machines[1:])
        priors = [(p.median, p.log_sd, p.low, p.high) for p in STORE_PARAMETERS.values()] + [MODEL_ERROR_PRIOR]
        self.median, self.sd, self.low, self.high = np.array(priors).T
        self.names = (*STORE_PARAMETERS, MODEL_ERROR, *(f"log_speed_{name}" for name in self.further))

    def start(self, rng: np.random.Generator) -> np.ndarray:
        """Walkers drawn with half the standard deviations of the prior, shape (WALKERS, names)."""
        logs = np.log(self.median) + 0.5 * self.sd * rng.standard_normal((WALKERS, self.median.size))
        logs = np.clip(logs, np.log(self.low) + 1e-6, np.log(self.high) - 1e-6)
        speeds = 0.5 * MACHINE_LOG_SD * rng.standard_normal((WALKERS, len(self.further)))
        return np.hstack([logs, speeds])

    def samples(self, walkers: np.ndarray) -> dict[str, np.ndarray]:
        """Parameters in their units, and log speeds: name -> shape (walkers,)."""
        values = np.hstack([np.exp(walkers[:, : self.median.size]), walkers[:, self.median.size :]])
        return dict(zip(self.names, values.T, strict=True))

    def log_density(self, walkers: np.ndarray) -> np.ndarray:
        """Log density up to a constant, shape (walkers,); minus infinity outside the bounds."""
        logs, speeds = walkers[:, : self.median.size], walkers[:, self.median.size :]
        inside = np.all((logs > np.log(self.low)) & (logs < np.log(self.high)), axis=1)
        density = -0.5 * np.sum(((logs - np.log(self.median)) / self.sd) ** 2, axis=1)
        density -= 0.5 * np.sum((speeds / MACHINE_LOG_SD) ** 2, axis=1)
        samples = self.samples(np.where(inside[:, None], walkers, walkers[np.argmax(inside)]))
        variance = samples[MODEL_ERROR] ** 2 + self.log_error**2
        misses = self.log_predicted(samples) - self.log_measured
        density -= 0.5 * np.sum(misses**2 / variance + np.log(variance), axis=0)
        return np.where(inside, density, -np.inf)

    def log_predicted(self, samples: dict[str, np.ndarray]) -> np.ndarray:
        """Log throughput of the measured points, with the speeds of their machines; shape (points, samples)."""
        predicted = np.log(solve(self.placed, samples).throughput_ops)
        for row, each in zip(predicted, self.measured, strict=True):
            row += samples.get(f"log_speed_{each.machine}", 0.0)
        return predicted


def sample_posterior(problem: Problem, count: int, seed: int) -> Posterior:
    """Draw `count` samples of the posterior, the same for the same seed."""
    rng = np.random.default_rng(np.random.SeedSequence(seed))
    walkers, accepted = problem.start(rng), 0
    density = problem.log_density(walkers)
    chain = np.empty((STEPS, *walkers.shape))
    for step in range(-BURN_IN, STEPS):
        accepted += _step(problem, walkers, density, rng, step % LONG_JUMP_EVERY == 0)
        if step >= 0:
            chain[step] = walkers
    chosen = chain.reshape(-1, walkers.shape[1])[rng.choice(STEPS * WALKERS, count, replace=False)]
    rows = np.column_stack(list(problem.samples(chosen).values()))
    return Posterior(problem.names, rows, accepted / ((BURN_IN + STEPS) * WALKERS))


def _step(problem: Problem, walkers: np.ndarray, density: np.ndarray, rng: np.random.Generator, whole: bool) -> int:
    """Propose a move to each walker; returns the number of accepted moves.

    Each half of the walkers moves by differences of walkers in the other half. `walkers` and `density` are changed in
    place.

    Args:
        whole: whether to use the unscaled differences.
    """
    half, names, accepted = WALKERS // 2, walkers.shape[1], 0
    scale = 1.0 if whole else DIFFERENCE / np.sqrt(2.0 * names)
    for moving, still in ((slice(0, half), slice(half, None)), (slice(half, None), slice(0, half))):
        first = rng.integers(0, half, half)
        second = (first + rng.integers(1, half, half)) % half
        difference = walkers[still][first] - walkers[still][second]
        proposed = walkers[moving] + scale * difference + JITTER * rng.standard_normal((half, names))
        reached = problem.log_density(proposed)
        taken = np.log(rng.random(half)) < reached - density[moving]
        walkers[moving] = np.where(taken[:, None], proposed, walkers[moving])
        density[moving] = np.where(taken, reached, density[moving])
        accepted += int(taken.sum())
    return accepted
