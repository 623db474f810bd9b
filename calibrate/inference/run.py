"""The inference: waves of simulated draws. It can be resumed, and its result depends only on the seed.

The first wave covers the prior. After each wave an emulator of all simulated quantities is fitted, and the next wave is
drawn from the posterior that it implies (history matching by emulation, Craig and others 1997); the emulator's error is
part of every statement's discrepancy. The last wave is the posterior; its weights correct the emulator's likelihood by
the simulated one. docs/design.md ("Inference by emulation") has the reason for the emulator.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np
from threadpoolctl import threadpool_limits

from pmtwin.calibrate.inference.emulated import EmulatedLikelihood
from pmtwin.calibrate.inference.priors import Priors
from pmtwin.calibrate.inference.statements import Statement, log_likelihood
from pmtwin.calibrate.inference.tempering import PARTICLES, greatest_power, posterior_particles
from pmtwin.sim.common.processes import processes
from pmtwin.sim.errors import check_range
from pmtwin.sim.files.checkpoint import Checkpoint

if TYPE_CHECKING:
    from joblib import Parallel


POWERS = (0.3, 1.0, 1.0)
"""Powers of the likelihood for the waves between the first and the last; small at first, as the emulator is rough."""

FIRST, LAST = 0.4, 0.25
"""Shares of the draws in the first and in the last wave."""

LEAST_EFFECTIVE = 0.25
"""Least effective size of the last wave, relative to its draws. The weights are the largest power (up to 1) of the
ratio of simulated and emulated likelihoods that allows it; with power 1, the emulator has no influence."""

CHUNK = 32
"""Draws between two writes of the checkpoint."""

MOST_DRAWS = 1_000_000


class Simulator(Protocol):
    """The simulation of a draw; it must be possible to pickle it for other processes."""

    @property
    def quantities(self) -> tuple[str, ...]:
        """Names of the simulated quantities."""

    def simulate(self, draw: Mapping[str, float], seed: int) -> dict[str, float]:
        """Simulate a draw: quantity -> value."""

    def identity(self) -> dict:
        """Plain values that determine the simulator's results."""


@dataclass(frozen=True)
class Plan:
    """Size of an inference.

    Args:
        draws: number of draws in all waves.
        seed: root of all random numbers.
    """

    draws: int = 1200
    seed: int = 0

    def __post_init__(self):
        check_range("draws", self.draws, 32, MOST_DRAWS)
        check_range("seed", self.seed, 0, 2**63 - 1)

    @property
    def waves(self) -> list[int]:
        """Draws of each wave."""
        head, tail = round(FIRST * self.draws), round(LAST * self.draws)
        size, rest = divmod(self.draws - head - tail, len(POWERS))
        return [head, *(size + (k < rest) for k in range(len(POWERS))), tail]


@dataclass(frozen=True)
class Draws:
    """All draws of a run.

    Args:
        scores: normal scores, shape (n, parameters). summaries: quantity -> shape (n,).
        log_likelihoods: simulated, shape (n,).
        weights: shape (n,), of sum 1; 0 except in the last wave.
        history: for each wave: number of draws, `power` of the likelihood, quantiles of the simulated and of the
            emulated log-likelihoods, and the emulator's error.
    """

    scores: np.ndarray
    summaries: dict[str, np.ndarray]
    log_likelihoods: np.ndarray
    weights: np.ndarray
    history: list[dict]


def infer(
    priors: Priors,
    statements: tuple[Statement, ...],
    simulator: Simulator,
    plan: Plan,
    jobs: int = 1,
    checkpoint: Checkpoint | None = None,
    on_done: Callable[[int], object] | None = None,
) -> Draws:
    """Draws of the posterior, the same bits on any number of processes and processors.

    Args:
        checkpoint: where finished draws are read and written.
        on_done: called with the number of draws that have been finished since the last call.
    """
    with threadpool_limits(1):  # the same sums on any number of processors; for matrices this small, faster too
        return _infer(priors, statements, simulator, plan, jobs, checkpoint, on_done)


