"""A changing load over one run: the product of all its parts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from pmtwin.sim.load.part import NO_CHANGE, Factors, LoadPart

if TYPE_CHECKING:
    from pmtwin.sim.load.workload import ClassWorkload, Workload


class LoadChanges:
    """Factors of all parts of a workload, window after window.

    Args:
        parts: those of a `pmtwin.sim.load.workload.Workload`.
        seed: root of the random numbers; each part has its own generator.
    """

    def __init__(self, parts: tuple[LoadPart, ...], seed: np.random.SeedSequence):
        generators = [np.random.default_rng(child) for child in seed.spawn(len(parts))]
        self.parts, self._seed, self._passed = parts, (seed.entropy, seed.spawn_key), 0
        self._windows = [part.windows(generator) for part, generator in zip(parts, generators, strict=True)]

    def __next__(self) -> Factors:
        """The factors of the next window."""
        factors, self._passed = NO_CHANGE, self._passed + 1
        for windows in self._windows:
            change = next(windows)
            factors = change if factors is NO_CHANGE else factors.times(change)
        return factors

    def __reduce__(self):
        """A copy draws the windows so far again: generators cannot be copied, and a draw is cheap."""
        return _resumed, (self.parts, *self._seed, self._passed)


def _resumed(
    parts: tuple[LoadPart, ...], entropy: int | Sequence[int] | None, spawn_key: tuple[int, ...], passed: int
) -> LoadChanges:
    changes = LoadChanges(parts, np.random.SeedSequence(entropy, spawn_key=spawn_key))
    for _ in range(passed):
        next(changes)
    return changes


def changed(workload: Workload, factors: Factors) -> Workload:
    """The workload with the factors on mix, sizes and clients; those on rates go to the engine (`Engine.set_pace`)."""
    if factors[1:] == NO_CHANGE[1:]:
        return workload
    classes = [_changed(load, factors, c) for c, load in enumerate(workload.classes)]
    return replace(workload, interactive=classes[0], batch=classes[1])


def _changed(load: ClassWorkload, factors: Factors, c: int) -> ClassWorkload:
    def resized(sizes: float | np.ndarray) -> np.ndarray:
        return np.maximum(1.0, factors.size[c] * np.asarray(sizes, dtype=float))

    return replace(
        load,
        clients=max(round(factors.clients[c] * load.clients), min(load.clients, 1)),
        write_ratio=min(factors.write_ratio[c] * load.write_ratio, 1.0),
        read_sizes_bytes=resized(load.read_sizes_bytes),
        write_sizes_bytes=resized(load.write_sizes_bytes),
    )
