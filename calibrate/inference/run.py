"""The inference: waves of draws, simulated on any number of processes, resumable; the same bits for a seed.

History matching (Craig and others 1997) and population Monte Carlo in one: a draw whose first stages already miss so
much that it could not weigh is not simulated to its end, and later waves go where earlier ones were plausible.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from pmtwin.calibrate.inference.importance import (
    Mixture,
    effective_size,
    from_prior,
    normalised,
    proposal_from,
    weights_of,
)
from pmtwin.calibrate.inference.priors import Priors
from pmtwin.calibrate.inference.statements import Statement, log_likelihood
from pmtwin.sim.checkpoint import Checkpoint
from pmtwin.sim.errors import check_range

IMPLAUSIBLE = 20.0
"""Log-likelihood below the best draw of earlier waves from which a draw is not simulated further: its weight would be
2e-9 of the best one's."""

CHUNK = 32
"""Draws that are simulated between two writes of the checkpoint."""

MOST_DRAWS = 1_000_000


class Simulator(Protocol):
    """What is simulated of a draw; it is sent to other processes.

    Attributes:
        quantities: names of all that it gives.
        stages: how many parts a simulation has, the most telling first.
    """

    quantities: tuple[str, ...]
    stages: int

    def simulate(self, stage: int, draw: Mapping[str, float], seed: int) -> dict[str, float]:
        """Some of the quantities."""

    def identity(self) -> dict:
        """Plain values that determine the numbers."""


@dataclass(frozen=True)
class Plan:
    """How much is simulated.

    Args:
        draws: of all waves together.
        first: draws from the prior, of the first two waves together.
        pilot: draws of the first of them, all simulated to the end: the others have something to be compared with.
        wave: draws of each later wave.
        seed: root of all random numbers.
    """

    draws: int = 4000
    first: int = 1024
    pilot: int = 96
    wave: int = 384
    seed: int = 0

    def __post_init__(self):
        check_range("draws", self.draws, 8, MOST_DRAWS)
        check_range("seed", self.seed, 0, 2**63 - 1)

    @property
    def waves(self) -> list[int]:
        """Draws of each wave."""
        first = min(self.first, self.draws)
        pilot = min(self.pilot, first // 2)
        whole, rest = divmod(self.draws - first, self.wave)
        return [pilot, first - pilot, *[self.wave] * whole, *([rest] if rest else [])]


@dataclass(frozen=True)
class Draws:
    """All draws of a run with their weights.

    Args:
        scores: normal scores, shape (n, parameters). summaries: quantity -> shape (n,), NaN where not simulated.
        log_likelihoods, weights: shape (n,); the weights have the sum 1.
        history: of each wave: draws, share that was plausible to the end, best log-likelihood, temperature of its
            proposal, effective size of all draws up to it.
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
    """Weighted draws of the posterior.

    Args:
        checkpoint: what is done is read back from it, and written to it.
        on_done: called with how many more draws are done.
    """
    scores, rows, likelihoods = (np.zeros((0, size)) for size in (len(priors.table), len(simulator.quantities), 1))
    likelihoods = likelihoods[:, 0]
    proposals: list[Mixture] = []
    counts: list[int] = []
    history: list[dict] = []
    proposal, power = from_prior(len(priors.table)), 0.0
    for number, count in enumerate(plan.waves):
        drawn = _wave_scores(priors, proposal, number, plan)
        least = likelihoods.max() - IMPLAUSIBLE if number else -np.inf
        wave = _Wave(number, priors.draws(drawn), plan.seed, float(least))
        found = wave.simulate(simulator, statements, jobs, checkpoint, on_done)
        scores, rows = np.concatenate([scores, drawn]), np.concatenate([rows, found])
        likelihoods = np.concatenate([likelihoods, _likelihoods(statements, simulator, found)])
        proposals.append(proposal)
        counts.append(count)
        logs = weights_of(scores, likelihoods, proposals, counts)
        weights = normalised(logs)
        history.append(
            {
                "draws": count,
                "plausible": float(np.mean(~np.isnan(found).any(axis=1))),
                "best_log_likelihood": float(likelihoods.max()),
                "temperature": power,
                "effective_size": effective_size(weights),
            }
        )
        if number:
            proposal, power = proposal_from(scores, logs, likelihoods)
    summaries = dict(zip(simulator.quantities, rows.T, strict=True))
    return Draws(scores, summaries, likelihoods, weights, history)


def _wave_scores(priors: Priors, proposal: Mixture, number: int, plan: Plan) -> np.ndarray:
    """Of the first two waves parts of one design, of later ones draws of their proposal."""
    pilot, rest = plan.waves[:2]
    if number < 2:
        design = priors.design(pilot + rest, plan.seed)
        return design[pilot:] if number else design[:pilot]
    generator = np.random.default_rng(np.random.SeedSequence(plan.seed, spawn_key=(0, number)))
    return proposal.draw(plan.waves[number], generator)


def _likelihoods(statements: tuple[Statement, ...], simulator: Simulator, rows: np.ndarray) -> np.ndarray:
    return log_likelihood(statements, dict(zip(simulator.quantities, rows.T, strict=True)))


@dataclass(frozen=True)
class _Wave:
    """The draws of a wave; `least` is the log-likelihood below which one is given up."""

    number: int
    draws: list[dict[str, float]]
    seed: int
    least: float

    def simulate(self, simulator, statements, jobs, checkpoint, on_done) -> np.ndarray:
        """Quantities of each draw, shape (draws, quantities)."""
        from joblib import Parallel

        parts = []
        with Parallel(n_jobs=jobs) as pool:
            for start in range(0, len(self.draws), CHUNK):
                stage = f"wave-{self.number}-{start}"
                kept = checkpoint.load_arrays(stage) if checkpoint else None
                rows = self._chunk(pool, start, simulator, statements) if kept is None else kept["rows"]
                if checkpoint and kept is None:
                    checkpoint.save_arrays(stage, {"rows": rows})
                parts.append(rows)
                if on_done is not None:
                    on_done(len(rows))
        return np.concatenate(parts)

    def _chunk(self, pool, start: int, simulator, statements) -> np.ndarray:
        from joblib import delayed

        numbers = range(start, min(start + CHUNK, len(self.draws)))
        tasks = [
            delayed(simulated)(simulator, statements, self.draws[k], self._seed_of(k), self.least) for k in numbers
        ]
        return np.array(pool(tasks))

    def _seed_of(self, draw: int) -> int:
        words = np.random.SeedSequence(self.seed, spawn_key=(1, self.number, draw)).generate_state(1, np.uint64)
        return int(words[0] >> np.uint64(1))


def simulated(
    simulator: Simulator, statements: tuple[Statement, ...], draw: Mapping[str, float], seed: int, least: float
) -> np.ndarray:
    """The quantities of a draw in the simulator's order; NaN from the stage on at which it was given up."""
    found = dict.fromkeys(simulator.quantities, np.nan)
    for stage in range(simulator.stages):
        found |= simulator.simulate(stage, draw, seed)
        row = {name: np.array([value]) for name, value in found.items()}
        if float(log_likelihood(statements, row)[0]) < least:
            break
    return np.array([found[name] for name in simulator.quantities], dtype=float)
