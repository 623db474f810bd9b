"""Named arrays of several parts and of random generators, for checkpoints without pickle."""

from __future__ import annotations

import json
from collections.abc import Mapping

import numpy as np


def joined(parts: Mapping[str, Mapping[str, np.ndarray]]) -> dict[str, np.ndarray]:
    """The arrays of several parts in one mapping: `part.name` -> array."""
    return {f"{part}.{name}": array for part, arrays in parts.items() for name, array in arrays.items()}


def part_of(arrays: Mapping[str, np.ndarray], part: str) -> dict[str, np.ndarray]:
    """The arrays of one part, from a mapping that `joined` made."""
    return {name.removeprefix(f"{part}."): array for name, array in arrays.items() if name.startswith(f"{part}.")}


def random_state(random: np.random.Generator) -> np.ndarray:
    """The state of a generator as an array of text, since its numbers have 128 bits."""
    return np.array(json.dumps(random.bit_generator.state))


def restore_random(random: np.random.Generator, state: np.ndarray) -> None:
    """Set a generator to a state of `random_state`, of a generator of the same kind."""
    random.bit_generator.state = json.loads(str(state[()]))
