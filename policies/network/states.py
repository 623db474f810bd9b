"""States of parts and of random numbers as named arrays, for checkpoints without pickle."""

from __future__ import annotations

import json
from collections.abc import Mapping

import numpy as np


def joined(parts: Mapping[str, Mapping[str, np.ndarray]]) -> dict[str, np.ndarray]:
    """Arrays of several parts: `part.name` -> array."""
    return {f"{part}.{name}": array for part, arrays in parts.items() for name, array in arrays.items()}


def part_of(arrays: Mapping[str, np.ndarray], part: str) -> dict[str, np.ndarray]:
    """The arrays that `joined` took from one part."""
    return {name.removeprefix(f"{part}."): array for name, array in arrays.items() if name.startswith(f"{part}.")}


def random_state(random: np.random.Generator) -> np.ndarray:
    """The state of a generator, as an array of text: its numbers have 128 bits."""
    return np.array(json.dumps(random.bit_generator.state))


def restore_random(random: np.random.Generator, state: np.ndarray) -> None:
    """Go on from a state of a generator of the same kind."""
    random.bit_generator.state = json.loads(str(state[()]))
