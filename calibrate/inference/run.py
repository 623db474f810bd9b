"""The inference: waves of draws, simulated on any number of processes, resumable; the same bits for a seed.

The first wave covers the prior. After each wave an emulator of all simulated quantities is fitted, and the next wave is
drawn from the posterior that it implies (history matching by emulation, Craig and others 1997); its error is part of
every statement's discrepancy. The last wave is the posterior, weighed by the simulation beyond the emulator. The reason
for the emulator is in docs/design.md ("Inference by emulation").
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from pmtwin.calibrate.inference.emulated import EmulatedLikelihood
from pmtwin.calibrate.inference.priors import Priors
from pmtwin.calibrate.inference.statements import Statement, log_likelihood
from pmtwin.calibrate.inference.tempering import PARTICLES, greatest_power, posterior_particles
from pmtwin.sim.common.processes import processes
from pmtwin.sim.errors import check_range
from pmtwin.sim.files.checkpoint import Checkpoint

POWERS = (0.3, 1.0, 1.0)
"""Powers of the likelihood, for the waves between the first and the last: the first emulator is rough."""

FIRST, LAST = 0.4, 0.25
"""Shares of the draws in the first and in the last wave."""

LEAST_EFFECTIVE = 0.25
"""Effective size of the last wave, over its draws: the power of the ratio of simulated and emulated likelihoods is as
great as this allows, at most 1, where the emulator would not matter."""

CHUNK = 32
"""Draws that are simulated between two writes of the checkpoint."""

MOST_DRAWS = 1_000_000


class Simulator(Protocol):
    """The simulation of a draw; it is sent to other processes."""

    @property
    def quantities(self) -> tuple[str, ...]:
        """Names of all that it gives."""

    def simulate(self, draw: Mapping[str, float], seed: int) -> dict[str, float]:
        """Simulates all quantities."""

    def identity(self) -> dict:
        """Plain values that determine the numbers."""


@dataclass(frozen=True)
class Plan:
    """Size of an inference.

    Args:
        draws: of all waves together.
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
        first, last = round(FIRST * self.draws), round(LAST * self.draws)
        each, rest = divmod(self.draws - first - last, len(POWERS))
        return [first, *(each + (k < rest) for k in range(len(POWERS))), last]


@dataclass(frozen=True)
class Draws:
    """All draws of a run.

    Args:
        scores: normal scores, shape (n, parameters). summaries: quantity -> shape (n,).
        log_likelihoods: simulated, shape (n,).
        weights: shape (n,), of sum 1; draws of the last wave only have any.
        history: of each wave: draws, `power` of the likelihood it was drawn at, quantiles of its simulated
            log-likelihoods, and how those of the emulator that proposed it agree with them.
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
    """Draws of the posterior.

    Args:
        checkpoint: finished draws are read from it, and written to it.
        on_done: called with how many more draws are done.
    """
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

    def simulate(self, simulator, jobs, checkpoint, on_done) -> np.ndarray:
        """Quantities of each draw, shape (draws, quantities)."""

        parts = []
        with processes(jobs) as pool:
            for start in range(0, len(self.draws), CHUNK):
                stage = f"wave-{self.number}-{start}"
                kept = checkpoint.load_arrays(stage) if checkpoint else None
                rows = self._chunk(pool, start, simulator) if kept is None else kept["rows"]
                if checkpoint and kept is None:
                    checkpoint.save_arrays(stage, {"rows": rows})
                parts.append(rows)
                if on_done is not None:
                    on_done(len(rows))
        return np.concatenate(parts)

    def _chunk(self, pool, start: int, simulator) -> np.ndarray:
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