def _infer(
    priors: Priors,
    statements: tuple[Statement, ...],
    simulator: Simulator,
    plan: Plan,
    jobs: int,
    checkpoint: Checkpoint | None,
    on_done: Callable[[int], object] | None,
) -> Draws:
    size = len(priors.table)
    scores, rows = np.zeros((0, size)), np.zeros((0, len(simulator.quantities)))
    history: list[dict] = []
    emulated = None
    for number, count in enumerate(plan.waves):
        if number == 0:
            drawn, power = priors.design(count, plan.seed), 0.0
        else:
            power = (*POWERS, 1.0)[number - 1]
            emulated = EmulatedLikelihood.from_draws(priors, statements, simulator.quantities, scores, rows, plan.seed)
            seed = np.random.SeedSequence(plan.seed, spawn_key=(0, number))
            drawn = posterior_particles(emulated, size, seed, power, max(count, PARTICLES))[:count]
        wave = _Wave(number, priors.draws(drawn), plan.seed)
        new_rows = wave.simulate(simulator, jobs, checkpoint, on_done)
        history.append(_record(count, power, drawn, emulated, log_likelihood(statements, _named(simulator, new_rows))))
        scores, rows = np.concatenate([scores, drawn]), np.concatenate([rows, new_rows])
    summaries = _named(simulator, rows)
    likelihoods = log_likelihood(statements, summaries)
    weights, power = _weights(likelihoods[-count:] - (emulated(drawn) if emulated else 0.0))
    history[-1] |= {"power_of_the_ratio": power, "effective_size": float(1.0 / np.sum(weights**2))}
    return Draws(scores, summaries, likelihoods, np.concatenate([np.zeros(len(scores) - count), weights]), history)


def _weights(ratio: np.ndarray) -> tuple[np.ndarray, float]:
    """(weights of sum 1, power) from log ratios of the simulated to the emulated likelihood."""
    least = LEAST_EFFECTIVE * len(ratio)
    power = greatest_power(ratio, 1.0, least)
    weights = np.exp(power * (ratio - ratio.max()))
    return weights / weights.sum(), power


def _named(simulator: Simulator, rows: np.ndarray) -> dict[str, np.ndarray]:
    return dict(zip(simulator.quantities, rows.T, strict=True))


def _record(count: int, power: float, drawn: np.ndarray, emulated: EmulatedLikelihood | None, logs: np.ndarray) -> dict:
    record = {"draws": count, "power": power, "log_likelihood": np.percentile(logs, (5, 50, 95)).tolist()}
    if emulated is not None:
        expected = emulated(drawn)
        record["emulated_log_likelihood"] = np.percentile(expected, (5, 50, 95)).tolist()
        record["emulator_error"] = emulated.errors()
    return record


@dataclass(frozen=True)
class _Wave:
    """The draws of a wave."""

    number: int
    draws: list[dict[str, float]]
    seed: int

    def simulate(
        self, simulator: Simulator, jobs: int, checkpoint: Checkpoint | None, on_done: Callable[[int], object] | None
    ) -> np.ndarray:
        """Quantities of each draw, shape (draws, quantities)."""

        parts = []
        with processes(jobs) as pool:
            for start in range(0, len(self.draws), CHUNK):
                stage = f"wave-{self.number}-{start}"
                saved = checkpoint.load_arrays(stage) if checkpoint else None
                rows = self._chunk(pool, start, simulator) if saved is None else saved["rows"]
                if checkpoint and saved is None:
                    checkpoint.save_arrays(stage, {"rows": rows})
                parts.append(rows)
                if on_done is not None:
                    on_done(len(rows))
        return np.concatenate(parts)

    def _chunk(self, pool: Parallel, start: int, simulator: Simulator) -> np.ndarray:
        from joblib import delayed

        numbers = range(start, min(start + CHUNK, len(self.draws)))
        return np.array(pool(delayed(simulated)(simulator, self.draws[k], self._seed_of(k)) for k in numbers))

    def _seed_of(self, draw: int) -> int:
        words = np.random.SeedSequence(self.seed, spawn_key=(1, self.number, draw)).generate_state(1, np.uint64)
        return int(words[0] >> np.uint64(1))


def simulated(simulator: Simulator, draw: Mapping[str, float], seed: int) -> np.ndarray:
    """The quantities of a draw in the simulator's order."""
    quantities = simulator.simulate(draw, seed)
    return np.array([quantities[name] for name in simulator.quantities], dtype=float)
