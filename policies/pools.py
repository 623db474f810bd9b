"""The action space of Table 3.3: what each action does to the two pools, and which action leads where."""

from __future__ import annotations

import math

from pmtwin.sim.errors import InputError

DELTAS: tuple[tuple[int, int], ...] = (
    (0, 0),
    (1, 0),
    (-1, 0),
    (0, 1),
    (0, -1),
    (1, 1),
    (1, -1),
    (-1, 1),
    (-1, -1),
)
"""Action -> change of (interactive, batch) threads, in the order of Table 3.3."""

KEEP = 0
"""The action that changes nothing."""

POOL_MIN, POOL_MAX = 1, 32
"""Sizes of a pool in threads (Table 3.2)."""

_ACTION_OF = {delta: action for action, delta in enumerate(DELTAS)}


def action_for(interactive: int, batch: int) -> int:
    """The action that changes the pools by these numbers of threads, each taken as its sign."""
    return _ACTION_OF[_sign(interactive), _sign(batch)]


def moved(pools: tuple[int, int], action: int, low: int = POOL_MIN, high: int = POOL_MAX) -> tuple[int, int]:
    """The pools after `action`, each clipped to `low..high`."""
    return tuple(min(max(size + change, low), high) for size, change in zip(pools, DELTAS[action], strict=True))


def check_pools(field: str, pools: tuple[float, float], low: int = POOL_MIN, high: int = POOL_MAX) -> tuple[int, int]:
    """The pools as integers.

    Raises:
        InputError: unless both are whole numbers from `low` to `high`.
    """
    for size in pools:
        if not (math.isfinite(size) and size == int(size) and low <= size <= high):
            raise InputError(field, size, f"whole numbers of threads from {low} to {high}")
    return int(pools[0]), int(pools[1])


def parse_pools(field: str, text: str) -> tuple[int, int]:
    """`"I,B"` (interactive, batch) as two integers.

    Raises:
        InputError: unless the text is two whole numbers of threads from `POOL_MIN` to `POOL_MAX`.
    """
    try:
        interactive, batch = (float(part) for part in text.split(","))
    except ValueError as error:
        allowed = f"INTERACTIVE,BATCH, whole numbers of threads from {POOL_MIN} to {POOL_MAX}"
        raise InputError(field, text, allowed) from error
    try:
        return check_pools(field, (interactive, batch))
    except InputError as error:  # the text as it was written, not the 0.0 that it became
        raise InputError(field, text, error.allowed) from error


def _sign(value: int) -> int:
    return (value > 0) - (value < 0)
