"""Random numbers for each part of a run, from the root seed; they do not depend on other parts or their order."""

from __future__ import annotations

import hashlib

import numpy as np

DATASET, SPLIT, GRID, SWEEPS, ONLINE, SELECTION = range(6)
"""First number of a spawn key: the stage."""


def generator(seed: int, *key: int | str) -> np.random.Generator:
    """The generator of one part; key: the stage, then names and numbers within it (context, episode)."""
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=tuple(map(_number, key))))


def reset_seed(random: np.random.Generator) -> int:
    """A seed for `env.reset`."""
    return int(random.integers(2**31 - 1))


def _number(part: int | str) -> int:
    """An element of a spawn key: a number as it is, a name as its digest."""
    return int.from_bytes(hashlib.sha256(part.encode()).digest()[:8], "big") if isinstance(part, str) else part
